// The programs that decode and encode, and those that confine them.

import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../failure.ts";

const names = ["ffmpeg", "ffprobe", "prlimit", "setpriv", "nice"] as const;
export type ProgramName = (typeof names)[number];

/** Absolute paths, so that a process needs no PATH of ours. */
export type Programs = Record<ProgramName, string> & { unshare?: string };

/** Where the programs are, or which of them are missing. */
export function findPrograms(
  folders: readonly string[] = [...(process.env.PATH ?? "").split(":"), "/usr/local/bin", "/usr/bin", "/bin"],
): { case: "found"; programs: Programs } | { case: "missing"; missing: ProgramName[] } {
  const entries = names.map((name) => [name, findProgram(name, folders)] as const);
  const missing = entries.flatMap(([name, path]) => (path === undefined ? [name] : []));
  if (missing.length > 0) return { case: "missing", missing };
  const programs = Object.fromEntries(entries) as Record<ProgramName, string>;
  const unshare = findProgram("unshare", folders);
  return { case: "found", programs: { ...programs, ...(unshare ? { unshare } : {}) } };
}

function findProgram(name: string, folders: readonly string[]): string | undefined {
  return folders
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

export function missingPrograms(missing: readonly ProgramName[]): Refusal {
  return new Refusal(
    "feature_disabled",
    `This box cannot read or write media files: ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not installed.`,
  );
}

export interface Confinement {
  /** What a command begins with to have no network; empty where the machine does not let us take it away. */
  offline: readonly string[];
  /** Arguments of setpriv that make it nobody's process. Only root needs them, since only root may read everything. */
  asNobody: readonly string[];
}

/** What a process may use; past it the kernel refuses, or ends it. */
export interface Limits {
  /** Everything it maps, libraries and stacks included. */
  addressSpaceBytes: number;
  /** What it may really write to: heap and private pages. Default: the whole address space. */
  dataBytes?: number;
  cpuSeconds: number;
  /** Of every file that it writes; 0: it writes none. */
  fileBytes: number;
  openFiles?: number;
}

/**
 * A command that runs a program within limits, at low priority, only for as long as this process lives, and without ever
 * gaining a power: where the machine lets us, without a network, and as nobody where we are root.
 */
export function confined(
  { prlimit, setpriv, nice }: Programs,
  { limits, confinement: { offline, asNobody } }: { limits: Limits; confinement: Confinement },
  command: readonly [string, ...string[]],
): [string, ...string[]] {
  const { addressSpaceBytes, dataBytes = addressSpaceBytes, cpuSeconds, fileBytes, openFiles = 64 } = limits;
  const limited = [
    prlimit,
    `--as=${addressSpaceBytes}`,
    `--data=${dataBytes}`,
    // At the first limit a signal that ends it, at the second one that nothing can catch.
    `--cpu=${cpuSeconds}:${cpuSeconds + 2}`,
    `--fsize=${fileBytes}`,
    `--nofile=${openFiles}`,
    "--core=0",
    "--",
    setpriv,
    "--no-new-privs",
    ...asNobody,
    "--pdeathsig",
    "KILL",
    nice,
    "-n",
    "10",
    ...command,
  ] as const;
  const [first = prlimit, ...rest] = [...offline, ...limited];
  return [first, ...rest];
}
