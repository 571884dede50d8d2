import { stat } from "node:fs/promises";
import { inputPath, judge, words } from "./input.ts";
import type { ClipRequest } from "./media.ts";
import { writeMp4 } from "./mp4-writing.ts";
import type { Sandbox } from "./sandbox.ts";

const TIMEOUT_MS = 240_000;

/** Complete or absent: see `writeMp4`. */
export async function encodeClip(
  sandbox: Sandbox,
  { framesPath, width, height, fps, outPath, signal }: ClipRequest,
): Promise<void> {
  const { size } = await stat(framesPath);
  await writeMp4(sandbox, {
    outPath,
    args: [
      ...words("-protocol_whitelist file -f rawvideo -pix_fmt yuv420p -s"),
      `${width}x${height}`,
      "-r",
      String(fps),
      "-i",
      inputPath(framesPath),
      ...words("-an -threads 2"),
      ...words("-c:v libx264 -preset veryfast -crf 20 -profile:v high"),
      ...words("-pix_fmt yuv420p -x264-params open-gop=0 -g"),
      String(fps * 2),
      ...words("-color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range tv"),
      ...words("-flags:v +bitexact"),
    ],
    // A clip that were larger than its frames would be no clip.
    limits: { addressSpaceBytes: 3 * 2 ** 30, cpuSeconds: 400, fileBytes: size + 1024 * 1024 },
    timeoutMs: TIMEOUT_MS,
    marking: "trainedAlgorithmicMedia",
    judge: (result) => {
      // The frames are ours: whatever goes wrong with them is no fault of a file.
      if (result.end !== "exit" || result.code !== 0) judgeOwn(result);
    },
    signal,
  });
}

function judgeOwn(result: Parameters<typeof judge>[0]): never {
  if (/No space left on device/i.test(result.complaints)) judge(result, "video");
  throw new Error(`The clip could not be encoded (${result.end}).`);
}
