// Child processes of tests and benchmarks, and what the kernel says of them.

import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A TCP port nobody listens on at the moment of asking. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, "127.0.0.1", resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => {
    probe.close(resolve);
  });
  return port;
}

export interface Running {
  child: ChildProcess;
  /** Everything it printed so far. */
  output(): string;
  /** Resolves with the first printed line that matches; rejects when the process ends first. */
  line(pattern: RegExp): Promise<string>;
  /** SIGTERM, then SIGKILL after ten seconds; resolves when it is gone. */
  stop(): Promise<void>;
}

export function launch(command: string, args: string[], env: Record<string, string> = {}): Running {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A test that dies takes what it started with it.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  let output = "";
  const watchers = new Set<() => void>();
  const take = (chunk: Buffer) => {
    output += chunk.toString();
    for (const watch of watchers) watch();
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const exited = new Promise<void>((resolve) => {
    child.once("close", () => {
      process.off("exit", kill);
      resolve();
    });
  });
  return {
    child,
    output: () => output,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          const found = output.split("\n").find((text) => pattern.test(text));
          if (found === undefined) return;
          watchers.delete(watch);
          resolve(found);
        };
        watchers.add(watch);
        watch();
        void exited.then(() => reject(new Error(`${command} ended before printing ${pattern}:\n${output}`)));
      }),
    stop: async () => {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** User and system time a process has used so far, in seconds; children not counted. Linux: proc(5), fields 14 and 15. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticksPerSecond = 100;
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** All descendants of a process, itself first. */
export function processTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It ended while we looked.
    }
  }
  const found = [pid];
  for (const known of found) found.push(...(children.get(known) ?? []));
  return found;
}

export interface Footprint {
  threads: number;
  fds: number;
  sockets: number;
  rssBytes: number;
}

/** What a process holds right now. */
export function footprint(pid: number): Footprint {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const number = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return "";
    }
  });
  return {
    threads: number("Threads"),
    fds: targets.length,
    sockets: targets.filter((target) => target.startsWith("socket:")).length,
    rssBytes: number("VmRSS") * 1024,
  };
}
