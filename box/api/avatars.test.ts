import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  avatarCreatedSchema,
  avatarDeletedSchema,
  avatarListSchema,
  videoListSchema,
} from "../../contract/avatars.ts";
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

/** What requests have on disk. */
const incoming = () => readdir(`${box.services.config.stateDir}/incoming`).catch(() => []);

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
      gestureAmplitude: "0.2",
      aiGenerated: false,
      path: expect.stringContaining("/incoming/request-"),
      sha256: createHash("sha256").update("a picture").digest("hex"),
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
  ["a picture with no face", form({ file: picture }, "bad.png"), 400, "no_face"],
  ["an upload id on a box alone", form({ upload_id: "u1" }), 503, "uploads_unavailable"],
  ["an upload id beside a file", form({ upload_id: "u1", file: picture }), 400, "invalid_body"],
  ["a take of an unknown tone", form({ file: picture, take__angry: picture }), 400, "unknown_tone"],
  ["a take with a strange number", form({ file: picture, take__sad__01: picture }), 400, "invalid_body"],
  ["too many takes", form({ file: picture, take__sad__20: picture }), 400, "invalid_body"],
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
  expect(await incoming()).toEqual([]);
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
  expect(await incoming()).toEqual([]);
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

test("a client that leaves in the middle of a file leaves nothing on the disk", async () => {
  const socket = connect(Number(new URL(box.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    `POST /api/avatar HTTP/1.1\r\nHost: box\r\nX-Api-Key: ${staticKey}\r\nContent-Length: 1000000\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\n\r\n` +
      `--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n${"x".repeat(200_000)}`,
  );
  await expect.poll(incoming).toHaveLength(1);
  socket.destroy();
  await expect.poll(incoming).toEqual([]);
});

test("an avatar is deleted by its owner, and only from those that can be", async () => {
  await box.ask("/api/avatar", { body: form({ name: "Ada", tones: "happy", file: picture }) });
  const videos = videoListSchema.strict().parse(await (await box.ask("/api/videos")).json());
  expect(videos.videos.map(({ id, emotion, deletable, bytes }) => [id, emotion, deletable, bytes])).toEqual([
    ["maya", "neutral", false, null],
    ["theo", "neutral", false, null],
    ["ada", "neutral", true, 1],
    ["ada__happy", "happy", true, 1],
  ]);
  const remove = (avatar: string, key = staticKey) =>
    box.ask("/api/avatar/delete", { key, body: { avatar } });
  for (const [avatar, key, status] of [
    ["ada", otherKey, 404],
    ["ada__happy", staticKey, 404],
    ["nobody", staticKey, 404],
    ["maya", staticKey, 400],
  ] as const) {
    const refused = await remove(avatar, key);
    expect([refused.status, await refused.json()]).toEqual([status, { error: expect.any(String) }]);
  }
  const gone = await remove("ada");
  expect(gone.status).toBe(200);
  const answer = avatarDeletedSchema.strict().parse(await gone.json());
  expect(answer).toMatchObject({ deleted: "ada", active: "maya" });
  expect(answer.videos.map(({ id }) => id)).toEqual(["maya", "theo"]);
});

test("a session that shows an avatar ends before it is deleted, and no other does", async () => {
  for (const name of ["Ada", "Bob"]) await box.ask("/api/avatar", { body: form({ name, file: picture }) });
  await box.connect({ body: { avatar: "ada" } });
  await box.ask("/api/avatar/delete", { body: { avatar: "bob" } });
  expect(box.services.slot.current?.avatar.id).toBe("ada");
  await box.ask("/api/avatar/delete", { body: { avatar: "maya" } });
  expect(box.services.slot.current?.avatar.id).toBe("ada");
  expect((await box.ask("/api/avatar/delete", { body: { avatar: "ada" } })).status).toBe(200);
  expect(box.services.slot.current).toBeNull();
});
