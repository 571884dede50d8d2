// Everything between `git clone` and a running system, in plain Node without dependencies. Each step is skipped when
// what it was last done for has not changed.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { debianPackages } from "./packages.mjs";
import { run } from "./processes.mjs";
import { digest, root, SetupError, stamp, step } from "./report.mjs";

/** Node 24 from npm: every script of ours runs on it, whatever Node the machine has. */
export const node = join(root, "node_modules/.bin/node");
export const bin = (name) => join(root, "node_modules/.bin", name);

/** Folder of all local state, absolute. */
export const stateDir = () => resolve(root, process.env.VISAVIS_STATE || ".local");

/** Wrangler stays off the network: no usage figures, no look for updates. */
export const wranglerEnv = {
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  DO_NOT_TRACK: "1",
  CI: "1",
};

async function npmPackages() {
  const wanted = digest("package-lock.json");
  const done = stamp(join(root, "node_modules/.visavis-packages"));
  await step("npm packages", {
    current: () => done.matches(wanted),
    work: async () => {
      // The CPU part of ONNX Runtime comes in its package; its install script would fetch the CUDA part from elsewhere.
      await run("npm", ["ci", "--no-audit", "--no-fund"], { env: { ONNXRUNTIME_NODE_INSTALL: "skip" } });
      done.write(wanted);
    },
  });
}

async function addon() {
  const wanted = digest("native", "package-lock.json");
  const done = stamp(join(root, "native/build/.visavis-addon"));
  await step("native addon", {
    current: () => done.matches(wanted) && existsSync(join(root, "native/build/Release/visavis.node")),
    work: async () => {
      await run(node, [
        bin("cmake-js"),
        "build",
        "--directory",
        "native",
        "--out",
        "native/build",
        "--CDVISAVIS_TESTS=OFF",
        "--parallel",
        "2",
      ]);
      done.write(wanted);
    },
  });
}

async function studio() {
  const wanted = digest("web", "contract", "package-lock.json");
  const done = stamp(join(root, "web/dist/.visavis-studio"));
  await step("studio", {
    current: () => done.matches(wanted),
    work: async () => {
      await run(node, [bin("vite"), "build", "web", "--logLevel", "warn"]);
      done.write(wanted);
    },
  });
}

async function migrations() {
  const wanted = digest("migrations", "wrangler.toml");
  const done = stamp(join(stateDir(), "portal/.visavis-migrations"));
  await step("database migrations", {
    current: () => done.matches(wanted),
    work: async () => {
      const persist = join(stateDir(), "portal");
      for (const database of ["DB", "LEDGER"]) {
        const args = ["d1", "migrations", "apply", database, "--local", "--persist-to", persist];
        await run(node, [bin("wrangler"), ...args], { env: wranglerEnv });
      }
      done.write(wanted);
    },
  });
}

/**
 * @param {{ purposes: ("run" | "test" | "bench")[] }} options Which Debian packages are needed.
 */
export async function setup({ purposes }) {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20) throw new SetupError(`Visàvis needs Node 20 or newer; this is ${process.version}.`);
  await debianPackages(...purposes);
  await npmPackages();
  await addon();
  await studio();
  await migrations();
}

/** Runs a command's main function; a SetupError is a sentence for the user, anything else a fault of ours. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof SetupError ? `✗ ${error.message}` : error);
    process.exitCode = 1;
  }
}
