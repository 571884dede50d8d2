// A recording of the real stage, with its real encoders, made into an MP4 by the real programs: what is in it, and when.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MediaPacket, StageEvent } from "../../native/binding/index.js";
import { openMedia } from "../media/open.ts";
import { readAiMarking } from "../media/xmp.ts";
import { liveFile, microphoneFile, SessionRecorder } from "./session-recorder.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const installed =
  existsSync(path("../../native/build/Release/visavis.node")) &&
  spawnSync("ffmpeg", ["-version"]).status === 0;

const size = 256;
const rate = 48_000;
/** A burst of a tone, short enough to be a moment. */
const burst = (hertz: number, sampleRate: number) =>
  Int16Array.from({ length: sampleRate / 20 }, (_, at) =>
    Math.round(24_000 * Math.sin((2 * Math.PI * hertz * at) / sampleRate)),
  );

/** When the tone of so many hertz is first as loud as half its loudest, in milliseconds. */
function onsetMs(samples: Int16Array, hertz: number): number {
  const window = rate / 200;
  const step = rate / 1000;
  const levels: number[] = [];
  for (let at = 0; at + window <= samples.length; at += step) {
    let [real, imaginary] = [0, 0];
    for (let index = 0; index < window; index++) {
      const phase = (2 * Math.PI * hertz * index) / rate;
      real += (samples[at + index] ?? 0) * Math.cos(phase);
      imaginary += (samples[at + index] ?? 0) * Math.sin(phase);
    }
    levels.push(Math.hypot(real, imaginary));
  }
  const loudest = Math.max(...levels);
  // The window is half full then.
  return levels.findIndex((level) => level > loudest / 2) + 2.5;
}

interface Probed {
  streams: { codec_name: string; codec_type: string; width?: number; duration: string; start_time: string }[];
  format: { duration: string };
}

