import { beforeAll, describe, expect, test, vi } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { portraitSchema, type Portrait } from "../../contract/portraits.ts";
import { cleanUp } from "../cleanup.ts";
import { limits } from "../../contract/limits.ts";
import { sha256Hex } from "../platform/digest.ts";
import { parseEnv, type Bindings } from "../platform/env.ts";
import { encodePng, inspectPng } from "../platform/png.ts";
import { plansOf } from "../testing/plans.ts";
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
import { insertPortrait, listEnded } from "./store.ts";
import { createPortrait, removeUnapproved, unapprovedSeconds } from "./portraits.ts";

const persona = "A quiet archivist with a silver bun, Zanzibarine Quillfeather";
const media = bindings.MEDIA;
const env = () => parseEnv(bindings);
const generatorUrl = "https://pictures.test/draw";
let picture: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  picture = await encodePng({ width: 2, height: 1, data: Uint8Array.of(255, 0, 0, 0, 0, 255) });
});

/** Lets one generator answer for all; what it was asked is in the returned list. */
function serveGenerator(answer: () => Response | Promise<Response> = () => new Response(picture)): unknown[] {
  const asked: unknown[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    asked.push({ url: String(input), method: init?.method, body: JSON.parse(String(init?.body)) as unknown });
    return answer();
  });
  return asked;
}

const signer = {
  get: (key: string) => Promise.resolve(`https://signed.test/${key}`),
  put: () => Promise.reject(new Error()),
};
const studio = (changes: Partial<ReturnType<typeof env>> = {}) => ({
  ...env(),
  portraitUrl: generatorUrl,
  ...changes,
});
const account = "ann@example.com";

async function draw(): Promise<Portrait> {
  serveGenerator();
  const made = await createPortrait(studio(), signer, { account, persona });
  vi.restoreAllMocks();
  if (!made.ok) throw new Error(made.failure.code);
  return made.value;
}

const portraitOf = async (response: Response) => (await bodyOf(response, portraitSchema)).portrait;
const keyOf = (id: string) => `portraits/${id}.png`;
const rows = async () => (await db.prepare("SELECT * FROM portraits").all()).results;

