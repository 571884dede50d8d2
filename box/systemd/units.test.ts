// The unit files, held against systemd itself where it is installed.

import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../config.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const service = "visavis-box@.service";
const unit = readFileSync(join(here, service), "utf8");

const analyze = (...args: string[]) =>
  spawnSync("systemd-analyze", args, { encoding: "utf8", env: { ...process.env, SYSTEMD_COLORS: "0" } });
const hasSystemd = analyze("--version").status === 0;

/** Of ten; a service without any hardening has 9.6. */
const mostExposed = 2.5;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "visavis-units-"));
  // The checkout stands for /opt/visavis, and whoever runs this for the user.
  const local = unit
    .replaceAll("/opt/visavis/", root)
    .replaceAll("/opt/visavis", root.replace(/\/$/, ""))
    .replace(/^(?:User|Group)=.*$/gm, "");
  writeFileSync(join(folder, service), local);
  copyFileSync(join(here, "visavis-box.target"), join(folder, "visavis-box.target"));
  // The driver is not part of what these tests need.
  const card = readFileSync(join(here, "visavis-gpu.service"), "utf8");
  writeFileSync(
    join(folder, "visavis-gpu.service"),
    card.replace("/usr/bin/nvidia-modprobe -u", "/bin/true -u"),
  );
  for (const dropIn of readdirSync(here).filter((name) => /^(?:disposable|renewed)\.conf$/.test(name))) {
    const name = `visavis-${dropIn.replace(".conf", "")}@01.service`;
    writeFileSync(join(folder, name), local);
    mkdirSync(join(folder, `${name}.d`));
    copyFileSync(join(here, dropIn), join(folder, `${name}.d`, dropIn));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// systemd is the machine's own and nothing installs it: containers without it skip this.
describe.skipIf(!hasSystemd)("systemd", () => {
  test.each([
    "visavis-box@01.service",
    "visavis-box.target",
    "visavis-gpu.service",
    "visavis-disposable@01.service",
    "visavis-renewed@01.service",
  ])("takes %s without a word", (name) => {
    const { stdout, stderr } = analyze("verify", "--man=no", join(folder, name));
    const about = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("visavis"));
    expect(about).toEqual([]);
  });

  test(`finds the service no more exposed than ${mostExposed}`, () => {
    const { stdout } = analyze("security", "--offline=true", join(folder, service));
    const exposure = Number(/exposure level for .*: ([\d.]+)/.exec(stdout)?.[1]);
    expect(exposure, stdout).toBeLessThanOrEqual(mostExposed);
  });
});

/** Names of a filter's calls, of the sets within it too. */
function callsOf(filter: string): string[] {
  if (!filter.startsWith("@")) return [filter];
  const lines = analyze("syscall-filter", filter).stdout.split("\n").slice(1);
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((line) => callsOf(line));
}

// systemd is the machine's own and nothing installs it: containers without it skip this.
describe.skipIf(!hasSystemd)("the filter of system calls", () => {
  const allowed = new Set<string>();
  beforeAll(() => {
    for (const [, without, names = ""] of unit.matchAll(/^SystemCallFilter=(~?)(.+)$/gm))
      for (const call of names.split(" ").flatMap((name) => callsOf(name)))
        if (without) allowed.delete(call);
        else allowed.add(call);
  });

  // Found with strace on a box that renders, speaks, hears, builds an avatar and takes a sound file in.
  test.each(["capset", "prlimit64", "prctl", "setpriority", "execve", "clone3", "vfork", "pidfd_open"])(
    "lets the box and its programs use %s",
    (call) => {
      expect(allowed).toContain(call);
    },
  );
  test.each(["mount", "ptrace", "bpf", "setuid", "chroot", "init_module", "kexec_load", "reboot"])(
    "keeps %s from them",
    (call) => {
      expect(allowed).not.toContain(call);
    },
  );
});

test("what the unit sets for an instance is a configuration that the box takes", () => {
  const lines = unit.split("\n").filter((line) => line.startsWith("Environment="));
  const environment = Object.fromEntries(
    lines
      .flatMap((line) => line.slice("Environment=".length).split(" "))
      .map((pair) => pair.replaceAll("%i", "07").replaceAll("%H", "gpu-1").replaceAll("%S", "/var/lib"))
      .map((pair) => pair.split("=", 2) as [string, string]),
  );
  expect(readConfig(environment)).toMatchObject({
    id: "gpu-1-07",
    port: 8807,
    stateDir: "/var/lib/visavis/07",
    ice: { portRange: { begin: 40_700, end: 40_799 } },
  });
});

test("the card is made ready before a box starts, and not by the box, which may not", () => {
  for (const key of ["After", "Wants"])
    expect(new RegExp(`^${key}=(.+)$`, "m").exec(unit)?.[1]?.split(" ")).toContain("visavis-gpu.service");
  expect(unit).toMatch(/^NoNewPrivileges=yes$/m);
});

test("a box has longer to end than it takes", () => {
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
  const source = readFileSync(join(root, "box/ops/life.ts"), "utf8");
  const ofLife = (name: string) =>
    Number(new RegExp(`const ${name} = ([\\d_]+);`).exec(source)?.[1]?.replaceAll("_", ""));
  expect(seconds * 1000).toBeGreaterThan(ofLife("defaultGraceMs") + ofLife("closeWithinMs"));
});
