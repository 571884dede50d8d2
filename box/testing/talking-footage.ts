// A video of somebody who speaks and moves, made from a stock face: footage for tests without footage of a person.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FaceFinder } from "../avatars/landmarks.ts";
import { buildPhoto, checkPhoto, nativeBuilder } from "../avatars/prepare.ts";
import { FakeMediaFiles } from "./fake-media-files.ts";

export interface TalkingFootageOptions {
  finder: FaceFinder;
  outPath: string;
  face?: "maya" | "theo";
  seconds?: number;
  fps?: number;
  /** Of the whole picture, in which the face wanders. */
  width?: number;
  height?: number;
  /** Pixels that it wanders to each side. */
  sway?: number;
  /** The viseme at a moment, and how strong it is; null is a mouth at rest. */
  speech?(seconds: number): { viseme: number; weight: number } | null;
  /** Seconds at which nobody is in the picture. */
  gone?: { from: number; to: number };
  /** Further arguments of ffmpeg before the output: another codec, another shape of pixels. */
  encoding?: readonly string[];
}

const FACE_SIDE = 512;
/** Half a second of rest, then open and shut: aa, PP, O, E. */
const syllables = [10, 1, 13, 11];

export function syllableAt(seconds: number): { viseme: number; weight: number } | null {
  if (seconds < 0.5) return null;
  const beat = (seconds - 0.5) * 4;
  return {
    viseme: syllables[Math.floor(beat) % syllables.length] ?? 0,
    weight: Math.sin(Math.PI * (beat % 1)) * 0.9,
  };
}

export async function renderTalkingFootage({
  finder,
  outPath,
  face = "maya",
  seconds = 3,
  fps = 25,
  width = 640,
  height = 576,
  sway = 30,
  speech = syllableAt,
  gone,
  encoding = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "16", "-pix_fmt", "yuv420p"],
}: TalkingFootageOptions): Promise<void> {
  const native = await import("../../native/binding/index.js");
  const avatarDir = await mkdtemp(join(tmpdir(), "visavis-talking-"));
  try {
    const bytes = await readFile(fileURLToPath(new URL(`../avatars/stock/${face}.png`, import.meta.url)));
    const photo = await checkPhoto({ bytes, framing: "bust", finder, media: new FakeMediaFiles() });
    const { frames } = await buildPhoto({
      photo,
      outDir: avatarDir,
      motion: 1,
      seed: 11,
      builder: nativeBuilder,
    });
    const [x, y] = [
      `(W-w)/2+${sway}*sin(2.1*t)`,
      `(H-h)+${Math.round(Math.max(0, (height - FACE_SIDE) / 4))}*sin(1.3*t)`,
    ];
    const shown = gone ? `:enable='not(between(t,${gone.from},${gone.to}))'` : "";
    const encoder = spawn(
      "ffmpeg",
      [
        ..."-v error -nostdin -y -f lavfi -i".split(" "),
        `color=c=0xB8B0A8:s=${width}x${height}:r=${fps}`,
        ..."-f rawvideo -pix_fmt rgb24 -s".split(" "),
        `${FACE_SIDE}x${FACE_SIDE}`,
        "-r",
        String(fps),
        "-i",
        "pipe:0",
        "-filter_complex",
        `[0][1]overlay=x='${x}':y='${y}':shortest=1:format=rgb${shown},scale=out_color_matrix=bt709:out_range=tv`,
        ..."-colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv".split(" "),
        ...encoding,
        outPath,
      ],
      { stdio: ["pipe", "ignore", "inherit"] },
    );
    const ended = once(encoder, "close");
    encoder.stdin.on("error", () => undefined);
    for (let frame = 0; frame < Math.round(seconds * fps); frame += 1) {
      const weights = Array.from({ length: 15 }, () => 0);
      const said = speech(frame / fps);
      if (said) weights[said.viseme] = said.weight;
      const { rgb } = native.renderFrame({ avatarDir, frame: frame % frames, weights });
      if (!encoder.stdin.write(rgb)) await Promise.race([once(encoder.stdin, "drain"), ended]);
    }
    encoder.stdin.end();
    const [code] = await ended;
    if (code !== 0) throw new Error("The footage could not be encoded.");
  } finally {
    await rm(avatarDir, { recursive: true, force: true });
  }
}
