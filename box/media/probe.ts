// What a file says of itself, and whether that can be true.

import { z } from "zod";
import type { Handover } from "./confinement.ts";
import type { Demuxer } from "./container.ts";
import { demuxerOf } from "./container.ts";
import { codecsRead, inputOptions, judge, words } from "./input.ts";
import { MediaError, type FileFacts } from "./media.ts";
import type { Sandbox } from "./sandbox.ts";

/** What decoding needs to know on top of the facts. */
export interface Probe {
  demuxer: Demuxer;
  facts: FileFacts;
  video: {
    /** Of the stream within the file. */
    index: number;
    codec: string;
    /** Of the upright picture with square pixels. */
    width: number;
    height: number;
    squarePixels: boolean;
    pixelFormat: string;
    /** As the stream is tagged; empty where it is not. */
    matrix: string;
    transfer: string;
    hasAlpha: boolean;
  } | null;
}

const LIMITS = { addressSpaceBytes: 2 * 2 ** 30, cpuSeconds: 10, fileBytes: 0 };
const TIMEOUT_MS = 30_000;
const ENTRIES = [
  "format=format_name,duration",
  "stream=index,codec_type,codec_name,width,height,pix_fmt,sample_aspect_ratio,avg_frame_rate,r_frame_rate," +
    "sample_rate,channels,duration,color_space,color_transfer",
  "stream_disposition=attached_pic",
  "stream_tags=alpha_mode",
  "stream_side_data=rotation",
].join(":");

/** Longer than any file that fits the limits of an upload. */
const LONGEST_SECONDS = 100 * 3600;
const LARGEST_SIDE = 65_535;

const text = z.string().max(100);
const whole = (least: number, most: number) => z.number().int().min(least).max(most);

const streamSchema = z.object({
  index: whole(0, 10_000),
  codec_type: text.optional(),
  codec_name: text.optional(),
  width: whole(0, LARGEST_SIDE).optional(),
  height: whole(0, LARGEST_SIDE).optional(),
  pix_fmt: text.optional(),
  sample_aspect_ratio: text.optional(),
  avg_frame_rate: text.optional(),
  r_frame_rate: text.optional(),
  sample_rate: text.optional(),
  channels: whole(0, 1_000).optional(),
  duration: text.optional(),
  color_space: text.optional(),
  color_transfer: text.optional(),
  disposition: z.object({ attached_pic: z.number().optional() }).optional(),
  tags: z.record(z.string(), z.string()).optional(),
  side_data_list: z.array(z.object({ rotation: z.number().optional() })).optional(),
});
type Stream = z.infer<typeof streamSchema>;

const reportSchema = z.object({
  streams: z.array(streamSchema).max(1_000).default([]),
  format: z.object({ format_name: text, duration: text.optional() }),
});

/** Rejects with MediaError for a file that is of another kind, damaged, or says what cannot be. */
export function probe(sandbox: Sandbox, path: string, signal?: AbortSignal): Promise<Probe> {
  return sandbox.enter((folder, files) => probeIn(sandbox, { path, folder, files, signal }), signal);
}

/** As `probe`, for work that has its place and folder already. */
export async function probeIn(
  sandbox: Sandbox,
  {
    path,
    folder,
    files,
    signal,
  }: { path: string; folder: string; files: Handover; signal?: AbortSignal | undefined },
): Promise<Probe> {
  const demuxer = await demuxerOf(path);
  const result = await sandbox.run({
    program: "ffprobe",
    args: [
      ...words("-v error -of json -show_entries"),
      ENTRIES,
      ...inputOptions(demuxer, 1),
      "-i",
      await files.input(path),
    ],
    limits: LIMITS,
    timeoutMs: TIMEOUT_MS,
    outputBytes: 1024 * 1024,
    folder,
    signal,
  });
  judge(result, demuxer === "mov" || demuxer === "matroska" ? "video" : "sound");
  return readReport(demuxer, result.output.toString("utf8"));
}

