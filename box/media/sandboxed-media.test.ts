import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { i420ToPicture } from "../avatars/i420.ts";
import { ffmpeg } from "../testing/media-samples.ts";
import { MediaError, type FootageRequest } from "./media.ts";
import { findPrograms } from "./programs.ts";
import { SandboxedMedia } from "./sandboxed-media.ts";
import { readAiMarking } from "./xmp.ts";

let folder: string;
let media: SandboxedMedia;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "visavis-media-test-"));
  const found = findPrograms();
  if (found.case === "missing") throw new Error(`Please install ${found.missing.join(", ")}.`);
  media = new SandboxedMedia({ programs: found.programs });
});

afterAll(async () => {
  await media?.close();
  expect(media.pids).toEqual([]);
  await rm(folder, { recursive: true });
});

const at = (name: string) => join(folder, name);
const words = (line: string) => line.split(" ");
const h264 = words("-c:v libx264 -preset ultrafast -crf 8 -pix_fmt yuv420p");

async function fault(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    // A sentence for whoever sent the file: nothing of a program's own words, no path.
    expect(error.message).toMatch(/^[A-Z][^/@\n]+\.$/);
    return error.fault;
  }
  return "none";
}

describe("sound", () => {
  it("becomes mono at the rate that was asked for", async () => {
    const stereo = "aevalsrc='0.5*sin(2*PI*440*t)|0':s=44100:d=1";
    await ffmpeg("-f", "lavfi", "-i", stereo, at("left.wav"));
    const { samples, sampleRate } = await media.sound(at("left.wav"), { sampleRate: 16_000, maxSeconds: 10 });
    expect(sampleRate).toBe(16_000);
    expect(Math.abs(samples.length - 16_000)).toBeLessThan(50);
    const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    // Half of what one side had, which was half of full scale.
    expect(peak / 32_768).toBeCloseTo(0.25, 1);
    const crossings = samples.filter((sample, index) => sample >= 0 && (samples[index - 1] ?? 0) < 0).length;
    expect(Math.abs(crossings - 440)).toBeLessThan(4);
  });

  it("of the longest length is taken, longer is not, however long it is", async () => {
    await ffmpeg(...words("-f lavfi -i sine=d=3 -c:a libopus"), at("three.ogg"));
    const { samples } = await media.sound(at("three.ogg"), { sampleRate: 8_000, maxSeconds: 3 });
    expect(samples.length / 8_000).toBeCloseTo(3, 1);
    expect(await fault(media.sound(at("three.ogg"), { sampleRate: 8_000, maxSeconds: 2 }))).toBe("too_long");
  });

  it("of a video is its sound track, and a video without one is no sound", async () => {
    await ffmpeg(...words("-f lavfi -i testsrc2=d=1:s=64x64 -f lavfi -i sine=d=1"), ...h264, at("both.mp4"));
    await ffmpeg(...words("-f lavfi -i testsrc2=d=1:s=64x64"), ...h264, at("silent.mp4"));
    const options = { sampleRate: 16_000, maxSeconds: 5 };
    expect((await media.sound(at("both.mp4"), options)).samples.length).toBeGreaterThan(15_000);
    expect(await fault(media.sound(at("silent.mp4"), options))).toBe("unsupported");
  });
});

