// What can be taken from a process before it opens a stranger's file: that depends on who we are and where we run.

import { spawnSync } from "node:child_process";
import { chown, copyFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { inputPath } from "./input.ts";
import type { Confinement, Programs } from "./programs.ts";

/** The user and group that own nothing. */
export const NOBODY = 65_534;

const asNobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

/** Tries it out, since neither containers nor services say what they forbid. */
export function findConfinement(
  { unshare, setpriv }: Programs,
  isRoot = process.getuid?.() === 0,
): Confinement {
  // Without root's powers only somebody with a namespace of users may have one of networks.
  const offline = unshare ? [unshare, ...(isRoot ? [] : ["--map-current-user"]), "--net"] : [];
  return {
    offline: works(offline, setpriv) ? offline : [],
    asNobody: isRoot && works([setpriv, ...asNobody], setpriv) ? asNobody : [],
  };
}

function works([program, ...args]: readonly string[], target: string): boolean {
  if (program === undefined) return false;
  const { status } = spawnSync(program, [...args, target, "--version"], { stdio: "ignore", timeout: 10_000 });
  return status === 0;
}

/** Files of a call: a process that is nobody's sees no folder but its own, so that they are brought there and back. */
export class Handover {
  readonly #folder: string;
  readonly #isNeeded: boolean;
  #brought: Promise<string> | undefined;

  constructor(folder: string, { asNobody: needed }: Confinement) {
    this.#folder = folder;
    this.#isNeeded = needed.length > 0;
  }

  /** What the one input is called to the process. */
  input(path: string): Promise<string> {
    this.#brought ??= this.#bring(path);
    return this.#brought;
  }

  async #bring(path: string): Promise<string> {
    if (!this.#isNeeded) return inputPath(path);
    const copy = join(this.#folder, "input");
    await copyFile(path, copy);
    await chown(copy, NOBODY, NOBODY);
    return inputPath("input");
  }

  /** What the one output is called to the process. */
  output(path: string): string {
    return inputPath(this.#isNeeded ? "output" : path);
  }

  /** Puts the output where it belongs, as ours. */
  async take(path: string): Promise<void> {
    if (!this.#isNeeded) return;
    const made = join(this.#folder, "output");
    await chown(made, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    try {
      await rename(made, path);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
      await copyFile(made, path).catch(async (fault: unknown) => {
        await rm(path, { force: true });
        throw fault;
      });
    }
  }
}
