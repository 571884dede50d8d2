import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { stillJobSchema, stillStartedSchema, type StillJob } from "../../contract/stills.ts";
import { Refusal } from "../failure.ts";
import { createLog } from "../ops/log.ts";
import { FakeMediaFiles } from "../testing/fake-media-files.ts";
import { otherKey, startTestBox, type TestBox } from "../testing/test-box.ts";
import { Stills } from "./stills.ts";

const path = "/api/avatar/seated-still";
const stock = (name: string) =>
  readFile(fileURLToPath(new URL(`../avatars/stock/${name}.png`, import.meta.url)));
const maya = await stock("maya");
const theo = await stock("theo");
/** A face of the smallest size that will do, so that looking at it is quick. */
const photograph = await sharp(maya).resize(400).jpeg().toBuffer();
const log = createLog("silent");

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "visavis-stills-"));
  ends.push(() => rm(made, { recursive: true }));
  return made;
}

/** An HTTP generator; `asked` has every body it was sent. */
async function generator(answer: (body: Record<string, unknown>) => object | number | Promise<object>) {
  const asked: Record<string, unknown>[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      asked.push(body);
      void Promise.resolve(answer(body)).then((said) =>
        typeof said === "number"
          ? response.writeHead(said).end("its own words")
          : response.end(JSON.stringify(said)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/seat` };
}

async function box(environment: Record<string, string> = {}): Promise<TestBox> {
  const started = await startTestBox(environment, { files: new FakeMediaFiles() });
  ends.push(() => started.close());
  return started;
}

function form({ file, ...texts }: { file?: Uint8Array } & Record<string, string | Uint8Array>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(texts)) made.append(name, String(value));
  if (file) made.append("file", new Blob([new Uint8Array(file)]), "me.jpg");
  return made;
}

async function started(answer: Response): Promise<string> {
  expect(answer.status).toBe(202);
  return stillStartedSchema.parse(await answer.json()).job_id;
}

async function ended(at: TestBox, id: string): Promise<StillJob> {
  return vi.waitFor(
    async () => {
      const job = stillJobSchema.parse(await (await at.ask(`${path}/${id}`)).json());
      if (job.state === "pending" || job.state === "running") throw new Error(job.state);
      return job;
    },
    { timeout: 60_000, interval: 50 },
  );
}

async function refusal(answer: Response): Promise<[number, string]> {
  return [answer.status, structuredErrorSchema.parse(await answer.json()).error.code];
}

describe("the box's own generator", () => {
  it("seats the person of a photograph, and says how sure it is that it is the same one", async () => {
    const at = await box();
    const id = await started(await at.ask(path, { body: form({ file: maya, note: "by a window" }) }));
    const job = await ended(at, id);
    expect(job).toMatchObject({ state: "done", identity_checked: true, image_url: `${path}/${id}/image` });
    if (job.state !== "done") throw new Error("unreachable");
    expect(job.identity_score).toBeGreaterThan(0.9);
    const image = await at.ask(job.image_url);
    expect(image.headers.get("content-type")).toBe("image/png");
    const facts = await sharp(Buffer.from(await image.arrayBuffer())).metadata();
    expect(facts).toMatchObject({ format: "png", width: 1024, height: 1024 });
    // The photograph is gone once it has been used.
    expect((await readdir(join(at.services.config.stateDir, "stills", id))).toSorted()).toEqual([
      "job.json",
      "still.png",
    ]);
  });

  it("takes an upload of the portal's", async () => {
    const at = await box();
    const storage = createServer((_, response) => response.end(photograph));
    await new Promise<void>((resolve) => storage.listen(0, "127.0.0.1", resolve));
    ends.push(() => new Promise((resolve) => storage.close(resolve)));
    const url = `http://127.0.0.1:${(storage.address() as AddressInfo).port}/me`;
    const file = { field: "file", filename: "me.jpg", content_type: "image/jpeg", url };
    const claimed: string[] = [];
    at.services.portal.claimUpload = (_account, uploadId) => {
      claimed.push(uploadId);
      return uploadId === "gone"
        ? Promise.reject(new Refusal("unknown_upload", "There is no such upload."))
        : Promise.resolve({
            files: [
              {
                ...file,
                size: uploadId === "cut" ? photograph.length + 1 : photograph.length,
                content_type: uploadId === "film" ? "video/mp4" : "image/jpeg",
              },
            ],
          });
    };
    const start = (uploadId: string) => at.ask(path, { body: { upload_id: uploadId } });
    const id = await started(await start("mine"));
    expect(await ended(at, id)).toMatchObject({ state: "done", identity_checked: true });
    expect(await refusal(await start("gone"))).toEqual([404, "unknown_upload"]);
    expect(await refusal(await start("cut"))).toEqual([400, "invalid_upload"]);
    expect(await refusal(await start("film"))).toEqual([400, "invalid_upload"]);
    expect(claimed).toEqual(["mine", "gone", "cut", "film"]);
  });
});