describe("over the wire", () => {
  test(
    "a persona becomes an illustrated face, drawn in the Worker without a network",
    { timeout: 120_000 },
    async () => {
      const ann = await signIn(account);
      const network = vi.spyOn(globalThis, "fetch");
      const lines = captureLog();
      const answer = await post("/auth/portraits", { persona: `  ${persona} ` }, ann);
      expect(answer.status).toBe(201);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      const portrait = await portraitOf(answer);
      expect(portrait).toMatchObject({
        persona,
        attempt: 1,
        parent_id: null,
        approved_at: null,
        expires_in: 900,
      });
      expect(network).not.toHaveBeenCalled();
      const key = keyOf(portrait.portrait_id);
      expect(new URL(portrait.image_url).pathname.endsWith(`/visavis-media/${key}`)).toBe(true);
      const stored = await media.get(key);
      expect(stored?.httpMetadata?.contentType).toBe("image/png");
      const bytes = new Uint8Array((await stored?.arrayBuffer()) ?? new ArrayBuffer());
      expect(inspectPng(bytes)).toEqual({ width: 640, height: 640 });
      expect(await sha256Hex(bytes)).toBe(portrait.sha256);
      expect(lines.join("\n")).not.toContain("Quillfeather");

      // Another attempt is another face under another id; the first stays as it was.
      const again = await post(`/auth/portraits/${portrait.portrait_id}/regenerate`, undefined, ann);
      expect(again.status).toBe(201);
      const second = await portraitOf(again);
      expect(second).toMatchObject({
        persona,
        attempt: 2,
        parent_id: portrait.portrait_id,
        approved_at: null,
      });
      expect(second.portrait_id).not.toBe(portrait.portrait_id);
      expect(second.sha256).not.toBe(portrait.sha256);
      const read = await portraitOf(await call(`/auth/portraits/${portrait.portrait_id}`, { headers: ann }));
      expect({ ...read, image_url: "" }).toEqual({ ...portrait, image_url: "" });
      expect((await media.get(key))?.etag).toBe(stored?.etag);
    },
  );

  test("an approval names the bytes, may be repeated, and keeps its first time", async () => {
    const ann = await signIn(account);
    const { portrait_id: id, sha256 } = await draw();
    const path = `/auth/portraits/${id}/approve`;
    const changed = await post(path, { sha256: "0".repeat(64) }, ann);
    expect(changed.status).toBe(409);
    expect(await jsonOf(changed)).toMatchObject({ error: { code: "portrait_changed" } });
    expect((await portraitOf(await call(`/auth/portraits/${id}`, { headers: ann }))).approved_at).toBeNull();
    const first = await post(path, { sha256 }, ann);
    expect(first.status).toBe(200);
    const { approved_at: at } = await portraitOf(first);
    expect(at).toBeTypeOf("number");
    moveClock(60);
    expect((await portraitOf(await post(path, { sha256 }, ann))).approved_at).toBe(at);
    // Not even an approved portrait is approved again under another digest.
    expect((await post(path, { sha256: "0".repeat(64) }, ann)).status).toBe(409);
  });

  test("what is wrong with a body is said in the structured envelope", async () => {
    const ann = await signIn(account);
    const refused = async (path: string, body: unknown) => {
      const answer = await post(path, body, ann);
      return [answer.status, (await jsonOf<{ error: { code: string } }>(answer)).error.code];
    };
    const bad = [400, "invalid_body"];
    for (const body of [
      {},
      { persona: "" },
      { persona: "   " },
      { persona: 7 },
      { persona: "x".repeat(2001) },
      { persona, seed: 1 },
      "[]",
      "{",
    ]) {
      expect(await refused("/auth/portraits", body)).toEqual(bad);
    }
    const { portrait_id: id, sha256 } = await draw();
    for (const body of [{}, { sha256: "abc" }, { sha256: sha256.toUpperCase() }, { sha256, more: 1 }]) {
      expect(await refused(`/auth/portraits/${id}/approve`, body)).toEqual(bad);
    }
    expect(await rows()).toHaveLength(1);
  });

  test("somebody else's portrait is a missing one, on every route", async () => {
    const { portrait_id: id, sha256 } = await draw();
    const bob = await signIn("bob@example.com");
    const answersTo = (browser: Browser, target: string) =>
      Promise.all([
        call(`/auth/portraits/${target}`, { headers: browser }),
        post(`/auth/portraits/${target}/approve`, { sha256 }, browser),
        post(`/auth/portraits/${target}/regenerate`, undefined, browser),
      ]);
    const foreign = await answersTo(bob, id);
    const missing = await answersTo(bob, crypto.randomUUID());
    for (const [at, answer] of foreign.entries()) {
      expect(answer.status).toBe(404);
      const body = await jsonOf(answer);
      expect(body).toMatchObject({ error: { code: "unknown_portrait" } });
      expect(body).toEqual(await jsonOf(missing[at] as Response));
    }
    expect(await rows()).toMatchObject([{ id, approved_at: null }]);
  });

  test("a person alone may ask: keys and tokens are turned away", async () => {
    const key = await makeKey(await signIn(account));
    const withFull = await post("/auth/portraits", { persona }, withKey(key.secret));
    expect([withFull.status, (await jsonOf(withFull)).code]).toEqual([401, "invalid_api_key"]);
    const token = await post("/auth/portraits", { persona }, withKey(await mintToken(key.secret)));
    expect([token.status, (await jsonOf(token)).code]).toEqual([401, "insufficient_scope"]);
    expect((await post("/auth/portraits", { persona })).status).toBe(401);
    expect(await rows()).toEqual([]);
  });
});

