// Small files of every kind that is taken in, made when a test needs them.

import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";

const run = promisify(execFile);

export async function ffmpeg(...args: string[]): Promise<void> {
  await run("ffmpeg", ["-v", "error", "-nostdin", "-y", ...args]);
}

const bars = (seconds: number, size = "192x144", fps = 25) => [
  ..."-f lavfi -i".split(" "),
  `testsrc2=s=${size}:r=${fps}:d=${seconds}`,
];
const tone = (seconds: number) => ["-f", "lavfi", "-i", `sine=frequency=330:sample_rate=24000:d=${seconds}`];
const h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p".split(" ");
const both = [...bars(0.6), ...tone(0.6), "-shortest"];

const videos: Record<string, string[]> = {
  "plain.mp4": [...both, ...h264, "-c:a", "aac"],
  "phone.mov": [...both, ...h264, "-bf", "0", "-c:a", "pcm_s16le"],
  "fragments.mp4": [...both, ...h264, "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"],
  "browser.webm": [...both, ..."-c:v libvpx -deadline realtime -b:v 200k -c:a libopus".split(" ")],
  "vp9.webm": [...bars(0.4), ..."-c:v libvpx-vp9 -deadline realtime -cpu-used 8".split(" ")],
  "screen.mkv": [...both, ...h264, "-c:a", "flac"],
};
const sounds: Record<string, string[]> = {
  "speech.wav": [...tone(0.5)],
  "speech.mp3": [...tone(0.5), "-c:a", "libmp3lame"],
  "speech.ogg": [...tone(0.5), "-c:a", "libopus"],
  "vorbis.ogg": [...tone(0.5), "-c:a", "libvorbis"],
  "speech.flac": [...tone(0.5)],
  "speech.m4a": [...tone(0.5), "-c:a", "aac"],
};

export interface MediaSample {
  name: string;
  kind: "photo" | "video" | "sound";
  bytes: Buffer;
}

/** One of each, made in `folder`. */
export async function mediaSamples(folder: string): Promise<MediaSample[]> {
  await mkdir(folder, { recursive: true });
  const encoded = async (kind: "video" | "sound", recipes: Record<string, string[]>) => {
    const samples: MediaSample[] = [];
    for (const [name, args] of Object.entries(recipes)) {
      const path = join(folder, name);
      await ffmpeg(...args, path);
      samples.push({ name, kind, bytes: await readFile(path) });
    }
    return samples;
  };
  return [...(await photos()), ...(await encoded("video", videos)), ...(await encoded("sound", sounds))];
}

async function photos(): Promise<MediaSample[]> {
  const side = 160;
  const ramp = Buffer.from(
    Array.from({ length: side * side * 3 }, (_, at) => (at * 7 + Math.floor(at / (side * 3)) * 3) & 0xff),
  );
  const picture = () => sharp(ramp, { raw: { width: side, height: side, channels: 3 } });
  const made = {
    "plain.png": picture().png(),
    "palette.png": picture().png({ palette: true, progressive: true }),
    "deep.png": picture().toColourspace("rgb16").png(),
    "plain.jpg": picture().jpeg({ quality: 80 }),
    "progressive.jpg": picture().jpeg({ progressive: true }),
    "turned.jpg": picture().withMetadata({ orientation: 6 }).jpeg(),
  };
  return Promise.all(
    Object.entries(made).map(async ([name, image]) => ({
      name,
      kind: "photo" as const,
      bytes: await image.toBuffer(),
    })),
  );
}