describe("what is refused", () => {
  let at: TestBox;
  beforeEach(async () => {
    at = await box();
  });

  it("bodies that are wrong", async () => {
    const wrong = [
      {},
      { upload_id: "" },
      { upload_id: "x", look: "grey" },
      { upload_id: "x", note: "n".repeat(limits.stillNoteChars + 1) },
      { upload_id: "x", owner: "somebody" },
      "[]",
    ];
    for (const body of wrong)
      expect(await refusal(await at.ask(path, { body }))).toEqual([400, "invalid_body"]);
    const forms = [
      form({}),
      form({ file: photograph, look: "grey" }),
      form({ file: photograph, look: '{"outfit":3}' }),
      form({ file: photograph, tones: "warm" }),
    ];
    for (const body of forms)
      expect(await refusal(await at.ask(path, { body }))).toEqual([400, "invalid_body"]);
  });

  it("pictures that cannot be used, before a job is made", async () => {
    const wall = await sharp({ create: { width: 300, height: 300, channels: 3, background: "#ccc" } })
      .png()
      .toBuffer();
    const pair = await sharp({ create: { width: 1200, height: 600, channels: 3, background: "#ccc" } })
      .composite([
        { input: await sharp(maya).resize(600).toBuffer(), left: 0, top: 0 },
        { input: await sharp(theo).resize(600).toBuffer(), left: 600, top: 0 },
      ])
      .jpeg()
      .toBuffer();
    const cases: [Uint8Array, number, string][] = [
      [Buffer.from("no picture at all"), 400, "image_unsupported"],
      [photograph.subarray(0, 600), 400, "image_unreadable"],
      [Buffer.alloc(limits.imageBytes + 1), 413, "image_too_large"],
      [await sharp(maya).resize(100).png().toBuffer(), 400, "image_too_small"],
      [wall, 400, "no_face"],
      [pair, 400, "several_faces"],
    ];
    for (const [file, status, code] of cases)
      expect(await refusal(await at.ask(path, { body: form({ file }) }))).toEqual([status, code]);
    expect(await readdir(join(at.services.config.stateDir, "stills"))).toEqual([]);
  });

  it("a box alone has no uploads", async () => {
    expect(await refusal(await at.ask(path, { body: { upload_id: "mine" } }))).toEqual([
      503,
      "uploads_unavailable",
    ]);
  });

  it("another account's job, and one that never was, are the same", async () => {
    const id = await started(await at.ask(path, { body: form({ file: photograph }) }));
    await ended(at, id);
    for (const tail of [id, `${id}/image`]) {
      const theirs = await at.ask(`${path}/${tail}`, { key: otherKey });
      const none = await at.ask(`${path}/${tail.replace(id, crypto.randomUUID())}`);
      expect(await theirs.json()).toEqual(await none.json());
      expect([theirs.status, none.status]).toEqual([404, 404]);
    }
    expect(await refusal(await at.ask(`${path}/..%2f${id}/image`))).toEqual([404, "unknown_job"]);
  });
});

describe("a generator behind a URL", () => {
  const png = (picture: Buffer) => ({ image: picture.toString("base64") });

  it("is sent the photograph, the note and the look, and its still is checked here", async () => {
    const seat = await generator(() => ({ ...png(maya), identity_checked: true, identity_score: 1 }));
    const at = await box({ STILL_URL: seat.url });
    const look = { outfit: "a grey jacket" };
    const id = await started(
      await at.ask(path, { body: form({ file: photograph, note: "smile", look: JSON.stringify(look) }) }),
    );
    const job = await ended(at, id);
    expect(job).toMatchObject({ state: "done", identity_checked: true });
    // Its own word on who is in the picture is not taken.
    expect(job).not.toMatchObject({ identity_score: 1 });
    expect(seat.asked).toEqual([
      { image_url: expect.stringMatching(/^data:image\/jpeg;base64,/), note: "smile", look },
    ]);
  });

  it("that shows somebody else, or nobody, fails as not_the_same_person", async () => {
    const wall = await sharp({ create: { width: 300, height: 300, channels: 3, background: "#ccc" } })
      .png()
      .toBuffer();
    const stills = [theo, wall];
    const seat = await generator(() => ({ ...png(stills.shift() ?? maya), identity_score: 1 }));
    const at = await box({ STILL_URL: seat.url });
    for (const _ of [0, 1]) {
      const id = await started(await at.ask(path, { body: form({ file: photograph }) }));
      expect(await ended(at, id)).toMatchObject({ state: "failed", error: "not_the_same_person" });
      expect(await refusal(await at.ask(`${path}/${id}/image`))).toEqual([404, "unknown_job"]);
    }
  });

  it("that refuses, fails or answers nonsense is told in words of ours", async () => {
    const answers: (object | number)[] = [
      { error: "bad_request", message: "its own words" },
      500,
      { image: Buffer.from("no picture").toString("base64") },
      { picture: "?" },
    ];
    const seat = await generator(() => answers.shift() ?? 500);
    const at = await box({ STILL_URL: seat.url });
    const errors: string[] = [];
    while (answers.length > 0) {
      const job = await ended(at, await started(await at.ask(path, { body: form({ file: photograph }) })));
      if (job.state !== "failed") throw new Error(job.state);
      errors.push(job.error);
      expect(job.message).not.toContain("its own words");
    }
    expect(errors).toEqual(["bad_request", "generation_failed", "generation_failed", "generation_failed"]);
    expect(JSON.stringify(at.logged)).not.toContain("its own words");
  });
});

