// Whole boxes that record, beside a portal whose storage keeps what they PUT there.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Media } from "../media/media.ts";
import { readAiMarking } from "../media/xmp.ts";
import { FakeMediaFiles } from "../testing/fake-media-files.ts";
import { FakePortal, portalAccount as account, portalKey as key } from "../testing/fake-portal.ts";
import { openStageEngine, stageBuilt, type StageEngine } from "../testing/stage-engine.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

const installed = stageBuilt && spawnSync("ffmpeg", ["-version"]).status === 0;
const patience = { timeout: 60_000 };

let portal: FakePortal;
let stateDir: string;
let boxes: TestBox[];

beforeEach(async () => {
  portal = await FakePortal.start();
  stateDir = await mkdtemp(join(tmpdir(), "visavis-recordings-"));
  boxes = [];
});
afterEach(async () => {
  await Promise.all(boxes.map((box) => box.close()));
  await portal.close();
  await rm(stateDir, { recursive: true, force: true });
});

const offer = { sdp: "v=0\r\n", type: "offer" };
const terms = () => ({ terms_version: portal.terms.version, terms_digest: portal.terms.digest });
const waiting = () => readdir(join(stateDir, "recordings")).catch(() => []);

describe("who may record", () => {
  async function start(environment: Record<string, string> = portal.environment): Promise<TestBox> {
    const box = await startTestBox({ VISAVIS_STATE: stateDir, ...environment });
    boxes.push(box);
    return box;
  }
  const ask = async (box: TestBox, recording: object) => {
    const response = await box.ask("/connect", { key, body: { ...offer, recording } });
    return [response.status, await response.json()];
  };
  const refused = (status: number) => [status, { error: expect.any(String) }];

  test("nobody on a box where recordings are off", async () => {
    const box = await start({ ...portal.environment, RECORDINGS: "off" });
    expect(await ask(box, terms())).toEqual(refused(501));
  });

  test("whoever names the current terms, and nobody else", async () => {
    const box = await start();
    expect(await ask(box, { ...terms(), terms_digest: "0".repeat(64) })).toEqual(refused(409));
    expect(await ask(box, { ...terms(), terms_version: "2001-01-01" })).toEqual(refused(409));
    expect(box.services.slot.current).toBeNull();
    expect((await ask(box, terms()))[0]).toBe(200);
    const before = terms();
    portal.changeTerms("2027-01-01");
    // The box need not know yet that there are new ones, but takes them as soon as somebody agrees to them.
    expect((await ask(box, terms()))[0]).toBe(200);
    expect(await ask(box, before)).toEqual(refused(409));
  });

  test("nobody while the portal is out of reach, though sessions may begin", async () => {
    const box = await start();
    await box.connect({ key });
    portal.away = true;
    expect(await ask(box, terms())).toEqual(refused(503));
    expect((await box.ask("/connect", { key, body: offer })).status).toBe(200);
  });

  test("a session says whether it is recorded", async () => {
    const box = await start();
    const recorded = async () =>
      ((await (await box.ask("/api/stats", { key })).json()) as { session: { recording: boolean } }).session
        .recording;
    await box.connect({ key });
    expect(await recorded()).toBe(false);
    await ask(box, terms());
    expect(await recorded()).toBe(true);
  });

  test("a session over before its first picture leaves nothing", async () => {
    const box = await start();
    await ask(box, terms());
    await box.ask("/disconnect", { method: "POST", key });
    await expect.poll(waiting, patience).toEqual([]);
    expect(portal.recordings.size).toBe(0);
    expect(box.services.recordings.pending).toBe(0);
  });
});

