// `npm test`: the same set-up as `npm start`, then every check, each announced. What failed, test by test, is said again at
// the end, and the last line counts the checks.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ctestFailures, summary, vitestFailures } from "./failures.mjs";
import { run } from "./processes.mjs";
import { root, SetupError } from "./report.mjs";
import { bin, main, node, setup } from "./setup.mjs";

const nativeBuild = join(root, "native/build/tests");
const reports = mkdtempSync(join(tmpdir(), "visavis-test-"));

/** What a passing test prints is nobody's concern. */
function vitest(config) {
  const report = join(reports, `${config.replaceAll("/", "-")}.json`);
  const reporter = join(root, ".setup/failure-reporter.mjs");
  const args = ["--silent=passed-only", "--reporter=default", `--reporter=${reporter}`];
  return {
    commands: [[bin("vitest"), "run", "--config", config, ...args]],
    env: { FAILURES_FILE: report },
    failures: () => vitestFailures(report),
  };
}

function ctest() {
  const report = join(reports, "ctest.xml");
  return {
    commands: [
      ["cmake", "-S", "native", "-B", nativeBuild, "-DCMAKE_BUILD_TYPE=Release"],
      ["cmake", "--build", nativeBuild, "--parallel", "2"],
      ["ctest", "--test-dir", nativeBuild, "--output-on-failure", "--output-junit", report],
    ],
    failures: () => ctestFailures(report),
  };
}

/** Each check: what a reader calls it, the commands that must all succeed, and where to read which tests failed. */
const checks = [
  ["format", { commands: [[bin("oxfmt"), "--check", "."]] }],
  ["lint", { commands: [[bin("oxlint"), "."]] }],
  ["types", { commands: [".", "worker", "web", "test"].map((project) => [bin("tsc"), "-p", project]) }],
  ["unit tests", vitest("test/vitest.config.ts")],
  ["portal tests", vitest("worker/vitest.config.ts")],
  ["conformance", vitest("test/conformance/vitest.config.ts")],
  ["native tests", ctest()],
  ["real-browser tests", vitest("test/browser/vitest.config.ts")],
];

/** Scripts run on our own Node; everything else as it is. */
const command = ([first, ...rest]) =>
  first.startsWith(root) && first !== node ? [node, first, ...rest] : [first, ...rest];

/** Shows what a check prints as it comes; answers its last lines and whether it passed. */
async function check({ commands, env = {} }) {
  const tail = [];
  const onLine = (line) => {
    console.log(line);
    tail.push(line);
    if (tail.length > 100) tail.shift();
  };
  const colour = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};
  try {
    for (const words of commands) {
      const [program, ...args] = command(words);
      await run(program, args, { env: { ...colour, ...env }, onLine });
    }
    return { passed: true, tail };
  } catch (error) {
    onLine(error.message);
    return { passed: false, tail };
  }
}

await main(async () => {
  const wanted = process.argv.slice(2);
  await setup({ purposes: ["run", "test"] });
  const failed = [];
  let passed = 0;
  try {
    for (const [title, how] of checks) {
      if (wanted.length > 0 && !wanted.some((word) => title.includes(word))) continue;
      console.log(`▸ ${title} …`);
      const start = Date.now();
      const outcome = await check(how);
      const took = `${((Date.now() - start) / 1000).toFixed(0)} s`;
      if (outcome.passed) passed += 1;
      else failed.push({ title, failures: how.failures?.() ?? [], tail: outcome.tail });
      console.log(`${outcome.passed ? "✓" : "✗"} ${title} (${took})`);
    }
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
  if (failed.length > 0) console.log(summary(failed).join("\n"));
  console.log(`${passed} passed, ${failed.length} failed`);
  if (failed.length > 0 || passed === 0) throw new SetupError("Not all checks passed.");
});
