import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { uploadGrantSchema } from "../../contract/uploads.ts";
import { envOf } from "../platform/env.ts";
import { keyOf } from "../testing/avatars.ts";
import { bindings, bodyOf, db, moveClock, post, signIn, type Browser } from "../testing/portal.ts";
import { startJob } from "./stills.ts";

const account = "ann@example.com";
const portalOrigin = "http://localhost:8787";
const generatorUrl = "https://stills.test/seat";
const workshop = { ...envOf(bindings), stillUrl: generatorUrl };

let ann: Browser;
beforeEach(async () => {
  ann = await signIn(account);
});

/** An upload of what begins as a PNG; nobody looks further before the generator does. */
async function upload(browser: Browser): Promise<string> {
  const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  const files = [{ field: "file", filename: "me", content_type: "image/png", size: bytes.length }];
  const grant = await bodyOf(await post("/auth/uploads", { files }, browser), uploadGrantSchema);
  const key = keyOf(grant.files[0]?.url ?? "");
  await bindings.MEDIA.put(key, bytes, { httpMetadata: { contentType: "image/png" } });
  return grant.upload_id;
}

describe("an account", () => {
  const most = limits.stillsPerHour;
  const startOf = (uploadId: string) =>
    startJob(workshop, { account, portalOrigin, request: { upload_id: uploadId } });

  test("has twenty stills an hour, however many are asked for at once", async () => {
    const uploadId = await upload(ann);
    const started = await Promise.all(Array.from({ length: most + 5 }, () => startOf(uploadId)));
    expect(started.filter(({ ok }) => ok)).toHaveLength(most);
    for (const refused of started.filter(({ ok }) => !ok)) {
      expect(refused).toMatchObject({ failure: { code: "rate_limited" }, retryAfterSeconds: 3600 });
    }
    const noted = await db.prepare("SELECT count(*) AS n FROM still_jobs").first<{ n: number }>();
    expect(noted?.n).toBe(most);
  });

  test("is told when there is room again", async () => {
    const uploadId = await upload(ann);
    expect(await startOf(uploadId)).toMatchObject({ ok: true });
    moveClock(600);
    for (let times = 1; times < most; times += 1) await startOf(uploadId);
    Object.assign(envOf(bindings), { stillUrl: generatorUrl });
    try {
      const answer = await post("/auth/seated-still", { upload_id: uploadId }, ann);
      expect(answer.headers.get("Retry-After")).toBe("3000");
      const { error } = await bodyOf(answer, structuredErrorSchema);
      expect([answer.status, error.code]).toEqual([429, "rate_limited"]);
      expect(error.message).toContain("20 seated stills an hour");
    } finally {
      Object.assign(envOf(bindings), { stillUrl: null });
    }
    moveClock(3000);
    expect(await startOf(uploadId)).toMatchObject({ ok: true });
    expect(await startOf(uploadId)).toMatchObject({ retryAfterSeconds: 600 });
  });
});