describe("rules", () => {
  const code = async (outcome: ReturnType<typeof createPortrait>) => {
    const made = await outcome;
    return made.ok ? "ok" : made.failure.code;
  };
  const create = (changes: Partial<ReturnType<typeof env>> = {}) =>
    code(createPortrait(studio(changes), signer, { account, persona }));

  test("where nothing can be signed, nothing is drawn", async () => {
    const asked = serveGenerator();
    expect(await code(createPortrait(studio(), null, { account, persona }))).toBe("media_unavailable");
    expect(asked).toEqual([]);
  });

  test("an HTTP generator is asked for the persona, a seed and the size, and nothing else", async () => {
    const asked = serveGenerator();
    const made = await createPortrait(studio(), signer, { account, persona });
    const id = made.ok ? made.value.portrait_id : "";
    const seed = Number.parseInt(id.slice(0, 8), 16);
    expect(asked).toEqual([
      { url: generatorUrl, method: "POST", body: { persona, seed, width: 640, height: 640 } },
    ]);
    expect(new Uint8Array(await (await media.get(keyOf(id)))!.arrayBuffer())).toEqual(picture);
  });

  test("PORTRAIT_URL chooses the HTTP generator", () => {
    const changed = { ...bindings, PORTRAIT_URL: generatorUrl } as Bindings;
    expect(parseEnv(changed).portraitUrl).toBe(generatorUrl);
    expect(env().portraitUrl).toBeNull();
  });

  test.each<[string, () => Response | Promise<Response>]>([
    ["answers 500", () => new Response("secret words of the upstream", { status: 500 })],
    [
      "redirects",
      () => new Response(null, { status: 302, headers: { Location: "https://elsewhere.test/" } }),
    ],
    ["answers nothing", () => new Response(null)],
    ["answers text", () => new Response("not a picture")],
    ["answers half a picture", () => new Response(picture.slice(0, -6))],
    [
      "answers a picture with a broken check sum",
      () => new Response(picture.map((byte, at) => (at === 45 ? byte ^ 1 : byte))),
    ],
    [
      "announces too much",
      () => new Response("x", { headers: { "Content-Length": String(15 * 1024 * 1024 + 1) } }),
    ],
    ["sends too much", () => new Response(new Uint8Array(15 * 1024 * 1024 + 1))],
    ["cannot be reached", () => Promise.reject(new TypeError("connect failed"))],
  ])("a generator that %s is portrait_failed, and leaves nothing", async (_what, answer) => {
    serveGenerator(answer);
    expect(await create()).toBe("portrait_failed");
    expect(await rows()).toEqual([]);
    expect((await media.list()).objects).toEqual([]);
  });

  test("a generator that does not answer in a minute is given up", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => AbortSignal.abort());
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_url, init) => {
      init?.signal?.throwIfAborted();
      return new Response(picture);
    });
    expect(await create()).toBe("portrait_failed");
    expect(timeout).toHaveBeenCalledWith(60_000);
  });

  test(
    "a failure travels as 502 in the envelope, without the generator's words",
    { timeout: 60_000 },
    async () => {
      const ann = await signIn(account);
      vi.spyOn(media.constructor.prototype as R2Bucket, "put").mockRejectedValue(
        new Error("bucket: secret words"),
      );
      const answer = await post("/auth/portraits", { persona }, ann);
      expect(answer.status).toBe(502);
      const text = await answer.text();
      expect(JSON.parse(text)).toMatchObject({ error: { code: "portrait_failed" } });
      expect(text).not.toContain("secret words");
    },
  );

  test("storage that refuses the picture leaves no row", async () => {
    serveGenerator();
    const broken = {
      put: () => Promise.reject(new Error("out")),
      delete: () => Promise.resolve(),
    } as unknown as R2Bucket;
    expect(await create({ media: broken })).toBe("portrait_failed");
    expect(await rows()).toEqual([]);
  });

  test("a row that could not be taken back goes with the unapproved ones", async () => {
    serveGenerator();
    captureLog();
    const out = () => Promise.reject(new Error("out"));
    expect(await create({ media: { put: out, delete: out } as unknown as R2Bucket })).toBe("portrait_failed");
    expect(await rows()).toHaveLength(1);
    moveClock(unapprovedSeconds + 1);
    await removeUnapproved(env());
    expect(await rows()).toEqual([]);
  });

  test("a database that refuses the row leaves no picture", async () => {
    serveGenerator();
    await db.exec("ALTER TABLE portraits RENAME TO lost");
    captureLog();
    expect(await create()).toBe("portrait_failed");
    expect((await media.list()).objects).toEqual([]);
    await db.exec("ALTER TABLE lost RENAME TO portraits");
  });
});