describe("over time", () => {
  let nowMs: number;
  const open = async (stateDir: string, url: string | null = null) => {
    const stills = await Stills.open({ stateDir, url, media: new FakeMediaFiles(), log, nowMs: () => nowMs });
    ends.push(() => stills.close());
    return stills;
  };
  const wish = { account: "ann", photograph, photographUrl: null, note: null, look: null };
  const settled = (stills: Stills, id: string) =>
    vi.waitFor(
      () => {
        const job = stills.read("ann", id);
        if (job.state === "pending" || job.state === "running") throw new Error(job.state);
        return job;
      },
      { timeout: 60_000, interval: 50 },
    );
  beforeEach(() => {
    nowMs = 1_800_000_000_000;
  });

  /** A job as a box leaves it behind. */
  async function leave(stateDir: string, outcome: object, ageSeconds = 0): Promise<string> {
    const id = crypto.randomUUID();
    await mkdir(join(stateDir, "stills", id), { recursive: true });
    const job = {
      id,
      account: "ann",
      note: null,
      look: null,
      created_at: nowMs / 1000 - ageSeconds,
      outcome,
    };
    await writeFile(join(stateDir, "stills", id, "job.json"), JSON.stringify(job));
    await writeFile(join(stateDir, "stills", id, "photograph.jpg"), photograph);
    return id;
  }

  it("an account has so many an hour, and hears when there is room again", async () => {
    const stateDir = await folder();
    for (let times = 1; times < limits.stillsPerHour; times += 1)
      await leave(stateDir, { case: "done", identity_score: 1 }, 600);
    const stills = await open(stateDir);
    const both = await Promise.allSettled([stills.start(wish), stills.start(wish)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(() => stills.checkRoom("ann")).toThrow(
      expect.objectContaining({ code: "rate_limited", headers: { "Retry-After": "3000" } }),
    );
    expect(() => stills.checkRoom("bob")).not.toThrow();
    nowMs += 3000_000;
    expect(() => stills.checkRoom("ann")).not.toThrow();
  });

  it("a job is kept for a day", async () => {
    const stills = await open(await folder());
    const id = await stills.start(wish);
    expect(await settled(stills, id)).toMatchObject({ state: "done" });
    nowMs += (limits.stillKeptSeconds - 1) * 1000;
    expect(stills.read("ann", id)).toMatchObject({ state: "done" });
    nowMs += 1000;
    expect(() => stills.read("ann", id)).toThrow(expect.objectContaining({ code: "unknown_job" }));
    await stills.sweep();
    await expect(stills.image("ann", id)).rejects.toMatchObject({ code: "unknown_job" });
  });

  it("what ran in a crash has failed, what waited goes on, and what was half made is cleared away", async () => {
    const stateDir = await folder();
    const ran = await leave(stateDir, { case: "running" });
    const waited = await leave(stateDir, { case: "pending" });
    const old = await leave(stateDir, { case: "done", identity_score: 1 }, limits.stillKeptSeconds);
    const half = await leave(stateDir, { case: "nonsense" });
    await writeFile(join(stateDir, "stills", ran, "still.png.x.tmp"), "half a picture");
    const stills = await open(stateDir);
    expect(stills.read("ann", ran)).toMatchObject({ state: "failed", error: "generation_failed" });
    expect(await readdir(join(stateDir, "stills", ran))).toEqual(["job.json"]);
    expect(await settled(stills, waited)).toMatchObject({ state: "done" });
    const left = await readdir(join(stateDir, "stills"));
    expect(left).not.toContain(old);
    expect(left).not.toContain(half);
  });

  it("a box that ends stops what runs, and the next one does it", async () => {
    const stateDir = await folder();
    const never = await generator(() => new Promise<object>(() => undefined));
    const first = await open(stateDir, never.url);
    const id = await first.start(wish);
    await expect.poll(() => never.asked).toHaveLength(1);
    await first.close();
    const second = await open(stateDir);
    expect(await settled(second, id)).toMatchObject({ state: "done" });
  });
});