/** Throws MediaError. */
export function readReport(demuxer: Demuxer, json: string): Probe {
  const report = reportSchema.safeParse(parseJson(json));
  if (!report.success)
    throw new MediaError("unreadable", "The file says things of itself that cannot be true.");
  const { streams, format } = report.data;
  const picture = streams.find(
    (stream) => stream.codec_type === "video" && stream.disposition?.attached_pic !== 1,
  );
  // A picture may be looked at whatever its sound is encoded in.
  const sound = streams.find(
    ({ codec_type, codec_name = "" }) => codec_type === "audio" && (!picture || codecsRead.has(codec_name)),
  );
  const video = picture ? videoOf(picture) : null;
  const facts: FileFacts = {
    container: format.format_name,
    durationSeconds: secondsOf(format.duration ?? picture?.duration ?? sound?.duration),
    video: video && { codec: video.codec, width: video.width, height: video.height, fps: video.fps },
    audio: sound ? soundOf(sound) : null,
  };
  if (!facts.video && !facts.audio) {
    throw new MediaError("unreadable", "The file has neither picture nor sound.");
  }
  return { demuxer, facts, video };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function videoOf(stream: Stream): NonNullable<Probe["video"]> & { fps: number } {
  const codec = codecOf(stream);
  const { width = 0, height = 0 } = stream;
  if (width < 1 || height < 1) throw new MediaError("unreadable", "The video does not say how large it is.");
  const pixelShape = ratioOf(stream.sample_aspect_ratio?.replace(":", "/")) ?? 1;
  if (pixelShape < 1 / 16 || pixelShape > 16) {
    throw new MediaError("unreadable", "The video has pixels of an impossible shape.");
  }
  const turn = stream.side_data_list?.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0;
  const onItsSide = Math.abs(Math.round(turn / 90)) % 2 === 1;
  const shown = { width: Math.max(1, Math.round(width * pixelShape)), height };
  const fps = rateOf(stream.avg_frame_rate) ?? rateOf(stream.r_frame_rate);
  if (fps === undefined) {
    throw new MediaError("unreadable", "The video does not say how many frames a second it has.");
  }
  return {
    index: stream.index,
    codec,
    width: onItsSide ? shown.height : shown.width,
    height: onItsSide ? shown.width : shown.height,
    squarePixels: pixelShape === 1,
    pixelFormat: stream.pix_fmt ?? "",
    matrix: stream.color_space ?? "",
    transfer: stream.color_transfer ?? "",
    hasAlpha:
      stream.tags?.alpha_mode === "1" || /^(yuva|gbrap|rgba|bgra|argb|abgr|ya)/.test(stream.pix_fmt ?? ""),
    fps,
  };
}

function soundOf(stream: Stream): NonNullable<FileFacts["audio"]> {
  const sampleRate = Number(stream.sample_rate);
  const channels = stream.channels ?? 0;
  const codec = codecOf(stream);
  if (!(Number.isInteger(sampleRate) && sampleRate >= 1_000 && sampleRate <= 768_000)) {
    throw new MediaError("unreadable", "The sound has an impossible sample rate.");
  }
  if (channels < 1 || channels > 64) {
    throw new MediaError("unreadable", "The sound has an impossible number of channels.");
  }
  return { codec, sampleRate, channels };
}

function codecOf({ codec_name = "unknown" }: Stream): string {
  if (codecsRead.has(codec_name)) return codec_name;
  throw new MediaError("unsupported", "The file is encoded in a way that is not read here.");
}

function secondsOf(said: string | undefined): number | null {
  if (said === undefined || said === "N/A") return null;
  const seconds = Number(said);
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= LONGEST_SECONDS) return seconds;
  throw new MediaError("unreadable", "The file says that it is impossibly long.");
}

function ratioOf(said: string | undefined): number | undefined {
  const match = /^(\d{1,10})\/(\d{1,10})$/.exec(said ?? "");
  const [above, below] = [Number(match?.[1]), Number(match?.[2])];
  return match && above > 0 && below > 0 ? above / below : undefined;
}

function rateOf(said: string | undefined): number | undefined {
  const rate = ratioOf(said);
  return rate !== undefined && rate > 0 && rate <= 1_000_000 ? rate : undefined;
}
