// An MP4 of ours: complete or absent, and marked as made by AI.

import { rename, rm } from "node:fs/promises";
import { inputPath, words } from "./input.ts";
import type { Sandbox } from "./sandbox.ts";
import { writeAiMarking } from "./xmp.ts";

type Run = Parameters<Sandbox["run"]>[0];

export interface Mp4 extends Pick<Run, "limits" | "timeoutMs"> {
  outPath: string;
  /** What FFmpeg reads and how it encodes that. */
  args: readonly string[];
  marking: Parameters<typeof writeAiMarking>[1];
  /** Throws where the run did not end well. */
  judge(result: Awaited<ReturnType<Sandbox["run"]>>): void;
  signal?: AbortSignal | undefined;
}

/** It is written under another name beside `outPath`, without anything that tells of its source, and then moved there. */
export async function writeMp4(
  sandbox: Sandbox,
  { outPath, args, marking, judge, limits, timeoutMs, signal }: Mp4,
): Promise<void> {
  const partPath = `${outPath}.part`;
  const written = words("-map_metadata -1 -fflags +bitexact -movflags +faststart -f mp4 -y");
  try {
    const result = await sandbox.enter(
      (folder) =>
        sandbox.run({
          program: "ffmpeg",
          args: [...words("-v error -nostdin"), ...args, ...written, inputPath(partPath)],
          limits,
          timeoutMs,
          isOurs: true,
          outputBytes: 0,
          folder,
          signal,
        }),
      signal,
    );
    judge(result);
    await writeAiMarking(partPath, marking);
    await rename(partPath, outPath);
  } catch (error) {
    await rm(partPath, { force: true });
    throw error;
  }
}
