import { beforeEach, describe, expect, test, vi } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import {
  keptAnswerSchema,
  recordingGrantSchema,
  recordingRequestSchema,
} from "../../contract/internal/sessions.ts";
import { createApp } from "../app.ts";
import { currentRecordingTerms } from "../consents/terms.ts";
import {
  asBox,
  bindings,
  bodyOf,
  call,
  db,
  moveClock,
  origin,
  signIn,
  type BoxId,
  type Browser,
} from "../testing/portal.ts";
import { ann, bea, erase, readDetail, readPage, report, tell } from "../testing/sessions.ts";
import type { Signer } from "../platform/storage.ts";
import { consentKey, recordingKey } from "./folders.ts";
import { beginRecording } from "./recordings.ts";

const media = bindings.MEDIA;
const bytes = "the bytes of a recording";
let browser: Browser;
beforeEach(async () => {
  browser = await signIn(ann);
  await report();
});

interface Asked {
  session_id?: string;
  account?: string;
  consent?: object;
  size?: number;
}

async function requestOf({ consent = {}, ...changes }: Asked = {}) {
  const { version, digest } = await currentRecordingTerms();
  return {
    session_id: "s1",
    account: ann,
    content_type: "video/mp4",
    size: bytes.length,
    sha256: "0".repeat(64),
    ...changes,
    consent: { terms_version: version, terms_digest: digest, agreed_at: 1_700_000_000, ...consent },
  };
}
const ask = async (changes: Asked = {}, boxId: BoxId = "box-a") =>
  tell("sessions/recording", await requestOf(changes), boxId);
const done = (boxId: BoxId = "box-a", account = ann) =>
  tell("sessions/recording/done", { session_id: "s1", account }, boxId);
const codeOf = async (response: Response) => {
  const { error } = await bodyOf(response, structuredErrorSchema);
  return [response.status, error.code];
};
const store = async (body = bytes, contentType = "video/mp4") =>
  media.put(recordingKey("s1"), body, { httpMetadata: { contentType } });

async function record(): Promise<void> {
  expect((await ask()).status).toBe(200);
  await store();
  expect(await bodyOf(await done(), keptAnswerSchema)).toEqual({ ok: true });
}
const hasRecording = async () => (await readPage(browser)).sessions[0]?.has_recording;

describe("a recording", () => {
  test("is granted one PUT under the session's folder, its type and length signed", async () => {
    const { url, headers } = await bodyOf(await ask(), recordingGrantSchema);
    expect(new URL(url).pathname).toMatch(/\/visavis-media\/sessions\/s1\/recording\.mp4$/);
    expect(new URL(url).searchParams.get("X-Amz-SignedHeaders")).toBe("content-length;content-type;host");
    expect(headers).toEqual({ "Content-Type": "video/mp4" });
    expect(url).not.toContain("example.com");
    expect(await hasRecording()).toBe(false);
  });

  test("shows once it has arrived, with the agreement beside it", async () => {
    await record();
    expect(await hasRecording()).toBe(true);
    const { recording, consent } = await readDetail(browser);
    expect(new URL(recording ?? "").pathname).toContain("/s1/recording.mp4");
    expect(new URL(recording ?? "").searchParams.get("X-Amz-Expires")).toBe("900");
    expect(new URL(consent ?? "").pathname).toContain("/s1/consent.json");
    const kept = await media.get(consentKey("s1"));
    const { version, digest } = await currentRecordingTerms();
    expect(await kept?.json()).toEqual({
      session_id: "s1",
      terms_version: version,
      terms_digest: digest,
      agreed_at: 1_700_000_000,
      recording: { sha256: "0".repeat(64), size_bytes: bytes.length, content_type: "video/mp4" },
    });
  });

  test("may be said to have arrived again, and be granted anew", async () => {
    await record();
    expect((await done()).status).toBe(200);
    moveClock(60);
    expect((await ask({ size: 3 })).status).toBe(200);
    expect(await hasRecording()).toBe(false);
    await store("abc");
    expect((await done()).status).toBe(200);
    expect(await hasRecording()).toBe(true);
  });

  test.each<[string, object]>([
    ["version", { terms_version: "2001-01-01" }],
    ["digest", { terms_digest: "f".repeat(64) }],
  ])("is granted only under the terms: another %s is terms_outdated", async (_label, consent) => {
    expect(await codeOf(await ask({ consent }))).toEqual([409, "terms_outdated"]);
    expect(await codeOf(await done())).toEqual([404, "session_not_found"]);
  });

  test("is granted under terms that were replaced after the person agreed to them, and under no others", async () => {
    const before = { version: "2026-01-01", digest: "e".repeat(64), replacedAt: 1_800_000_000 };
    const signer: Signer = {
      put: (key) => Promise.resolve({ url: key, method: "PUT", headers: {}, expires_in: 900 }),
      get: (key) => Promise.resolve(key),
    };
    const granted = async (consent: object, earlierTerms?: (typeof before)[]) => {
      const named = {
        terms_version: before.version,
        terms_digest: before.digest,
        agreed_at: before.replacedAt,
      };
      const request = recordingRequestSchema.parse(await requestOf({ consent: { ...named, ...consent } }));
      const outcome = await beginRecording(db, "box-a", {
        request,
        signer,
        ...(earlierTerms && { earlierTerms }),
      });
      return outcome.ok || outcome.failure.code;
    };
    expect(await granted({}, [before])).toBe(true);
    expect(await granted({ agreed_at: before.replacedAt - 86_400 }, [before])).toBe(true);
    expect(await granted({ agreed_at: before.replacedAt + 86_400 }, [before])).toBe("terms_outdated");
    expect(await granted({ terms_digest: "d".repeat(64) }, [before])).toBe("terms_outdated");
    expect(await granted({ terms_version: "2026-01-02" }, [before])).toBe("terms_outdated");
    expect(await granted({})).toBe("terms_outdated");
    const row = await db
      .prepare("SELECT terms_version, terms_digest FROM recordings WHERE session_id = 's1'")
      .first();
    expect(row).toEqual({ terms_version: before.version, terms_digest: before.digest });
  });

  test("is granted only to the box that holds the session, for its account", async () => {
    const refused = [404, "session_not_found"];
    expect(await codeOf(await ask({}, "box-b"))).toEqual(refused);
    expect(await codeOf(await ask({ account: bea }))).toEqual(refused);
    expect(await codeOf(await ask({ session_id: "s2" }))).toEqual(refused);
    await ask();
    await store();
    expect(await codeOf(await done("box-b"))).toEqual(refused);
    expect(await codeOf(await done("box-a", bea))).toEqual(refused);
    expect(await hasRecording()).toBe(false);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["that never came", async () => undefined],
    ["of another size", () => store("short")],
    ["of another type", () => store(bytes, "text/html")],
  ])("%s does not count", async (_label, put) => {
    await ask();
    await put();
    expect(await codeOf(await done())).toEqual([404, "unknown_upload"]);
    expect(await hasRecording()).toBe(false);
    expect(await media.head(consentKey("s1"))).toBeNull();
  });

  test.each([0, 6 * 1024 ** 3, 1.5])("of %d bytes is refused", async (size) => {
    expect(await codeOf(await ask({ size }))).toEqual([400, "invalid_body"]);
  });

  test("of a session that was erased meanwhile is not taken", async () => {
    await ask();
    await erase(browser);
    await store();
    expect(await codeOf(await done())).toEqual([404, "session_not_found"]);
    expect(await codeOf(await ask())).toEqual([404, "session_not_found"]);
  });

  test("of an avatar that was erased meanwhile is not taken", async () => {
    await db
      .prepare(
        "INSERT INTO erasures (id, account, avatar_id, erased_at, registry_pending) VALUES ('e', ?, 'ada', ?, 0)",
      )
      .bind(ann, Math.floor(Date.now() / 1000) + 1)
      .run();
    expect(await codeOf(await ask())).toEqual([404, "session_not_found"]);
  });
});