function probe(file: string): Probed {
  const args = ["-v", "error", "-of", "json", "-show_streams", "-show_format", file];
  const { stdout, stderr } = spawnSync("ffprobe", args, { encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Probed;
}

function soundOf(file: string): Int16Array {
  const args = [
    "-v",
    "error",
    "-i",
    file,
    "-map",
    "0:a",
    "-ac",
    "1",
    "-ar",
    String(rate),
    "-f",
    "s16le",
    "-",
  ];
  const { stdout, stderr } = spawnSync("ffmpeg", args, { maxBuffer: 2 ** 28 });
  expect(String(stderr)).toBe("");
  return new Int16Array(Uint8Array.from(stdout).buffer);
}

function framesOf(file: string): number {
  const args = [
    "-v",
    "error",
    "-count_frames",
    "-select_streams",
    "v",
    "-show_entries",
    "stream=nb_read_frames",
  ];
  const { stdout, stderr } = spawnSync("ffprobe", [...args, "-of", "csv=p=0", file], { encoding: "utf8" });
  expect(stderr).toBe("");
  return Number(stdout.trim());
}

// `npm test` makes both ready before it runs this; only a bare `vitest` on an unprepared machine skips it.
describe.skipIf(!installed)("with the addon built and FFmpeg installed", () => {
  const media = openMedia();
  let home: string;
  const packets: MediaPacket[] = [];
  let startedMs = 0;

  // Three seconds of a stage: silence, a burst of 1 kHz a while into its speech, silence.
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "visavis-recorded-"));
    const { buildAvatar, Stage } = await import("../../native/binding/index.js");
    const shares = (await readFile(path("../../native/test/stage/landmarks.txt"), "utf8"))
      .trim()
      .split(/\s+/);
    await buildAvatar({
      rgb: new Uint8Array(size * size * 3).fill(140),
      width: size,
      height: size,
      landmarks: Float32Array.from(shares, (share) => Number(share) * size),
      outputWidth: size,
      outputHeight: size,
      loopSeconds: 2,
      outDir: home,
    });
    const ended = Promise.withResolvers<void>();
    const stage = new Stage({
      avatarDir: home,
      onPackets: (batch) => packets.push(...batch),
      onEvent: (event: StageEvent) => {
        if (event.type === "utterance_started") startedMs = event.mediaTimeMs;
        if (event.type === "utterance_ended") ended.resolve();
      },
    });
    const utterance = stage.beginUtterance();
    const pcm = new Int16Array(rate * 2);
    pcm.set(burst(1_000, rate), rate);
    stage.pushAudio(utterance, pcm, rate);
    stage.endUtterance(utterance);
    await ended.promise;
    await stage.close();
  });
  afterAll(async () => {
    await media.close();
    await rm(home, { recursive: true, force: true });
  });

  const mediaMs = ({ kind, timestamp }: MediaPacket) => timestamp / (kind === "audio" ? 48 : 90);

  interface Scene {
    /** How late each packet reaches the recorder, and each frame of the microphone. */
    lateMs?: (count: number) => number;
    /** How much faster the microphone's clock runs. */
    drift?: number;
    /** Media time of a burst of 3 kHz in the microphone's ear; null: there is no microphone. */
    heardAtMs?: number | null;
  }

  /** Plays the packets to a recorder on a clock of its own, with a microphone beside them. */
  async function record({ lateMs = () => 0, drift = 0, heardAtMs = null }: Scene): Promise<string> {
    const dir = await mkdtemp(join(home, "recording-"));
    let nowMs = 0;
    const failures: unknown[] = [];
    const recorder = new SessionRecorder({
      dir,
      now: () => nowMs,
      onStopped: (error) => failures.push(error),
    });
    const zeroMs = 5_000;
    const arrivals: { atMs: number; act(): void }[] = [];
    // What was sent first arrives first, as over any connection.
    let sentMs = 0;
    for (const [count, packet] of packets.entries()) {
      sentMs = Math.max(sentMs, zeroMs + mediaMs(packet) + lateMs(count));
      arrivals.push({ atMs: sentMs, act: () => recorder.packets([packet]) });
    }
    if (heardAtMs !== null) {
      const heard = new Int16Array(16_000 * 3);
      heard.set(burst(3_000, 16_000), Math.round((heardAtMs * 16) / (1 + drift)));
      let heardMs = 0;
      for (let count = 0; (count + 1) * 320 <= heard.length; count++) {
        heardMs = Math.max(heardMs, zeroMs + (count + 1) * 20 * (1 + drift) + lateMs(count * 7));
        const frame = heard.subarray(count * 320, (count + 1) * 320);
        arrivals.push({ atMs: heardMs, act: () => recorder.hear(frame) });
      }
    }
    for (const { atMs, act } of arrivals.toSorted((a, b) => a.atMs - b.atMs)) {
      nowMs = atMs;
      act();
    }
    await recorder.end();
    expect(failures).toEqual([]);
    return dir;
  }

  async function mixed(dir: string): Promise<string> {
    const outPath = join(dir, "recording.mp4");
    await media.recording({
      livePath: join(dir, liveFile),
      microphonePath: join(dir, microphoneFile),
      outPath,
    });
    return outPath;
  }

  test("it is H.264 and AAC, as long as the session, marked, and every frame of it is there", async () => {
    const dir = await record({ heardAtMs: 500 });
    const file = await mixed(dir);
    const { streams, format } = probe(file);
    expect(streams.map(({ codec_name: codec }) => codec)).toEqual(["h264", "aac"]);
    expect(streams[0]?.width).toBe(size);
    const lastMs = mediaMs(packets.at(-1) ?? ({ kind: "audio", timestamp: 0 } as MediaPacket));
    for (const duration of [format.duration, streams[0]?.duration])
      expect(Math.abs(Number(duration) * 1000 - lastMs)).toBeLessThan(150);
    expect(framesOf(file)).toBe(packets.filter(({ kind }) => kind === "video").length);
    expect(await readAiMarking(file)).toContain("compositeWithTrainedAlgorithmicMedia");
    // It can be played before it is whole.
    const bytes = await readFile(file);
    expect(bytes.indexOf("moov")).toBeLessThan(bytes.indexOf("mdat"));
    expect((await stat(join(dir, liveFile))).mode & 0o777).toBe(0o600);
  });

  test.each<[string, Scene]>([
    ["on a quiet machine", {}],
    ["on a busy one", { lateMs: (count) => (count % 5 === 0 ? 0 : ((count * 37) % 60) + 1) }],
    ["with a microphone that is heard longer than the avatar", { drift: 0.002 }],
  ])("both sides are heard when they were: %s", async (_label, scene) => {
    const heardAtMs = 1_500;
    const sound = soundOf(await mixed(await record({ ...scene, heardAtMs })));
    const spokenMs = onsetMs(sound, 1_000);
    const heardMs = onsetMs(sound, 3_000);
    // 20 ms for what browsers do, 6.5 ms in the encoder of the avatar's voice.
    expect(Math.abs(spokenMs - (startedMs + 1_000 + 26.5))).toBeLessThan(10);
    expect(Math.abs(heardMs - (heardAtMs + 20))).toBeLessThan(20);
  });

  test("the two together do not clip, and one alone is as loud as it was", async () => {
    const together = soundOf(await mixed(await record({ heardAtMs: startedMs + 1_006 })));
    const alone = soundOf(await mixed(await record({})));
    const peak = (sound: Int16Array) => sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(peak(together)).toBeLessThan(32_000);
    expect(peak(together)).toBeGreaterThan(25_000);
    expect(peak(alone)).toBeGreaterThan(19_000);
  });

  test("cut off anywhere, as by a crash, what is there makes a recording", async () => {
    const whole = await record({ heardAtMs: 500 });
    const { size: bytes } = await stat(join(whole, liveFile));
    for (const share of [0.31, 0.77]) {
      const dir = await mkdtemp(join(home, "crashed-"));
      for (const name of [liveFile, microphoneFile]) await copyFile(join(whole, name), join(dir, name));
      await truncate(join(dir, liveFile), Math.floor(bytes * share));
      const file = await mixed(dir);
      expect(probe(file).streams.map(({ codec_name: codec }) => codec)).toEqual(["h264", "aac"]);
      expect(framesOf(file)).toBeGreaterThan(5);
    }
  });

  test("what is no recording is refused, and leaves nothing behind", async () => {
    const dir = await mkdtemp(join(home, "broken-"));
    await copyFile(path("stage.test.ts"), join(dir, liveFile));
    await expect(mixed(dir)).rejects.toThrow("damaged");
    expect(existsSync(join(dir, "recording.mp4.part"))).toBe(false);
    expect(existsSync(join(dir, "recording.mp4"))).toBe(false);
  });
});
