// Child processes: short ones whose output matters only when they fail, and long ones that end with us.

import { spawn, spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { root, SetupError } from "./report.mjs";

/**
 * Runs a command to its end. Quiet unless it fails; then its last lines become the error.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, cwd?: string, show?: boolean, onLine?: (line: string) => void }} [options]
 *   show: pass its output through; onLine: told of each line, which then is no part of the error.
 */
export async function run(command, args, { env = {}, cwd = root, show = false, onLine } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: show ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
  });
  const tail = [];
  const keep = (stream) => {
    if (!stream) return;
    createInterface({ input: stream }).on("line", (line) => {
      if (onLine) return onLine(line);
      tail.push(line);
      if (tail.length > 60) tail.shift();
    });
  };
  keep(child.stdout);
  keep(child.stderr);
  const code = await new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(new SetupError(error.code === "ENOENT" ? `${command} is not installed.` : error.message)),
    );
    child.once("close", resolve);
  });
  if (code !== 0)
    throw new SetupError([...tail, `${command} ${args.join(" ")} failed (exit ${code}).`].join("\n"));
}

/** Standard output of a command that must succeed, or null when it fails. */
export function outputOf(command, args) {
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  return result.status === 0 ? result.stdout : null;
}

/** A line people should see: anything but the log of an ordinary request or event. The box's levels are pino's numbers. */
function notable(line) {
  if (!line.startsWith("{")) return line.trim() !== "";
  try {
    const { level = 0, status = 0 } = JSON.parse(line);
    return level === "error" || level === "warn" || level >= 40 || status >= 500;
  } catch {
    return true;
  }
}

/**
 * Starts a long-running process in a group of its own. Everything it prints goes to `logFile`, but for lines that `omit`
 * matches; what a person should know goes to `show` as well, prefixed with `name`. `onLine` is told of each line.
 * @returns {{ name: string, exited: Promise<number | null>, stop: () => Promise<void> }}
 */
export function service(name, { command, args, env = {}, logFile, omit, onLine, show = console.log }) {
  const log = createWriteStream(logFile, { mode: 0o600 });
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      if (omit?.test(line)) return;
      log.write(`${line}\n`);
      onLine?.(line);
      if (notable(line)) show(`[${name}] ${line}`);
    });
  }
  const exited = new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`[${name}] ${error.message}`);
      resolve(null);
    });
    child.once("close", resolve);
  });
  const signalGroup = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The group is gone already.
    }
  };
  const stop = async () => {
    signalGroup("SIGTERM");
    const timer = setTimeout(() => signalGroup("SIGKILL"), 8000);
    await exited;
    clearTimeout(timer);
    log.end();
    // A grandchild may have outlived its parent.
    signalGroup("SIGKILL");
  };
  return { name, exited, stop };
}
