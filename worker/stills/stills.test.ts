import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { stillJobSchema, stillStartedSchema, type StillJob } from "../../contract/stills.ts";
import { uploadGrantSchema } from "../../contract/uploads.ts";
import { cleanUp } from "../cleanup.ts";
import { envOf, parseEnv } from "../platform/env.ts";
import { encodePng } from "../platform/png.ts";
import {
  bindings,
  bodyOf,
  call,
  captureLog,
  db,
  jsonOf,
  makeKey,
  mintToken,
  moveClock,
  post,
  signIn,
  withKey,
  type Browser,
} from "../testing/portal.ts";
import { removeOldJobs, resumeJobs, runJob, startJob } from "./stills.ts";

const media = bindings.MEDIA;
const generatorUrl = "https://stills.test/seat";
const account = "ann@example.com";
const portalOrigin = "http://localhost:8787";
const day = 24 * 3600;
const silence = 5 * 60;
let picture: Uint8Array<ArrayBuffer>;
let image: string;
let ann: Browser;

const env = (changes: Partial<ReturnType<typeof parseEnv>> = {}) => ({
  ...parseEnv(bindings),
  stillUrl: generatorUrl,
  ...changes,
});

beforeAll(async () => {
  picture = await encodePng({ width: 2, height: 1, data: Uint8Array.of(255, 0, 0, 0, 0, 255) });
  image = btoa(String.fromCharCode(...picture));
});

beforeEach(async () => {
  ann = await signIn(account);
});

interface Asked {
  url: string;
  body: Record<string, unknown>;
}

/** Answers for the generator; what it was asked is in the returned list. */
function serveGenerator(answer: () => Response | Promise<Response>): Asked[] {
  const asked: Asked[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    asked.push({ url: String(input), body: JSON.parse(String(init?.body)) as Record<string, unknown> });
    return answer();
  });
  return asked;
}

const seated = () => Response.json({ image, identity_checked: true, identity_score: 0.83 });

interface Photograph {
  type?: string;
  size?: number;
  bytes?: Uint8Array<ArrayBuffer>;
}

/** An upload as a client makes it; the PUT goes to the bucket itself. */
async function upload({
  type = "image/png",
  bytes = picture,
  size = bytes.length,
}: Photograph = {}): Promise<string> {
  const files = [{ field: "file", filename: "me", content_type: type, size }];
  const answer = await post("/auth/uploads", { files }, ann);
  const grant = await bodyOf(answer, uploadGrantSchema);
  const key = new URL(grant.files[0]!.url).pathname.split("/visavis-media/")[1]!;
  await media.put(key, bytes, { httpMetadata: { contentType: type } });
  return grant.upload_id;
}

/** A job that its Worker has noted and not begun. */
async function noteJob(request: object = {}): Promise<string> {
  const uploadId = await upload();
  const started = await startJob(env(), {
    account,
    portalOrigin,
    request: { upload_id: uploadId, ...request },
  });
  if (!started.ok) throw new Error(started.failure.code);
  return started.value;
}

const poll = (id: string, browser: Record<string, string> = ann) =>
  call(`/auth/seated-still/${id}`, { headers: browser });
const jobOf = async (id: string): Promise<StillJob> => bodyOf(await poll(id), stillJobSchema);
const rowOf = (id: string) => db.prepare("SELECT * FROM still_jobs WHERE id = ?").bind(id).first();
const keyOf = (id: string) => `stills/${id}.png`;

async function refusal(response: Response): Promise<[number, string]> {
  return [response.status, (await bodyOf(response, structuredErrorSchema)).error.code];
}

