import { stat } from "node:fs/promises";
import { inputPath, judge, words } from "./input.ts";
import type { RecordingRequest } from "./media.ts";
import { writeMp4 } from "./mp4-writing.ts";
import type { Sandbox } from "./sandbox.ts";

/** Mixing is many times faster than playing, unless a session needs the machine. */
const LEAST_SECONDS = 120;
const PCM_BYTES_PER_SECOND = 32_000;
/** Of the sound that is encoded, with its index. */
const SOUND_BYTES_PER_SECOND = 24_000;

/** The picture as it was recorded, both voices in one track. Complete or absent: see `writeMp4`. */
export async function mixRecording(
  sandbox: Sandbox,
  { livePath, microphonePath, outPath, signal }: RecordingRequest,
): Promise<void> {
  const [{ size }, heard] = await Promise.all([stat(livePath), stat(microphonePath).catch(() => null)]);
  const heardBytes = heard?.size ?? 0;
  // Of the picture's length only its size is known: at the least bitrate that a stage sends.
  const seconds = Math.max(LEAST_SECONDS, heardBytes / PCM_BYTES_PER_SECOND, size / 6_250);
  await writeMp4(sandbox, {
    outPath,
    args: [
      ...words("-filter_threads 1 -protocol_whitelist file -f matroska -threads 1 -i"),
      inputPath(livePath),
      ...(heardBytes > 0 ? [...words("-f s16le -ar 16000 -ac 1 -i"), inputPath(microphonePath)] : []),
      "-filter_complex",
      mix(heardBytes > 0),
      ...words("-map 0:v:0 -map [mixed] -c:v copy -c:a aac -b:a 128k -threads 1 -flags:a +bitexact"),
    ],
    limits: {
      addressSpaceBytes: 2 * 2 ** 30,
      cpuSeconds: Math.ceil(seconds),
      fileBytes: Math.ceil(size + seconds * SOUND_BYTES_PER_SECOND + 64 * 1024 * 1024),
    },
    timeoutMs: seconds * 1000,
    marking: "compositeWithTrainedAlgorithmicMedia",
    judge: (result) => judge(result, "video"),
    signal,
  });
}

/** Both as loud as they were. Where they add up to more than there is room for, the limiter gives way for a moment. */
function mix(heard: boolean): string {
  const voice = "[0:a:0]aresample=48000:async=1:first_pts=0";
  const limited = "alimiter=limit=0.89:level=false:latency=true,aformat=channel_layouts=mono[mixed]";
  if (!heard) return `${voice},${limited}`;
  return [
    `${voice},aformat=sample_fmts=fltp:channel_layouts=mono[voice]`,
    "[1:a:0]aresample=48000,aformat=sample_fmts=fltp:channel_layouts=mono[microphone]",
    `[voice][microphone]amix=inputs=2:duration=first:dropout_transition=0:normalize=0,${limited}`,
  ].join(";");
}
