import type { Pcm } from "../voices/voice.ts";
import { demuxerOf } from "./container.ts";
import { inputOptions, judge, words } from "./input.ts";
import { MediaError } from "./media.ts";
import type { Sandbox } from "./sandbox.ts";

/** Encoders pad what they are given: a file of exactly the longest length is a little longer. */
const PADDING_SECONDS = 0.25;
const TIMEOUT_MS = 120_000;

export interface SoundOptions {
  sampleRate: number;
  maxSeconds: number;
  signal?: AbortSignal;
}

/** The first sound track as mono PCM. Decoding ends a little after `maxSeconds`, however long the file is. */
export async function decodeSound(
  sandbox: Sandbox,
  path: string,
  { sampleRate, maxSeconds, signal }: SoundOptions,
): Promise<Pcm> {
  const demuxer = await demuxerOf(path);
  const kept = maxSeconds + PADDING_SECONDS;
  const most = Math.ceil((kept + 0.1) * sampleRate) * 2;
  const result = await sandbox.enter(
    async (folder, files) =>
      sandbox.run({
        program: "ffmpeg",
        args: [
          ...words("-v error -nostdin -filter_threads 1"),
          ...inputOptions(demuxer, 1),
          "-i",
          await files.input(path),
          ...words("-map 0:a:0 -vn -sn -dn -map_metadata -1"),
          "-t",
          String(kept + 0.05),
          ...words("-ac 1 -ar"),
          String(sampleRate),
          ...words("-f s16le pipe:1"),
        ],
        limits: { addressSpaceBytes: 2 ** 30, cpuSeconds: 40, fileBytes: 0 },
        timeoutMs: TIMEOUT_MS,
        outputBytes: most,
        folder,
        signal,
      }),
    signal,
  );
  judge(result, "sound");
  const { output } = result;
  if (output.length < 2) throw new MediaError("unreadable", "The file has no sound that could be decoded.");
  const count = Math.floor(output.length / 2);
  if (count > kept * sampleRate) {
    throw new MediaError("too_long", `The sound is longer than ${maxSeconds} seconds.`);
  }
  return { samples: samplesOf(output, count), sampleRate };
}

/** Little-endian, as every machine that this runs on is. */
export function samplesOf(pcm: Buffer, count: number): Int16Array {
  if (pcm.byteOffset % 2 === 0) return new Int16Array(pcm.buffer, pcm.byteOffset, count);
  const bytes = new Uint8Array(count * 2);
  bytes.set(pcm.subarray(0, count * 2));
  return new Int16Array(bytes.buffer);
}