describe("footage", () => {
  const request = (name: string, change: Partial<FootageRequest> = {}): FootageRequest => ({
    path: at(name),
    fromSeconds: 0,
    seconds: 1,
    fps: 25,
    width: 128,
    height: 96,
    outPath: at("frames.i420"),
    ...change,
  });

  async function frame(made: FootageRequest, index = 0) {
    const bytes = (made.width * made.height * 3) / 2;
    const frames = await readFile(made.outPath);
    const picture = i420ToPicture(
      frames.subarray(index * bytes, (index + 1) * bytes),
      made.width,
      made.height,
    );
    return (x: number, y: number) => {
      const pixel = (Math.floor(y * made.height) * made.width + Math.floor(x * made.width)) * 3;
      return [...picture.rgb.subarray(pixel, pixel + 3)];
    };
  }

  const close = (actual: number[], wanted: number[], tolerance = 8) => {
    for (const [channel, value] of actual.entries())
      expect(Math.abs(value - (wanted[channel] ?? 0))).toBeLessThanOrEqual(tolerance);
  };

  /** Left half red, right half blue, with a green strip at the top. */
  const flag = (size: string, fps = 25, seconds = 2) => {
    const [width = 0, height = 0] = size.split("x").map(Number);
    return [
      ...words("-f lavfi -i"),
      `color=c=red:s=${size}:r=${fps}:d=${seconds},format=rgb24,` +
        `drawbox=x=${Math.floor(width / 2)}:w=${width}:h=${height}:c=blue:t=fill,` +
        `drawbox=w=${width}:h=${Math.floor(height / 4)}:c=lime:t=fill`,
    ];
  };
  const tagged = words("-vf scale=out_color_matrix=bt709:out_range=tv -colorspace bt709 -color_range tv");

  it("comes at a constant rate, exactly as many frames as were asked for", async () => {
    await ffmpeg(...flag("320x240", 30), ...tagged, ...h264, at("thirty.mp4"));
    const made = request("thirty.mp4", { seconds: 1.2 });
    expect(await media.footage(made)).toBe(30);
    expect((await stat(made.outPath)).size).toBe(30 * 128 * 96 * 1.5);
    const pixel = await frame(made);
    close(pixel(0.2, 0.7), [254, 0, 0]);
    close(pixel(0.8, 0.7), [0, 0, 254]);
    close(pixel(0.5, 0.1), [0, 255, 0]);
    expect(await media.footage(request("thirty.mp4", { fromSeconds: 1.5, seconds: 10 }))).toBeGreaterThan(10);
  });

  it("of a phone stands upright", async () => {
    await ffmpeg(...flag("320x240"), ...tagged, ...h264, at("flat.mp4"));
    await ffmpeg("-i", at("flat.mp4"), ...words("-c copy -metadata:s:v:0 rotate=90"), at("phone.mov"));
    expect((await media.facts(at("phone.mov"))).video).toMatchObject({ width: 240, height: 320 });
    const made = request("phone.mov", { width: 96, height: 128 });
    await media.footage(made);
    const pixel = await frame(made);
    // Turned by a quarter: what was at the top is at one side now.
    const sides = [pixel(0.06, 0.5), pixel(0.94, 0.5)];
    expect(
      sides.filter(([red = 0, green = 0, blue = 0]) => green > 200 && red < 60 && blue < 60),
    ).toHaveLength(1);
  });

  it("in the colours of old television is brought to those of the renderer", async () => {
    const old = words(
      "-vf scale=out_color_matrix=smpte170m:out_range=tv -colorspace smpte170m -color_range tv",
    );
    const full = words("-vf scale=out_color_matrix=bt709:out_range=pc -colorspace bt709 -color_range pc");
    const untagged = words("-vf scale=out_color_matrix=smpte170m:out_range=tv");
    for (const [name, colours] of Object.entries({ old, full, untagged })) {
      await ffmpeg(...flag("320x240"), ...colours, ...h264, at(`${name}.mp4`));
      const made = request(`${name}.mp4`);
      await media.footage(made);
      const pixel = await frame(made);
      close(pixel(0.2, 0.7), [254, 0, 0], 10);
      close(pixel(0.8, 0.7), [0, 0, 254], 10);
      close(pixel(0.5, 0.1), [0, 255, 0], 10);
    }
  });

  it.each([
    ["odd sides", "odd.mkv", "321x241", words("-c:v libx264 -qp 0 -pix_fmt yuv444p")],
    ["ten bits", "deep.mov", "320x240", words("-c:v libx264 -qp 4 -pix_fmt yuv420p10le")],
    [
      "HEVC",
      "hevc.mp4",
      "320x240",
      words("-c:v libx265 -x265-params log-level=none -crf 10 -pix_fmt yuv420p"),
    ],
    [
      "VP9",
      "vp9.webm",
      "320x240",
      words("-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -crf 15 -pix_fmt yuv420p"),
    ],
    ["ProRes", "prores.mov", "320x240", words("-c:v prores_ks")],
  ])("of %s is taken", async (_, name, size, encoding) => {
    await ffmpeg(...flag(size, 25, 1), ...tagged, ...encoding, at(name));
    const made = request(name);
    expect(await media.footage(made)).toBe(25);
    const pixel = await frame(made);
    close(pixel(0.2, 0.7), [254, 0, 0], 24);
    close(pixel(0.8, 0.7), [0, 0, 254], 24);
  });

  it("in high dynamic range is brought down, not clipped", async () => {
    const hdr =
      "-c:v libx265 -x265-params log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc " +
      "-pix_fmt yuv420p10le -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc";
    const linear =
      "gradients=s=320x240:c0=black:c1=white:x0=0:y0=0:x1=319:y1=0:speed=0.00001:d=1,format=gbrp";
    const pq = "zscale=tin=linear:pin=2020:t=smpte2084:p=2020:m=2020_ncl:npl=1000,format=yuv420p10le";
    await ffmpeg("-f", "lavfi", "-i", linear, "-vf", `format=gbrpf32le,${pq}`, ...words(hdr), at("hdr.mov"));
    const made = request("hdr.mov");
    await media.footage(made);
    const pixel = await frame(made);
    const [dark = 0, middle = 0, bright = 0] = [0.05, 0.5, 0.95].map((x) => pixel(x, 0.5)[1] ?? 0);
    expect(dark).toBeLessThan(middle - 30);
    expect(middle).toBeLessThan(bright);
    expect(middle).toBeLessThan(254);
  });

  it("with transparency is laid on a light wall", async () => {
    const source =
      "color=c=red@0.0:s=160x120:d=1,format=yuva420p,drawbox=w=80:h=120:c=red@1.0:t=fill:replace=1";
    for (const [name, encoding] of [
      ["clear.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -crf 15 -pix_fmt yuva420p"],
      ["clear8.webm", "-c:v libvpx -auto-alt-ref 0 -crf 10 -b:v 1M -pix_fmt yuva420p"],
      ["clear.mov", "-c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le"],
    ] as const) {
      await ffmpeg("-f", "lavfi", "-i", source, ...words(encoding), at(name));
      const made = request(name);
      expect(await media.footage(made)).toBe(25);
      const pixel = await frame(made, 5);
      close(pixel(0.8, 0.5), [224, 224, 224], 6);
      const [red = 0, green = 0] = pixel(0.2, 0.5);
      expect(red - green).toBeGreaterThan(150);
    }
  });

  it("with pixels that are not square is shown as it was meant", async () => {
    await ffmpeg(...flag("180x240"), ...tagged, ...h264, "-aspect", "4:3", at("wide.mp4"));
    expect((await media.facts(at("wide.mp4"))).video).toMatchObject({ width: 320, height: 240 });
    const region = { left: 160, top: 60, width: 160, height: 120 };
    const made = request("wide.mp4", { region });
    await media.footage(made);
    close((await frame(made))(0.1, 0.5), [0, 0, 254], 12);
  });

  it("of a changing rate comes in time", async () => {
    // Ten frames a second in the first half of every second, fifty in the other.
    const uneven = words("-vf select='lt(mod(t,1),0.5)*not(mod(n,5))+gte(mod(t,1),0.5)' -fps_mode vfr");
    await ffmpeg(...words("-f lavfi -i testsrc2=s=128x96:r=50:d=2"), ...uneven, ...h264, at("uneven.mkv"));
    expect(await media.footage(request("uneven.mkv", { seconds: 2 }))).toBe(50);
  });

  it("can be cut beyond the edges of the picture, which are then drawn out", async () => {
    await ffmpeg(...flag("320x240"), ...tagged, ...h264, at("edge.mp4"));
    const made = request("edge.mp4", { region: { left: -160, top: 120, width: 640, height: 480 } });
    await media.footage(made);
    const pixel = await frame(made);
    close(pixel(0.05, 0.1), [254, 0, 0]);
    close(pixel(0.95, 0.95), [0, 0, 254]);
    const outside = { left: 400, top: 0, width: 10, height: 10 };
    await expect(media.footage(request("edge.mp4", { region: outside }))).rejects.toThrow(RangeError);
  });

  it("ends in the middle when nobody wants it any more", async () => {
    await ffmpeg(...flag("640x360", 25, 8), ...h264, at("long.mp4"));
    const given = new AbortController();
    const work = media.footage(request("long.mp4", { seconds: 8, signal: given.signal }));
    await expect.poll(() => media.pids.length).toBeGreaterThan(0);
    given.abort(new Error("given up"));
    await expect(work).rejects.toThrow("given up");
  });
});

