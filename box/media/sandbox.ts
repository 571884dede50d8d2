// One process a call: confined, timed, and gone when the call is over.

import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { chown, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { findConfinement, Handover, NOBODY } from "./confinement.ts";
import { makeWorkFolder } from "./leftovers.ts";
import { confined, type Confinement, type Limits, type Programs } from "./programs.ts";
import type { RunRequest, RunResult } from "./run.ts";
import { Slots } from "./slots.ts";

/** Of a process's complaints the end is kept. */
const COMPLAINTS_KEPT = 4_096;

export class SandboxClosed extends Error {
  constructor() {
    super("Media was closed.");
    this.name = "SandboxClosed";
  }
}

export class Sandbox {
  readonly programs: Programs;
  readonly confinement: Confinement;
  readonly #slots: Slots;
  readonly #parent: string;
  /** What is running, each with a promise of its end. */
  readonly #running = new Map<ChildProcess, Promise<void>>();
  #closed = false;

  constructor({
    programs,
    processes = 2,
    folder = tmpdir(),
  }: {
    programs: Programs;
    processes?: number;
    folder?: string;
  }) {
    this.programs = programs;
    this.confinement = findConfinement(programs);
    this.#slots = new Slots(processes);
    this.#parent = folder;
  }

  /** Ids of the processes that run. */
  get pids(): number[] {
    return [...this.#running.keys()].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  /**
   * Waits for a free place, and gives work an empty folder of its own for as long as it lasts, and the handing over of files
   * between that and us.
   */
  enter<T>(work: (folder: string, files: Handover) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#closed) return Promise.reject(new SandboxClosed());
    return this.#slots.run(async () => {
      if (this.#closed) throw new SandboxClosed();
      const folder = await makeWorkFolder(this.#parent);
      try {
        if (this.confinement.asNobody.length > 0) await chown(folder, NOBODY, NOBODY);
        return await work(folder, new Handover(folder, this.confinement));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }, signal);
  }

  /** Starts a confined process; the sandbox ends it when it closes. */
  start(
    command: readonly [string, ...string[]],
    {
      limits,
      folder,
      stdio,
      isOurs = false,
    }: { limits: Limits; folder: string; stdio: StdioOptions; isOurs?: boolean },
  ): ChildProcess {
    if (this.#closed) throw new SandboxClosed();
    const { offline, asNobody } = this.confinement;
    const confinement = { offline, asNobody: isOurs ? [] : asNobody };
    const [first, ...rest] = confined(this.programs, { limits, confinement }, command);
    const child = spawn(first, rest, {
      cwd: folder,
      stdio,
      // In a group of its own: what a terminal sends to ours, at Ctrl-C, ends it only where we do.
      detached: true,
      // Nothing of ours: keys are kept in the environment.
      env: { LANG: "C.UTF-8", HOME: folder, TMPDIR: folder, VIPS_CONCURRENCY: "1" },
    });
    const ended = new Promise<void>((resolve) => {
      child.once("close", resolve);
      child.once("error", () => child.pid === undefined && resolve());
    });
    this.#running.set(child, ended);
    void ended.then(() => this.#running.delete(child));
    return child;
  }

  /** Runs a program to its end. Rejects when it cannot be started, on an abort, and on close. */
  run({
    program,
    args,
    limits,
    timeoutMs,
    isOurs = false,
    outputBytes,
    folder,
    signal,
  }: RunRequest): Promise<RunResult> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const child = this.start([this.programs[program], ...args], {
        limits,
        folder,
        isOurs,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const pieces: Buffer[] = [];
      let size = 0;
      let complaints = "";
      let cut: "timeout" | "overflow" | undefined;
      const kill = () => this.#kill(child);
      const timer = setTimeout(() => {
        cut = "timeout";
        kill();
      }, timeoutMs);
      signal?.addEventListener("abort", kill, { once: true });
      child.stdout?.on("data", (piece: Buffer) => {
        size += piece.length;
        if (size <= outputBytes) pieces.push(piece);
        else {
          cut ??= "overflow";
          kill();
        }
      });
      child.stderr?.on("data", (piece: Buffer) => {
        complaints = (complaints + piece.toString("latin1")).slice(-COMPLAINTS_KEPT);
      });
      let failure: Error | undefined;
      child.once("error", (error) => {
        failure = error;
        if (child.pid === undefined) finish(null, null);
      });
      child.once("close", (code, killedBy) => finish(code, killedBy));
      const finish = (code: number | null, killedBy: NodeJS.Signals | null) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", kill);
        if (signal?.aborted) reject(signal.reason);
        else if (this.#closed) reject(new SandboxClosed());
        else if (failure) reject(failure);
        else {
          const end = cut ?? (code === null ? "signal" : "exit");
          resolve({ end, code, killedBy, output: Buffer.concat(pieces), complaints });
        }
      };
    });
  }

  /** Ends whatever runs or waits, and resolves when nothing of it is left. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#slots.refuseWaiting(new SandboxClosed());
    for (const child of this.#running.keys()) {
      // One that waited for work kept nothing alive; its end is waited for.
      child.ref();
      this.#kill(child);
    }
    await Promise.all(this.#running.values());
  }

  /** Ends a process and whatever it started. */
  #kill(child: ChildProcess): void {
    if (child.pid === undefined || !this.#running.has(child)) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // Its group is gone, or is not there yet.
      child.kill("SIGKILL");
    }
  }
}