describe("an account", () => {
  const most = limits.portraitsPerHour;
  const create = (studioThere = studio(), who = account) =>
    createPortrait(studioThere, signer, { account: who, persona });

  test("has twenty portraits an hour, however many are asked for at once, and no more are drawn", async () => {
    const asked = serveGenerator();
    const made = await Promise.all(Array.from({ length: most + 5 }, () => create()));
    expect(made.filter(({ ok }) => ok)).toHaveLength(most);
    expect(asked).toHaveLength(most);
    for (const refused of made.filter(({ ok }) => !ok)) {
      expect(refused).toMatchObject({ failure: { code: "rate_limited" }, retryAfterSeconds: 3600 });
    }
    expect(await create(studio(), "bob@example.com")).toMatchObject({ ok: true });
  });

  test("is told when there is room again, for another attempt as for a first one", async () => {
    const first = await draw();
    moveClock(600);
    serveGenerator();
    for (let times = 1; times < most; times += 1) expect(await create()).toMatchObject({ ok: true });
    const ann = await signIn(account);
    vi.restoreAllMocks();
    for (const path of ["", `/${first.portrait_id}/regenerate`]) {
      const answer = await post(`/auth/portraits${path}`, path === "" ? { persona } : undefined, ann);
      expect([answer.status, answer.headers.get("Retry-After")]).toEqual([429, "3000"]);
      const { error } = await bodyOf(answer, structuredErrorSchema);
      expect(error.code).toBe("rate_limited");
      expect(error.message).toContain("20 portraits an hour");
    }
    moveClock(3000);
    serveGenerator();
    expect(await create()).toMatchObject({ ok: true });
    expect(await create()).toMatchObject({ retryAfterSeconds: 600 });
  });

  test("pays nothing for an attempt that failed", async () => {
    captureLog();
    serveGenerator(() => new Response(null, { status: 500 }));
    for (let times = 0; times < most; times += 1) {
      expect(await create()).toMatchObject({ failure: { code: "portrait_failed" } });
    }
    vi.restoreAllMocks();
    expect(await draw()).toMatchObject({ attempt: 1 });
  });

  test("does not see one that is still being drawn", async () => {
    const id = crypto.randomUUID();
    const now = Math.floor(Date.now() / 1000);
    await insertPortrait(
      db,
      { id, account, persona, attempt: 1, parentId: null, createdAt: now },
      { account, now, seconds: 3600, most },
    );
    const ann = await signIn(account);
    expect((await call(`/auth/portraits/${id}`, { headers: ann })).status).toBe(404);
    expect((await post(`/auth/portraits/${id}/regenerate`, undefined, ann)).status).toBe(404);
  });
});

describe("the clean-up", () => {
  test("finds what has ended without going through all portraits", async () => {
    const steps = await plansOf((observed) => listEnded(observed, { keptSince: 1, limit: 1 }));
    expect(steps).toEqual(["SEARCH portraits USING INDEX portraits_unapproved (created_at<?)"]);
  });

  const removed = async (id: string) => (await media.head(keyOf(id))) === null;

  test("removes what nobody approved in 30 days, and nothing else", async () => {
    const ann = await signIn(account);
    const kept = await draw();
    await post(`/auth/portraits/${kept.portrait_id}/approve`, { sha256: kept.sha256 }, ann);
    const ended = await draw();
    moveClock(unapprovedSeconds - 10);
    const young = await draw();
    await removeUnapproved(env());
    expect(await removed(ended.portrait_id)).toBe(false);
    moveClock(20);
    await cleanUp(env());
    expect(await removed(ended.portrait_id)).toBe(true);
    expect(await removed(kept.portrait_id)).toBe(false);
    expect(await removed(young.portrait_id)).toBe(false);
    expect((await rows()).map(({ id }) => id).toSorted()).toEqual(
      [kept.portrait_id, young.portrait_id].toSorted(),
    );
  });

  test("one that has had its 30 days can no longer be approved, even before it is removed", async () => {
    const { portrait_id: id, sha256 } = await draw();
    moveClock(unapprovedSeconds + 1);
    const ann = await signIn(account);
    expect((await post(`/auth/portraits/${id}/approve`, { sha256 }, ann)).status).toBe(404);
    expect((await call(`/auth/portraits/${id}`, { headers: ann })).status).toBe(404);
  });

  test("keeps the row until storage has let the picture go", async () => {
    const { portrait_id: id } = await draw();
    moveClock(unapprovedSeconds + 1);
    const broken = { delete: () => Promise.reject(new Error("out")) } as unknown as R2Bucket;
    await expect(removeUnapproved({ db, media: broken })).rejects.toThrow("out");
    expect(await rows()).toHaveLength(1);
    await removeUnapproved(env());
    expect(await rows()).toEqual([]);
    expect(await removed(id)).toBe(true);
  });
});