describe("clips", () => {
  it("play while they load, and say that AI made them", async () => {
    const made = { width: 64, height: 48, fps: 25, framesPath: at("grey.i420"), outPath: at("clip.mp4") };
    await writeFile(made.framesPath, Buffer.alloc(64 * 48 * 1.5 * 50, 128));
    await media.clip(made);
    expect(await readAiMarking(made.outPath)).toBe(
      "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia",
    );
    const bytes = await readFile(made.outPath);
    expect(bytes.indexOf("moov")).toBeLessThan(bytes.indexOf("mdat"));
    expect(await media.facts(made.outPath)).toMatchObject({
      durationSeconds: 2,
      video: { codec: "h264", width: 64, height: 48, fps: 25 },
      audio: null,
    });
    expect((await readdir(folder)).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it("of frames that are not there are no clips, and leave nothing", async () => {
    const outPath = at("never.mp4");
    const clip = media.clip({ framesPath: at("nowhere.i420"), width: 64, height: 48, fps: 25, outPath });
    await expect(clip).rejects.toThrow();
    await writeFile(at("short.i420"), Buffer.alloc(10));
    const short = media.clip({ framesPath: at("short.i420"), width: 64, height: 48, fps: 25, outPath });
    await expect(short).rejects.not.toThrow(MediaError);
    expect((await readdir(folder)).filter((name) => name.startsWith("never"))).toEqual([]);
  });

  it("that find no room are refused as such, and leave nothing", async () => {
    await writeFile(at("grey2.i420"), Buffer.alloc(64 * 48 * 1.5 * 50, 128));
    // What stands at the temporary name is a device that is always full.
    await symlink("/dev/full", at("full.mp4.part"));
    const outPath = at("full.mp4");
    const clip = media.clip({ framesPath: at("grey2.i420"), width: 64, height: 48, fps: 25, outPath });
    await expect(clip).rejects.toMatchObject({ code: "storage_full" });
    expect(existsSync(at("full.mp4.part"))).toBe(false);
  });
});
