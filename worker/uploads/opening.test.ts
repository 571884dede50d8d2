import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { uploadClaimAnswerSchema } from "../../contract/internal/avatars.ts";
import { limits } from "../../contract/limits.ts";
import { uploadGrantSchema, type UploadRequest, type UploadType } from "../../contract/uploads.ts";
import { cleanUp } from "../cleanup.ts";
import { envOf } from "../platform/env.ts";
import { callWith, withoutStorage } from "../testing/altered.ts";
import { brokenMedia } from "../testing/avatars.ts";
import {
  asBox,
  bindings,
  bodyOf,
  captureLog,
  db,
  moveClock,
  post,
  signIn,
  type Browser,
} from "../testing/portal.ts";
import { openUpload } from "./uploads.ts";

const account = "ann@example.com";
const media = bindings.MEDIA;
const env = envOf(bindings);

let ann: Browser;
beforeEach(async () => {
  ann = await signIn(account);
});

const bytesOf = (...parts: (string | number[])[]) =>
  new Uint8Array(
    parts.flatMap((part) => (typeof part === "string" ? [...new TextEncoder().encode(part)] : part)),
  );
/** The beginnings that RFC 2083, T.81, ISO/IEC 14496-12 and RFC 8794 give. */
const beginnings: Record<UploadType, Uint8Array<ArrayBuffer>> = {
  "image/png": bytesOf([0x89], "PNG\r\n", [0x1a], "\n", [0, 0, 0, 13], "IHDR and more"),
  "image/jpeg": bytesOf([0xff, 0xd8, 0xff]),
  "video/mp4": bytesOf([0, 0, 0, 24], "ftypisom", [0, 0, 2, 0]),
  "video/quicktime": bytesOf([0, 0, 0, 20], "ftypqt  ", [0, 0, 0, 0], "qt  "),
  "video/webm": bytesOf([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x86]),
};
const types = Object.keys(beginnings) as UploadType[];