describe("starting", () => {
  test("where no generator is configured it is unavailable", async () => {
    const uploadId = await upload();
    const answer = await post("/auth/seated-still", { upload_id: uploadId }, ann);
    expect(await refusal(answer)).toEqual([503, "seated_still_unavailable"]);
  });

  test("where nothing can be signed it is unavailable as well", async () => {
    const order = { account, portalOrigin, request: { upload_id: await upload() } };
    const started = await startJob(env({ s3: null }), order);
    expect(started).toMatchObject({ ok: false, failure: { code: "seated_still_unavailable" } });
  });

  test("bodies that are wrong are refused in the structured envelope", async () => {
    const wrong = [
      {},
      { upload_id: "" },
      { upload_id: 7 },
      { upload_id: "x".repeat(65) },
      { upload_id: "x", note: "n".repeat(2001) },
      { upload_id: "x", look: "grey" },
      { upload_id: "x", look: { outfit: 3 } },
      { upload_id: "x", look: { outfit: "o".repeat(501) } },
      { upload_id: "x", owner: "somebody" },
      "[]",
      "{",
    ];
    for (const body of wrong) {
      expect(await refusal(await post("/auth/seated-still", body, ann))).toEqual([400, "invalid_body"]);
    }
  });

  const start = async (uploadId: string, who = account) => {
    const started = await startJob(env(), { account: who, portalOrigin, request: { upload_id: uploadId } });
    return started.ok ? "ok" : started.failure.code;
  };

  test("PNG and JPEG are taken", async () => {
    expect(await start(await upload())).toBe("ok");
    const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0);
    expect(await start(await upload({ type: "image/jpeg", bytes: jpeg }))).toBe("ok");
  });

  test("a video, or bytes that are not what was granted, are invalid_upload", async () => {
    const video = Uint8Array.of(0, 0, 0, 16, 0x66, 0x74, 0x79, 0x70, 0, 0, 0, 0, 0, 0, 0, 0);
    expect(await start(await upload({ type: "video/mp4", bytes: video }))).toBe("invalid_upload");
    expect(await start(await upload({ bytes: new Uint8Array(20) }))).toBe("invalid_upload");
    expect(await start(await upload({ size: picture.length + 1 }))).toBe("invalid_upload");
  });

  test("an upload that is missing, somebody else's or not there yet is unknown_upload", async () => {
    const uploadId = await upload();
    expect(await start(crypto.randomUUID())).toBe("unknown_upload");
    expect(await start(uploadId, "bob@example.com")).toBe("unknown_upload");
    await media.delete((await media.list({ prefix: "uploads/" })).objects.map(({ key }) => key));
    expect(await start(uploadId)).toBe("unknown_upload");
    expect((await db.prepare("SELECT count(*) AS n FROM still_jobs").first())?.n).toBe(0);
  });

  test("stream-only tokens are turned away; a full key may poll", async () => {
    const key = await makeKey(ann);
    const token = await mintToken(key.secret);
    const refused = await post("/auth/seated-still", { upload_id: "x" }, withKey(token));
    expect([refused.status, (await jsonOf(refused)).code]).toEqual([401, "insufficient_scope"]);
    expect((await post("/auth/seated-still", { upload_id: "x" })).status).toBe(401);
    expect((await poll(await noteJob(), withKey(key.secret))).status).toBe(200);
    const started = await post("/auth/seated-still", { upload_id: "x" }, withKey(key.secret));
    expect(await refusal(started)).toEqual([503, "seated_still_unavailable"]);
  });
});