// `npm test` makes both ready before it runs this; only a bare `vitest` on an unprepared machine skips it.
describe.skipIf(!installed)("with the addon built and FFmpeg installed", () => {
  let engine: StageEngine;
  beforeAll(async () => {
    engine = await openStageEngine();
  });
  afterAll(() => engine.close());

  async function start(files?: Media): Promise<TestBox> {
    const box = await startTestBox(
      { ...portal.environment, VISAVIS_STATE: stateDir },
      { stages: engine, ...(files && { files }) },
    );
    for (const entry of box.faces.entries) entry.dir = engine.avatarDir;
    boxes.push(box);
    return box;
  }

  /** Goes live with a microphone, until some seconds of both are on disk. */
  async function record(box: TestBox): Promise<string> {
    const { session_id: id } = await box.connect({ key, body: { recording: terms() } });
    const microphone = await box.microphone({ key });
    await microphone.next("ready");
    // As they come from a microphone: what were sent at once would have been heard before the session began.
    for (let count = 0; count < 20; count++) {
      microphone.send(Buffer.alloc(1_600, count + 1));
      await sleep(50);
    }
    await microphone.flush();
    const bytes = async (name: string) =>
      (await stat(join(stateDir, "recordings", id, name)).catch(() => ({ size: 0 }))).size;
    await expect.poll(() => bytes("live.mkv"), patience).toBeGreaterThan(10_000);
    await expect.poll(() => bytes("microphone.pcm"), patience).toBeGreaterThan(3_200);
    return id;
  }
  const hangUp = (box: TestBox) => box.ask("/disconnect", { method: "POST", key });
  const stored = (id: string) => portal.recordings.get(id)?.done ?? false;

  function probe(file: string): string[] {
    const args = ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", file];
    const { stdout, stderr } = spawnSync("ffprobe", args, { encoding: "utf8" });
    expect(stderr).toBe("");
    return stdout.trim().split("\n");
  }

  async function requireWhole(id: string): Promise<void> {
    const recording = portal.recordings.get(id);
    const bytes = recording?.bytes ?? Buffer.alloc(0);
    expect(recording?.contentType).toBe("video/mp4");
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(recording?.request.sha256);
    expect(recording?.request).toMatchObject({
      account,
      size: bytes.length,
      consent: { ...terms(), agreed_at: expect.any(Number) },
    });
    const file = join(stateDir, `${id}.mp4`);
    await writeFile(file, bytes);
    expect(probe(file)).toEqual(["h264", "aac"]);
    expect(await readAiMarking(file)).toContain("compositeWithTrainedAlgorithmicMedia");
  }

  test("a session is recorded, stored, and gone from the box", async () => {
    const box = await start();
    const id = await record(box);
    expect((await stat(join(stateDir, "recordings", id))).mode & 0o777).toBe(0o700);
    for (const name of await readdir(join(stateDir, "recordings", id)))
      expect((await stat(join(stateDir, "recordings", id, name))).mode & 0o777).toBe(0o600);
    await hangUp(box);
    // A box at the end of its life waits for this.
    await box.settled(AbortSignal.timeout(patience.timeout));
    expect(stored(id)).toBe(true);
    await requireWhole(id);
    expect(await waiting()).toEqual([]);
  });

  test("what a crash left is finished at the next start, and never sent as it was", async () => {
    const box = await start();
    const id = await record(box);
    // The disk as a process that is killed now leaves it.
    const crashed = await mkdtemp(join(tmpdir(), "visavis-crashed-"));
    await cp(join(stateDir, "recordings"), join(crashed, "recordings"), { recursive: true });
    await mkdir(join(crashed, "recordings", "without-agreement"));
    await writeFile(join(crashed, "recordings", "without-agreement", "live.mkv"), "x");
    box.services.slot.drain(true);
    await hangUp(box);
    await expect.poll(() => stored(id), patience).toBe(true);
    await box.end();
    portal.recordings.clear();
    [stateDir] = [crashed];
    await start();
    await expect.poll(() => stored(id), patience).toBe(true);
    await requireWhole(id);
    await expect.poll(waiting, patience).toEqual([]);
  });

  test("while the storage is gone a recording is kept, over the box's end too", async () => {
    portal.storageDown = true;
    const box = await start();
    const id = await record(box);
    await hangUp(box);
    await expect
      .poll(() => existsSync(join(stateDir, "recordings", id, "recording.mp4")), patience)
      .toBe(true);
    await expect
      .poll(() => portal.asked.filter((path) => path.startsWith("/storage/")).length, patience)
      .toBeGreaterThan(1);
    await box.end();
    expect(await waiting()).toEqual([id]);
    portal.storageDown = false;
    await start();
    await expect.poll(() => stored(id), patience).toBe(true);
    await requireWhole(id);
    await expect.poll(waiting, patience).toEqual([]);
  });

  test("a recording whose session was erased is removed from the box as well", async () => {
    portal.storageDown = true;
    const box = await start();
    const id = await record(box);
    await hangUp(box);
    await expect.poll(() => portal.recordings.has(id), patience).toBe(true);
    portal.erase(id);
    portal.storageDown = false;
    await expect.poll(waiting, patience).toEqual([]);
    expect(stored(id)).toBe(false);
  });

  test("a recording made under terms that have changed since is stored all the same", async () => {
    portal.storageDown = true;
    const box = await start();
    const agreed = terms();
    const id = await record(box);
    await hangUp(box);
    await expect.poll(() => portal.recordings.has(id), patience).toBe(true);
    portal.changeTerms("2027-01-01");
    portal.storageDown = false;
    await expect.poll(() => stored(id), patience).toBe(true);
    expect(portal.recordings.get(id)?.request.consent).toMatchObject(agreed);
    await expect.poll(waiting, patience).toEqual([]);
  });

  test.each(["recording", "mixing", "storing"])(
    "a box that is killed while it is %s stores it once, whole, when it starts again",
    async (moment) => {
      portal.storageDown = moment === "storing";
      const script = fileURLToPath(new URL("../testing/recording-child.ts", import.meta.url));
      const { version, digest } = portal.terms;
      const child = spawn(process.execPath, [script, moment, version, digest], {
        env: { ...process.env, ...portal.environment, VISAVIS_STATE: stateDir },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const lines: string[] = [];
      createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
      const dead = once(child, "exit");
      try {
        const far = { recording: 1, mixing: 2, storing: 1 }[moment];
        await expect.poll(() => lines.length).toBe(far);
        if (moment === "storing")
          await expect
            .poll(() => portal.asked.filter((path) => path.startsWith("/storage/")).length, patience)
            .toBeGreaterThan(0);
      } finally {
        child.kill("SIGKILL");
      }
      await dead;
      expect(child.signalCode).toBe("SIGKILL");
      const [id = ""] = lines;
      const left = await readdir(join(stateDir, "recordings", id));
      expect(left).toContain(
        { recording: "live.mkv", mixing: "recording.mp4.part", storing: "recording.mp4" }[moment],
      );
      expect(stored(id)).toBe(false);
      portal.storageDown = false;
      portal.asked.length = 0;
      await start();
      await expect.poll(() => stored(id), patience).toBe(true);
      await requireWhole(id);
      await expect.poll(waiting, patience).toEqual([]);
      expect(portal.asked.filter((path) => path === `/storage/${id}`)).toHaveLength(1);
      expect(portal.asked.filter((path) => path === "/internal/sessions/recording/done")).toHaveLength(1);
    },
  );

  test("a disk that fails ends the recording with a warning, and not the session", async () => {
    const box = await start();
    const socket = await box.socket({ key });
    await mkdir(stateDir, { recursive: true });
    await writeFile(join(stateDir, "recordings"), "no folder");
    const { session_id: id } = await box.connect({ key, body: { recording: terms() } });
    expect((await socket.next("warning")).type).toBe("warning");
    expect(box.services.slot.current?.id).toBe(id);
    expect(box.services.slot.current?.recording?.recording).toBe(false);
    await hangUp(box);
    await expect.poll(() => box.services.recordings.pending, patience).toBe(0);
  });

  test("a machine that cannot finish it keeps what was recorded", async () => {
    const broken = new FakeMediaFiles();
    broken.broken = new Error("no program");
    const box = await start(broken);
    const id = await record(box);
    await hangUp(box);
    await expect
      .poll(() => box.logged.some(({ msg }) => String(msg).includes("could not be finished")), patience)
      .toBe(true);
    await box.end();
    expect((await readdir(join(stateDir, "recordings", id))).toSorted()).toEqual([
      "consent.json",
      "live.mkv",
      "microphone.pcm",
    ]);
    expect(
      JSON.parse(await readFile(join(stateDir, "recordings", id, "consent.json"), "utf8")),
    ).toMatchObject({
      session_id: id,
      ...terms(),
    });
  });
});
