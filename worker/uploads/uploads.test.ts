import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { uploadGrantSchema, type UploadRequest } from "../../contract/uploads.ts";
import { callWith, withoutStorage } from "../testing/altered.ts";
import {
  bodyOf,
  captureLog,
  db,
  makeKey,
  moveClock,
  post,
  signIn,
  withKey,
  type Browser,
} from "../testing/portal.ts";

let ann: Browser;
beforeEach(async () => {
  ann = await signIn("ann@example.com");
});

type File = UploadRequest["files"][number];
const picture: File = { field: "file", filename: "face.png", content_type: "image/png", size: 10 };
const film: File = { field: "file", filename: "face.mp4", content_type: "video/mp4", size: 10 };
const take = (tone: string, size = 10): File => ({ ...film, field: `take__${tone}`, size });

const ask = (files: unknown, headers: Record<string, string> = ann) =>
  post("/auth/uploads", { files }, headers);

async function refusalOf(response: Response) {
  return [response.status, (await bodyOf(response, structuredErrorSchema)).error.code];
}

const countUploads = async () =>
  (await db.prepare("SELECT count(*) AS n FROM uploads").first<{ n: number }>())?.n;

describe("a grant", () => {
  test("has one PUT for each file, in the order they were asked for, for a quarter of an hour", async () => {
    const files = [take("warm"), picture, take("warm__1")];
    const answer = await ask(files);
    expect(answer.status).toBe(201);
    const before = Math.floor(Date.now() / 1000);
    const grant = await bodyOf(answer, uploadGrantSchema);
    expect(grant.files.map(({ field }) => field)).toEqual(files.map(({ field }) => field));
    for (const [at, file] of grant.files.entries()) {
      const url = new URL(file.url);
      expect(url.pathname).toMatch(new RegExp(`/uploads/${grant.upload_id}/${at}$`));
      expect(url.searchParams.get("X-Amz-Expires")).toBe("900");
      expect(url.searchParams.get("X-Amz-SignedHeaders")).toBe("content-length;content-type;host");
      expect(file.headers).toEqual({ "Content-Type": files[at]?.content_type });
      expect(file.expires_in).toBe(900);
      expect(Math.abs(file.expires_at - before - 900)).toBeLessThanOrEqual(5);
      expect(file.url).not.toContain("ann");
    }
    expect(await db.prepare("SELECT account, expires_at - created_at AS kept FROM uploads").first()).toEqual({
      account: "ann@example.com",
      kept: limits.uploadKeptSeconds,
    });
  });

  test("is given to a full key as well", async () => {
    const { secret } = await makeKey(ann);
    expect((await ask([picture], withKey(secret))).status).toBe(201);
  });
});

describe("a request is no upload", () => {
  const many = Array.from({ length: limits.uploadFiles + 1 }, (_, at) =>
    at ? take(`warm__${at}`) : picture,
  );
  test.each<[string, unknown]>([
    ["without files", undefined],
    ["with an empty list", []],
    ["with more than twenty files", many],
    ["with one field twice", [picture, take("warm"), take("warm")]],
    ["without a file", [take("warm")]],
    ["with a field that a box does not know", [picture, { ...film, field: "extra" }]],
    ["with a take of no tone", [picture, take("grumpy")]],
    ["with a take numbered nought", [picture, take("warm__0")]],
    ["with a take that is a picture", [picture, { ...picture, field: "take__warm" }]],
    ["of another type", [{ ...picture, content_type: "image/gif" }]],
    ["of no name", [{ ...picture, filename: " " }]],
    ["of a name of 201 characters", [{ ...picture, filename: "a".repeat(201) }]],
    ["of no size", [{ ...picture, size: 0 }]],
    ["of half a byte", [{ ...picture, size: 1.5 }]],
    ["of a size in words", [{ ...picture, size: "10" }]],
    ["with a field more", [{ ...picture, account: "bea@example.com" }]],
  ])("%s", async (_label, files) => {
    expect(await refusalOf(await ask(files))).toEqual([400, "invalid_upload"]);
    expect(await countUploads()).toBe(0);
  });

  test("when it is not JSON", async () => {
    expect(await refusalOf(await post("/auth/uploads", "[", ann))).toEqual([400, "invalid_body"]);
  });
});

describe("sizes", () => {
  const { imageBytes, uploadVideoBytes: videoBytes, uploadTotalBytes: totalBytes } = limits;
  const rest = totalBytes - 2 * videoBytes;
  test.each<[string, File[], File[]]>([
    ["a picture", [{ ...picture, size: imageBytes }], [{ ...picture, size: imageBytes + 1 }]],
    ["a video", [{ ...film, size: videoBytes }], [{ ...film, size: videoBytes + 1 }]],
    ["a take", [picture, take("sad", videoBytes)], [picture, take("sad", videoBytes + 1)]],
    [
      "all files together",
      [{ ...film, size: videoBytes }, take("sad", videoBytes), take("warm", rest)],
      [{ ...film, size: videoBytes }, take("sad", videoBytes), take("warm", rest + 1)],
    ],
  ])("%s may be as large as its limit and no larger", async (_label, largest, tooLarge) => {
    expect((await ask(largest)).status).toBe(201);
    expect(await refusalOf(await ask(tooLarge))).toEqual([413, "upload_too_large"]);
    expect(await countUploads()).toBe(1);
  });
});

describe("an account", () => {
  const most = limits.uploadsWaiting;

  test("has at most fifty uploads that wait, however many are asked for at once", async () => {
    const answers = await Promise.all(Array.from({ length: most + 10 }, () => ask([picture])));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(10);
    for (const answer of refused) {
      const { error } = await bodyOf(answer, structuredErrorSchema);
      expect([answer.status, error.code]).toEqual([400, "invalid_upload"]);
      expect(error.message).toContain("50 uploads");
    }
    expect(await countUploads()).toBe(most);
    expect((await ask([picture], await signIn("bea@example.com"))).status).toBe(201);
  });

  test("has room again once one is claimed or has run out, removed or not", async () => {
    for (let made = 0; made < most; made += 1) await ask([picture]);
    expect((await ask([picture])).status).toBe(400);
    await db.prepare("UPDATE uploads SET claimed_at = 1 WHERE id = (SELECT min(id) FROM uploads)").run();
    expect((await ask([picture])).status).toBe(201);
    expect((await ask([picture])).status).toBe(400);
    moveClock(limits.uploadKeptSeconds + 1);
    expect((await ask([picture])).status).toBe(201);
    expect(await countUploads()).toBe(most + 2);
  });
});

describe("uploads_unavailable", () => {
  test("is the answer where nothing can be signed", async () => {
    const headers = withKey((await makeKey(ann)).secret);
    const asked = { method: "POST", headers, body: { files: [picture] } };
    const answer = await callWith(withoutStorage, "/auth/uploads", asked);
    expect(await refusalOf(answer)).toEqual([503, "uploads_unavailable"]);
    expect(await countUploads()).toBe(0);
  });

  test("is the answer while the table fails, and no file name is logged", async () => {
    const lines = captureLog();
    await db.prepare("DROP TABLE uploads").run();
    const named = { ...picture, filename: "my-secret-name.png" };
    expect(await refusalOf(await ask([named]))).toEqual([503, "uploads_unavailable"]);
    expect(lines.join("\n")).toContain("no such table");
    expect(lines.join("\n")).not.toContain("my-secret-name");
  });
});