describe("the detail of a recorded session", () => {
  beforeEach(record);

  test("has null for a file that is gone", async () => {
    await media.delete(recordingKey("s1"));
    const { recording, consent, session } = await readDetail(browser);
    expect([recording, consent === null, session.has_recording]).toEqual([null, false, true]);
  });

  test("has links although the storage does not say whether the files are there", async () => {
    vi.spyOn(Object.getPrototypeOf(media) as R2Bucket, "head").mockRejectedValue(new Error("storage is out"));
    const { recording, consent } = await readDetail(browser);
    expect([typeof recording, typeof consent]).toEqual(["string", "string"]);
  });
});

describe("a portal that cannot sign", () => {
  const unsigned = { ...bindings, ENVIRONMENT: "production", PORTAL_URL: origin, MAIL: "none" };
  const send = (path: string, init: RequestInit) =>
    createApp().fetch(new Request(origin + path, init), unsigned);

  test("answers the detail without links, and grants no recording", async () => {
    await record();
    const detail = await send("/auth/sessions/s1", { headers: browser });
    expect(detail.status).toBe(200);
    expect(await detail.json()).toMatchObject({
      recording: null,
      consent: null,
      session: { has_recording: true },
    });
    const answer = await send("/internal/sessions/recording", {
      method: "POST",
      headers: asBox("box-a"),
      body: JSON.stringify(await requestOf()),
    });
    expect(await codeOf(answer)).toEqual([503, "media_unavailable"]);
  });
});

describe("faults", () => {
  test("storage that fails leaves the recording for another try", async () => {
    await ask();
    await store();
    const prototype = Object.getPrototypeOf(media) as R2Bucket;
    for (const method of ["head", "put"] as const) {
      const broken = vi.spyOn(prototype, method).mockRejectedValue(new Error("storage is out"));
      expect(await codeOf(await done())).toEqual([503, "media_unavailable"]);
      expect(await hasRecording()).toBe(false);
      broken.mockRestore();
    }
    expect((await done()).status).toBe(200);
  });

  test("a store that fails is sessions_unavailable", async () => {
    await ask();
    await store();
    await db.prepare("ALTER TABLE recordings RENAME TO out_of_reach").run();
    expect(await codeOf(await ask())).toEqual([503, "sessions_unavailable"]);
    expect(await codeOf(await done())).toEqual([503, "sessions_unavailable"]);
    await db.prepare("ALTER TABLE out_of_reach RENAME TO recordings").run();
    expect((await done()).status).toBe(200);
    expect(await call("/auth/sessions/s1", { headers: browser })).toHaveProperty("status", 200);
  });
});
