// Frames of a video as the renderer wants them: upright, cut, scaled, at a constant rate, 8-bit I420 in BT.709 limited range.

import { stat } from "node:fs/promises";
import { inputOptions, judge, words } from "./input.ts";
import { MediaError, type FootageRequest, type Region } from "./media.ts";
import { probeIn, type Probe } from "./probe.ts";
import type { Sandbox } from "./sandbox.ts";

type VideoFacts = NonNullable<Probe["video"]>;

/** The largest pictures are decoded at a few frames a second where a live session has the cores. */
const TIMEOUT_MS = 600_000;
const LIMITS = { addressSpaceBytes: 3 * 2 ** 30, cpuSeconds: 900 };
/** From this height on, video that does not say so is in BT.709; below it is in BT.601, as broadcasting had it. */
const HD_HEIGHT = 720;
/** What transparent video is laid on: a light wall, as photographs are. */
const BACKGROUND = "0xE0E0E0";
/** Brightest white of a screen that HDR is brought down to, in candela a square metre. */
const SDR_WHITE = 203;

/** Matrices as the `scale` filter calls them, by FFmpeg's names of them in streams. */
const matrices: Record<string, string> = {
  bt709: "bt709",
  smpte170m: "smpte170m",
  bt470bg: "bt470",
  fcc: "fcc",
  smpte240m: "smpte240m",
  bt2020nc: "bt2020",
  bt2020c: "bt2020",
};

/** Returns how many frames were written. Rejects with MediaError. */
export async function decodeFootage(sandbox: Sandbox, request: FootageRequest): Promise<number> {
  const { path, width, height, fps, fromSeconds, seconds, outPath, signal } = request;
  if (width % 2 !== 0 || height % 2 !== 0 || width < 2 || height < 2) {
    throw new RangeError("Frames have even sides.");
  }
  const frameBytes = (width * height * 3) / 2;
  const most = Math.max(1, Math.round(seconds * fps));
  await sandbox.enter(async (folder, files) => {
    const { video, demuxer } = await probeIn(sandbox, { path, folder, files, signal });
    if (!video) throw new MediaError("unsupported", "The file has no picture.");
    const ran = await sandbox.run({
      program: "ffmpeg",
      args: [
        ...words("-v error -nostdin -filter_threads 1 -filter_complex_threads 1"),
        ...alphaDecoder(video),
        ...inputOptions(demuxer, 2),
        ...(fromSeconds > 0 ? ["-ss", fromSeconds.toFixed(3)] : []),
        "-t",
        (seconds + 1).toFixed(3),
        "-i",
        await files.input(path),
        "-filter_complex",
        filters(video, request),
        ...words("-map [out] -an -sn -dn"),
        ...words("-map_metadata -1 -frames:v"),
        String(most),
        ...words("-pix_fmt yuv420p -f rawvideo"),
        "-y",
        files.output(outPath),
      ],
      limits: { ...LIMITS, fileBytes: most * frameBytes },
      timeoutMs: TIMEOUT_MS,
      outputBytes: 0,
      folder,
      signal,
    });
    judge(ran, "video");
    await files.take(outPath);
  }, signal);
  const { size } = await stat(outPath);
  const frames = Math.floor(size / frameBytes);
  if (frames === 0) throw new MediaError("unreadable", "The video has no frames that could be decoded.");
  if (size !== frames * frameBytes || frames > most) throw new Error("The decoder wrote half a frame.");
  return frames;
}

/** FFmpeg's own decoders of VP8 and VP9 leave transparency out. */
function alphaDecoder({ hasAlpha, codec }: VideoFacts): string[] {
  if (!hasAlpha) return [];
  if (codec === "vp8") return ["-c:v", "libvpx"];
  return codec === "vp9" ? ["-c:v", "libvpx-vp9"] : [];
}

function filters(video: VideoFacts, request: FootageRequest): string {
  const { fps, width, height, region } = request;
  const chain = [`fps=${fps}`];
  // A phone's picture has been turned upright by now; pixels that are not square are made so.
  if (!video.squarePixels) chain.push(`scale=${video.width}:${video.height}:flags=bicubic`);
  chain.push("setsar=1");
  if (region) chain.push(...cut(region, video));
  chain.push(...toBt709(video, width, height));
  if (!video.hasAlpha) return `[0:${video.index}]${chain.join(",")}[out]`;
  const wall = `color=c=${BACKGROUND}:s=${width}x${height}:r=${fps},format=yuv444p,setparams=range=tv:colorspace=bt709`;
  return (
    `[0:${video.index}]${chain.join(",")}[face];${wall}[wall];` +
    "[wall][face]overlay=shortest=1:format=yuv444,format=yuv420p[out]"
  );
}

/** A rectangle that may reach outside the picture, whose edges are then drawn out. */
function cut(region: Region, picture: { width: number; height: number }): string[] {
  const left = Math.max(0, Math.floor(region.left));
  const top = Math.max(0, Math.floor(region.top));
  const width = Math.min(picture.width, Math.ceil(region.left + region.width)) - left;
  const height = Math.min(picture.height, Math.ceil(region.top + region.height)) - top;
  if (!(width > 0 && height > 0)) throw new RangeError("The region lies outside the picture.");
  const before = { left: left - Math.floor(region.left), top: top - Math.floor(region.top) };
  const after = {
    right: Math.max(0, Math.ceil(region.width) - width - before.left),
    bottom: Math.max(0, Math.ceil(region.height) - height - before.top),
  };
  const steps = [`crop=${width}:${height}:${left}:${top}`];
  // At full colour resolution, so that borders of odd width are possible.
  if (before.left + before.top + after.right + after.bottom > 0) steps.push("format=yuv444p");
  const missing = { ...before, ...after };
  const now = { width, height };
  // The filter draws no border that is wider than what it borders.
  while (missing.left + missing.right + missing.top + missing.bottom > 0) {
    const border = {
      left: Math.min(missing.left, now.width),
      right: Math.min(missing.right, now.width),
      top: Math.min(missing.top, now.height),
      bottom: Math.min(missing.bottom, now.height),
    };
    now.width += border.left + border.right;
    now.height += border.top + border.bottom;
    steps.push(
      `pad=${now.width}:${now.height}:${border.left}:${border.top}`,
      `fillborders=left=${border.left}:right=${border.right}:top=${border.top}:bottom=${border.bottom}:mode=smear`,
    );
    missing.left -= border.left;
    missing.right -= border.right;
    missing.top -= border.top;
    missing.bottom -= border.bottom;
  }
  return steps;
}

function toBt709(video: VideoFacts, width: number, height: number): string[] {
  const pixels = video.hasAlpha ? "yuva444p" : "yuv420p";
  if (video.transfer === "smpte2084" || video.transfer === "arib-std-b67") {
    // HDR is brought down at the small size: light is added up before it is bent.
    return [
      `scale=${width}:${height}:flags=lanczos`,
      `zscale=min=2020_ncl:pin=2020:tin=${video.transfer}:t=linear:npl=${SDR_WHITE}`,
      "format=gbrpf32le",
      "zscale=p=709",
      "tonemap=tonemap=mobius:desat=0",
      "zscale=t=709:m=709:r=limited:d=error_diffusion",
      `format=${pixels}`,
    ];
  }
  const matrix =
    matrices[video.matrix] ?? (Math.min(video.width, video.height) >= HD_HEIGHT ? "bt709" : "smpte170m");
  return [
    `scale=${width}:${height}:flags=lanczos+accurate_rnd+full_chroma_int:in_color_matrix=${matrix}:` +
      "out_color_matrix=bt709:out_range=tv",
    `format=${pixels}`,
  ];
}
