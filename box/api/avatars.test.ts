import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { avatarCreatedSchema, avatarListSchema } from "../../contract/avatars.ts";
import { otherKey, startTestBox, staticKey, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(() => box.close());

function form(parts: Record<string, string | Blob>, filename = "me.png"): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(parts))
    if (typeof value === "string") data.append(name, value);
    else data.append(name, value, filename);
  return data;
}

const picture = new Blob(["a picture"], { type: "image/png" });

/** A request written byte by byte; the answer as text once the box has closed the connection. */
function raw(body: string, headers = ""): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(box.url).port), "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
    socket.write(
      `POST /api/avatar HTTP/1.1\r\nHost: box\r\nConnection: close\r\nX-Api-Key: ${staticKey}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\n${headers || `Content-Length: ${body.length}\r\n`}\r\n${body}`,
    );
  });
}

test("a photograph becomes an avatar of its uploader and of nobody else", async () => {
  const body = form({ name: "Ada", framing: "head", gesture_amplitude: "0.2", file: picture });
  const response = await box.ask("/api/avatar", { body });
  expect(response.status).toBe(200);
  const made = avatarCreatedSchema.strict().parse(await response.json());
  expect(made).toMatchObject({ avatar: "ada", status: "preparing", tones: ["neutral"], note: "" });
  expect(box.faces.created).toEqual([
    {
      owner: expect.stringMatching(/^static:/),
      filename: "me.png",
      name: "Ada",
      framing: "head",
      gestureAmplitude: 0.2,
      bytes: Buffer.from("a picture"),
    },
  ]);
  const listing: unknown = await (await box.ask("/api/avatars")).json();
  const mine = avatarListSchema.parse(listing);
  expect(listing).toEqual(mine);
  expect(mine.builds.ada).toMatchObject({ state: "ready", step: "done", progress: 1, detail: "" });
  expect(mine.avatars).toEqual(["maya", "theo", "ada"]);
  const theirs = avatarListSchema.parse(await (await box.ask("/api/avatars", { key: otherKey })).json());
  expect(theirs.avatars).toEqual(["maya", "theo"]);
  expect((await box.ask("/api/avatar/preview?avatar=ada")).headers.get("content-type")).toBe("image/jpeg");
  const foreign = await box.ask("/api/avatar/preview?avatar=ada", { key: otherKey });
  expect([foreign.status, await foreign.json()]).toEqual([404, { error: expect.any(String) }]);
});

test("tones that are not coming are accounted for", async () => {
  const response = await box.ask("/api/avatar", { body: form({ tones: "neutral, happy", file: picture }) });
  expect(await response.json()).toMatchObject({
    tones: ["neutral"],
    note: expect.stringContaining("emotion clips"),
  });
});

test.each<[what: string, body: FormData | string, status: number, code: string]>([
  ["no file", form({ name: "Ada" }), 400, "invalid_body"],
  ["a file by another name", form({ photo: picture }), 400, "invalid_body"],
  ["an unknown part", form({ colour: "red", file: picture }), 400, "invalid_body"],
  [
    "a part twice",
    (() => {
      const twice = form({ file: picture, name: "a" });
      twice.append("name", "b");
      return twice;
    })(),
    400,
    "invalid_body",
  ],
  ["a picture with no face", form({ file: new Blob(["bad"]) }), 400, "no_face"],
  ["a video", form({ file: new Blob(["x"], { type: "video/mp4" }) }, "me.mp4"), 501, "feature_disabled"],
  ["an upload id", form({ upload_id: "u1" }), 501, "feature_disabled"],
  ["too much gesture", form({ gesture_amplitude: "7", file: picture }), 400, "invalid_body"],
  [
    "a picture over the limit",
    form({ file: new Blob([new Uint8Array(15 * 1024 * 1024 + 1)]) }),
    413,
    "image_too_large",
  ],
  ["JSON", '{"file":"x"}', 400, "invalid_body"],
])("%s is refused in the structured envelope", async (_, body, status, code) => {
  const response = await box.ask("/api/avatar", { method: "POST", body });
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ error: { code, message: expect.any(String) } });
  expect((await box.ask("/health")).status).toBe(200);
});

test.each([
  [
    "ends in the middle of a part",
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nhalf',
  ],
  ["ends in the middle of a header", "--b\r\nContent-Dispo"],
  ["has no boundary in it", "hello"],
  ["is empty", ""],
])("a form that %s is a 400", async (_, body) => {
  const answer = await raw(body);
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(answer).toContain("invalid_body");
});

test("a form that announces more than the limit is refused unread", async () => {
  expect(await raw("", "Content-Length: 300000000\r\n")).toMatch(/^HTTP\/1.1 413 /);
});

test("a form with no boundary named", async () => {
  const headers = { "Content-Type": "multipart/form-data" };
  const response = await box.ask("/api/avatar", { method: "POST", headers, body: "x" });
  expect(response.status).toBe(400);
});

test("a preview needs to say of whom", async () => {
  expect((await box.ask("/api/avatar/preview")).status).toBe(400);
});