describe("a job", () => {
  test("is answered at once and goes on behind the answer", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    serveGenerator(async () => {
      await held;
      return seated();
    });
    const uploadId = await upload();
    // The tests' bindings name no generator, so the address is put in for this one request.
    const settings = parseEnv(bindings);
    expect(settings.stillUrl).toBeNull();
    Object.assign(envOf(bindings), { stillUrl: generatorUrl });
    try {
      const answer = await post("/auth/seated-still", { upload_id: uploadId, note: "by a window" }, ann);
      expect(answer.status).toBe(202);
      const { job_id: id } = await bodyOf(answer, stillStartedSchema);
      await expect.poll(async () => (await jobOf(id)).state).toBe("running");
      release();
      await expect.poll(async () => (await jobOf(id)).state).toBe("done");
    } finally {
      Object.assign(envOf(bindings), { stillUrl: null });
    }
  });

  test("hands the generator the photograph's signed URL, the note and the look, and keeps its PNG", async () => {
    const asked = serveGenerator(seated);
    const id = await noteJob({ note: "by a window", look: { outfit: "a grey jacket" } });
    expect(await jobOf(id)).toEqual({ state: "pending" });
    await runJob(env(), id);
    expect(asked).toHaveLength(1);
    const { url, body } = asked[0]!;
    expect(url).toBe(generatorUrl);
    expect(Object.keys(body).toSorted()).toEqual(["image_url", "look", "note"]);
    expect(body).toMatchObject({ note: "by a window", look: { outfit: "a grey jacket" } });
    expect(body.image_url).toMatch(/\/visavis-media\/uploads\/.*X-Amz-Signature=/);
    const stored = await media.get(keyOf(id));
    expect(new Uint8Array((await stored?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(picture);
    expect(stored?.httpMetadata?.contentType).toBe("image/png");
    const done = await jobOf(id);
    expect(done).toMatchObject({ state: "done", identity_checked: true, identity_score: 0.83 });
    const path = done.state === "done" ? new URL(done.image_url).pathname : "";
    expect(path.endsWith(`/visavis-media/${keyOf(id)}`)).toBe(true);
  });

  test("says so when nobody compared the faces", async () => {
    serveGenerator(() => Response.json({ image }));
    const id = await noteJob();
    await runJob(env(), id);
    expect(await jobOf(id)).toMatchObject({ identity_checked: false, identity_score: null });
  });

  test.each(["not_the_same_person", "bad_request", "generation_failed"] as const)(
    "that the generator refuses as %s has failed, in our words",
    async (error) => {
      serveGenerator(() => Response.json({ error, message: "words of the upstream" }));
      const id = await noteJob();
      await runJob(env(), id);
      const job = await jobOf(id);
      expect(job).toMatchObject({ state: "failed", error });
      expect(JSON.stringify(job)).not.toContain("upstream");
    },
  );

  test.each<[string, () => Response | Promise<Response>]>([
    ["answers 500", () => new Response("words of the upstream", { status: 500 })],
    [
      "redirects",
      () => new Response(null, { status: 302, headers: { Location: "https://elsewhere.test/" } }),
    ],
    ["answers nothing", () => new Response(null)],
    ["answers no JSON", () => new Response("<html>")],
    ["answers something else", () => Response.json({ picture: image })],
    ["invents an error", () => Response.json({ error: "out_of_cheese", message: "" })],
    ["sends no base64", () => Response.json({ image: "%%%" })],
    ["sends no PNG", () => Response.json({ image: btoa("GIF89a") })],
    ["scores past 1", () => Response.json({ image, identity_score: 7 })],
    ["sends too much", () => new Response(new Uint8Array(8 * 1024 * 1024 + 1))],
    ["cannot be reached", () => Promise.reject(new TypeError("connect failed"))],
  ])("whose generator %s has failed", async (_what, answer) => {
    captureLog();
    serveGenerator(answer);
    const id = await noteJob();
    await runJob(env(), id);
    expect(await jobOf(id)).toMatchObject({ state: "failed", error: "generation_failed" });
    expect(await media.head(keyOf(id))).toBeNull();
  });

  test("gives the generator two minutes", async () => {
    captureLog();
    const id = await noteJob();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => AbortSignal.abort());
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_url, init) => {
      init?.signal?.throwIfAborted();
      return seated();
    });
    await runJob(env(), id);
    expect(timeout).toHaveBeenCalledWith(120_000);
    expect(await jobOf(id)).toMatchObject({ state: "failed", error: "generation_failed" });
  });

  test("never runs twice at once", async () => {
    const asked = serveGenerator(seated);
    const id = await noteJob();
    await Promise.all(Array.from({ length: 8 }, () => runJob(env(), id)));
    await runJob(env(), id);
    expect(asked).toHaveLength(1);
    expect(await rowOf(id)).toMatchObject({ tries: 1, state: "done" });
  });

  test("of somebody else, and one that never was, answer alike", async () => {
    const id = await noteJob();
    const bob = await signIn("bob@example.com");
    const [foreign, missing] = await Promise.all([poll(id, bob), poll(crypto.randomUUID(), bob)]);
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    const body = await jsonOf(foreign);
    expect(body).toMatchObject({ error: { code: "unknown_job" } });
    expect(body).toEqual(await jsonOf(missing));
  });

  test("older than a day is unknown, whether or not it has been removed", async () => {
    serveGenerator(seated);
    const id = await noteJob();
    await runJob(env(), id);
    moveClock(day - 60);
    expect((await poll(id)).status).toBe(200);
    moveClock(61);
    expect(await refusal(await poll(id))).toEqual([404, "unknown_job"]);
    expect(await media.head(keyOf(id))).not.toBeNull();
    await cleanUp(env());
    expect(await media.head(keyOf(id))).toBeNull();
    expect(await rowOf(id)).toBeNull();
  });
});