interface Sent {
  type: UploadType;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Asks for a grant of files of these sizes and types; the first is the `file`. */
async function grant(sent: Sent[]): Promise<string> {
  const files: UploadRequest["files"] = sent.map(({ type, bytes }, at) => ({
    field: at === 0 ? "file" : at === 1 ? "take__warm" : `take__warm__${at - 1}`,
    filename: `${at}.bin`,
    content_type: type,
    size: bytes.length,
  }));
  const answer = await post("/auth/uploads", { files }, ann);
  return (await bodyOf(answer, uploadGrantSchema)).upload_id;
}

const put = (uploadId: string, at: number, { type, bytes }: Sent) =>
  media.put(`uploads/${uploadId}/${at}`, bytes, { httpMetadata: { contentType: type } });

async function upload(...sent: Sent[]): Promise<string> {
  const uploadId = await grant(sent);
  await Promise.all(sent.map((one, at) => put(uploadId, at, one)));
  return uploadId;
}

const of = (type: UploadType): Sent => ({ type, bytes: beginnings[type] });
const png = of("image/png");
const objectsOf = async (uploadId: string) =>
  (await media.list({ prefix: `uploads/${uploadId}/` })).objects.length;
const codeOf = async (uploadId: string, by = account, stores = env) => {
  const outcome = await openUpload(stores, { account: by, uploadId });
  return outcome.ok ? "ok" : outcome.failure.code;
};

describe("opening an upload", () => {
  test.each(types)("answers a whole %s", async (type) => {
    const sent = type.startsWith("image/") ? [of(type)] : [of(type), of(type)];
    const uploadId = await upload(...sent);
    const opened = await openUpload(env, { account, uploadId });
    expect(opened).toMatchObject({
      ok: true,
      value: {
        uploadId,
        files: sent.map((_one, at) => ({
          field: at === 0 ? "file" : "take__warm",
          contentType: type,
          size: beginnings[type].length,
          key: `uploads/${uploadId}/${at}`,
        })),
      },
    });
  });

  const others = types.flatMap((granted) =>
    types
      .filter((sent) => sent !== granted && !(granted.startsWith("video/m") && sent === "video/quicktime"))
      .filter((sent) => !(granted === "video/quicktime" && sent === "video/mp4"))
      .map((sent) => [granted, sent] as const),
  );
  test.each(others)("refuses as %s what begins as %s", async (granted, sent) => {
    expect(await codeOf(await upload({ type: granted, bytes: beginnings[sent] }))).toBe("invalid_upload");
  });

  test("refuses a file shorter than any beginning", async () => {
    const uploadId = await upload({ type: "image/png", bytes: beginnings["image/png"].slice(0, 4) });
    expect(await codeOf(uploadId)).toBe("invalid_upload");
  });

  test.each<[string, Sent]>([
    ["size", { ...png, bytes: bytesOf([...png.bytes], "more") }],
    ["content type", { ...png, type: "image/jpeg" }],
  ])("refuses another %s than was granted, and removes every file of it", async (_label, sent) => {
    const uploadId = await grant([png, of("video/mp4")]);
    await put(uploadId, 0, sent);
    await put(uploadId, 1, of("video/mp4"));
    expect(await codeOf(uploadId)).toBe("invalid_upload");
    expect(await objectsOf(uploadId)).toBe(0);
    expect(await codeOf(uploadId)).toBe("unknown_upload");
    await put(uploadId, 0, png);
    await put(uploadId, 1, of("video/mp4"));
    expect(await codeOf(uploadId)).toBe("ok");
  });

  test("knows none that is missing, somebody else's, not wholly there or a day old", async () => {
    expect(await codeOf("nobody")).toBe("unknown_upload");
    const uploadId = await grant([png, of("video/webm")]);
    expect(await codeOf(uploadId)).toBe("unknown_upload");
    await put(uploadId, 0, png);
    expect(await codeOf(uploadId)).toBe("unknown_upload");
    await put(uploadId, 1, of("video/webm"));
    expect(await codeOf(uploadId)).toBe("ok");
    expect(await codeOf(uploadId, "bea@example.com")).toBe("unknown_upload");
    moveClock(limits.uploadKeptSeconds - 5);
    expect(await codeOf(uploadId)).toBe("ok");
    moveClock(10);
    expect(await codeOf(uploadId)).toBe("unknown_upload");
  });

  test("says so when storage or the table fails, and loses nothing", async () => {
    const uploadId = await upload(png);
    expect(await codeOf(uploadId, account, { ...env, media: brokenMedia })).toBe("uploads_unavailable");
    expect(await codeOf(uploadId)).toBe("ok");
    await db.prepare("ALTER TABLE uploads RENAME TO lost").run();
    expect(await codeOf(uploadId)).toBe("uploads_unavailable");
    await db.prepare("ALTER TABLE lost RENAME TO uploads").run();
    expect(await codeOf(uploadId)).toBe("ok");
  });

  test("refuses a wrong file even when it cannot be removed", async () => {
    const uploadId = await upload({ type: "image/png", bytes: beginnings["image/jpeg"] });
    const lines = captureLog();
    const stuck = new Proxy(media, {
      get: (target, name) => {
        if (name === "delete") return () => Promise.reject(new Error("out of order"));
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    expect(await codeOf(uploadId, account, { ...env, media: stuck })).toBe("invalid_upload");
    expect(lines.join("\n")).toContain("upload_discard");
  });
});

const claim = (uploadId: string, by = account) =>
  post("/internal/uploads/claim", { account: by, upload_id: uploadId }, asBox("box-a"));
const refusalOf = async (response: Response) => [
  response.status,
  (await bodyOf(response, structuredErrorSchema)).error.code,
];

describe("a box's claim", () => {
  test("answers where to fetch each file, once", async () => {
    const uploadId = await upload(png, of("video/mp4"));
    const { files } = await bodyOf(await claim(uploadId), uploadClaimAnswerSchema);
    expect(files).toMatchObject([
      { field: "file", filename: "0.bin", content_type: "image/png", size: png.bytes.length },
      { field: "take__warm", filename: "1.bin", content_type: "video/mp4" },
    ]);
    for (const [at, { url }] of files.entries()) {
      expect(new URL(url).pathname).toMatch(new RegExp(`/uploads/${uploadId}/${at}$`));
      expect(new URL(url).searchParams.get("X-Amz-Expires")).toBe("900");
    }
    expect(await refusalOf(await claim(uploadId))).toEqual([404, "unknown_upload"]);
    expect(await codeOf(uploadId)).toBe("ok");
  });

  test("is one box's, however many ask at once", async () => {
    const uploadId = await upload(png);
    const answers = await Promise.all(Array.from({ length: 20 }, () => claim(uploadId)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 404)]);
  });

  test("fails as opening does, and leaves the upload to be claimed", async () => {
    const uploadId = await grant([png]);
    for (const [id, by] of [
      ["nobody", account],
      [uploadId, "bea@example.com"],
      [uploadId, account],
    ] as const) {
      expect(await refusalOf(await claim(id, by))).toEqual([404, "unknown_upload"]);
    }
    await put(uploadId, 0, of("image/jpeg"));
    expect(await refusalOf(await claim(uploadId))).toEqual([400, "invalid_upload"]);
    await put(uploadId, 0, png);
    const body = { account, upload_id: uploadId };
    const asked = { method: "POST", headers: asBox("box-a"), body };
    for (const changes of [{ MEDIA: brokenMedia }, withoutStorage]) {
      const answer = await callWith(changes, "/internal/uploads/claim", asked);
      expect(await refusalOf(answer)).toEqual([503, "uploads_unavailable"]);
    }
    expect((await claim(uploadId)).status).toBe(200);
  });
});

test("the clean-up removes uploads that have run out, with their files, and no others", async () => {
  const old = await upload(png);
  moveClock(limits.uploadKeptSeconds - 60);
  const young = await upload(png);
  moveClock(120);
  captureLog();
  await cleanUp({ ...env, media: brokenMedia });
  expect(await objectsOf(old)).toBe(1);
  await cleanUp(env);
  expect([await objectsOf(old), await objectsOf(young)]).toEqual([0, 1]);
  expect((await db.prepare("SELECT id FROM uploads").all()).results).toEqual([{ id: young }]);
  expect((await db.prepare("SELECT count(*) AS n FROM media_removals").first<{ n: number }>())?.n).toBe(0);
});
