// One call of a program: what it is asked, and how it ended.

import type { Limits } from "./programs.ts";

export interface RunRequest {
  program: "ffmpeg" | "ffprobe";
  args: readonly string[];
  limits: Limits;
  timeoutMs: number;
  /** Its input is of our own making: it may open it as who we are. Default: false. */
  isOurs?: boolean;
  /** More on its standard output ends it. */
  outputBytes: number;
  /** Where it runs and writes. */
  folder: string;
  signal?: AbortSignal | undefined;
}

export interface RunResult {
  /** How it ended: by itself, by a signal of the kernel, or by us. */
  end: "exit" | "signal" | "timeout" | "overflow";
  /** 0 when all went well; null unless it ended by itself. */
  code: number | null;
  /** The signal that ended it, whoever sent it. */
  killedBy: NodeJS.Signals | null;
  output: Buffer;
  /** The last of what it complained about. For deciding what went wrong, and for nobody to read. */
  complaints: string;
}