describe("a job whose Worker died", () => {
  test("is begun again after five minutes, and not before", async () => {
    const asked = serveGenerator(seated);
    const pending = await noteJob();
    const running = await noteJob();
    await db.prepare("UPDATE still_jobs SET state = 'running', tries = 1 WHERE id = ?").bind(running).run();
    moveClock(silence - 5);
    await resumeJobs(env());
    expect(asked).toEqual([]);
    moveClock(10);
    await Promise.all([cleanUp(env()), resumeJobs(env())]);
    expect(asked).toHaveLength(2);
    expect([(await jobOf(pending)).state, (await jobOf(running)).state]).toEqual(["done", "done"]);
    expect(await rowOf(running)).toMatchObject({ tries: 2 });
  });

  test("waits for the one before it, so that one answer at a time is in memory", async () => {
    const ids = [await noteJob(), await noteJob(), await noteJob()];
    let now = 0;
    let most = 0;
    serveGenerator(async () => {
      most = Math.max(most, ++now);
      await scheduler.wait(5);
      now -= 1;
      return seated();
    });
    moveClock(silence + 1);
    await resumeJobs(env());
    expect(most).toBe(1);
    for (const id of ids) expect((await jobOf(id)).state).toBe("done");
  });

  test("has failed once three tries have died", async () => {
    const asked = serveGenerator(seated);
    const id = await noteJob();
    await db.prepare("UPDATE still_jobs SET state = 'running', tries = 3 WHERE id = ?").bind(id).run();
    moveClock(silence + 1);
    await resumeJobs(env());
    expect(asked).toEqual([]);
    expect(await jobOf(id)).toMatchObject({ state: "failed", error: "generation_failed" });
  });

  test("cannot overwrite what a later try made of it", async () => {
    const id = await noteJob();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let calls = 0;
    serveGenerator(async () => {
      calls += 1;
      if (calls > 1) return seated();
      await held;
      return Response.json({ error: "bad_request", message: "" });
    });
    const first = runJob(env(), id);
    await expect.poll(() => calls).toBe(1);
    moveClock(silence + 1);
    await resumeJobs(env());
    release();
    await first;
    expect(await jobOf(id)).toMatchObject({ state: "done" });
  });

  test("has failed as bad_request when its photograph has gone", async () => {
    const asked = serveGenerator(seated);
    const id = await noteJob();
    await media.delete((await media.list({ prefix: "uploads/" })).objects.map(({ key }) => key));
    await runJob(env(), id);
    expect(asked).toEqual([]);
    expect(await jobOf(id)).toMatchObject({ state: "failed", error: "bad_request" });
  });
});

describe("when a store fails", () => {
  test("and the picture cannot be kept, the job is begun again and loses nothing", async () => {
    captureLog();
    serveGenerator(seated);
    const id = await noteJob();
    const put = vi.spyOn(media, "put").mockRejectedValue(new Error("out"));
    await runJob(env(), id);
    expect(await jobOf(id)).toEqual({ state: "running" });
    put.mockRestore();
    moveClock(silence + 1);
    await resumeJobs(env());
    expect((await jobOf(id)).state).toBe("done");
  });

  test("and the photograph cannot be opened, the job is begun again", async () => {
    captureLog();
    serveGenerator(seated);
    const id = await noteJob();
    const head = vi.spyOn(media, "head").mockRejectedValue(new Error("out"));
    await runJob(env(), id);
    expect(await jobOf(id)).toEqual({ state: "running" });
    head.mockRestore();
    moveClock(silence + 1);
    await resumeJobs(env());
    expect((await jobOf(id)).state).toBe("done");
  });

  test("and the table is out of reach, the job stays as it was and nothing is logged of the note", async () => {
    serveGenerator(seated);
    const id = await noteJob({ note: "Quillfeather" });
    const lines = captureLog();
    await db.exec("ALTER TABLE still_jobs RENAME TO lost");
    await runJob(env(), id);
    await db.exec("ALTER TABLE lost RENAME TO still_jobs");
    expect(lines.join("\n")).toContain("still_job");
    expect(lines.join("\n")).not.toContain("Quillfeather");
    expect(await jobOf(id)).toEqual({ state: "pending" });
  });

  test("and storage keeps an old picture, its row stays until the picture goes", async () => {
    serveGenerator(seated);
    const id = await noteJob();
    await runJob(env(), id);
    moveClock(day + 1);
    const broken = { delete: () => Promise.reject(new Error("out")) } as unknown as R2Bucket;
    await expect(removeOldJobs({ db, media: broken })).rejects.toThrow("out");
    expect(await rowOf(id)).not.toBeNull();
    await removeOldJobs(env());
    expect(await rowOf(id)).toBeNull();
  });
});
