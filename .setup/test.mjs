// `npm test`: the same set-up as `npm start`, then every check, each announced; the last line counts them.

import { join } from "node:path";
import { run } from "./processes.mjs";
import { root, SetupError } from "./report.mjs";
import { bin, main, node, setup } from "./setup.mjs";

const nativeBuild = join(root, "native/build/tests");
const vitest = (config) => [bin("vitest"), "run", "--config", config];

/** Each check: what a reader calls it, and the commands that must all succeed. */
const checks = [
  ["format", [[bin("oxfmt"), "--check", "."]]],
  ["lint", [[bin("oxlint"), "."]]],
  [
    "types",
    [
      [bin("tsc"), "-p", "."],
      [bin("tsc"), "-p", "worker"],
      [bin("tsc"), "-p", "web"],
      [bin("tsc"), "-p", "test"],
    ],
  ],
  ["unit tests", [vitest("test/vitest.config.ts")]],
  ["portal tests", [vitest("worker/vitest.config.ts")]],
  ["conformance", [vitest("test/conformance/vitest.config.ts")]],
  [
    "native tests",
    [
      ["cmake", "-S", "native", "-B", nativeBuild, "-DCMAKE_BUILD_TYPE=Release"],
      ["cmake", "--build", nativeBuild, "--parallel", "2"],
      ["ctest", "--test-dir", nativeBuild, "--output-on-failure"],
    ],
  ],
  ["real-browser tests", [vitest("test/browser/vitest.config.ts")]],
];

/** Scripts run on our own Node; everything else as it is. */
const command = ([first, ...rest]) =>
  first.startsWith(root) && first !== node ? [node, first, ...rest] : [first, ...rest];

await main(async () => {
  const wanted = process.argv.slice(2);
  await setup({ purposes: ["run", "test"] });
  const failed = [];
  let passed = 0;
  for (const [title, commands] of checks) {
    if (wanted.length > 0 && !wanted.some((word) => title.includes(word))) continue;
    console.log(`▸ ${title} …`);
    const start = Date.now();
    try {
      for (const words of commands) {
        const [program, ...args] = command(words);
        await run(program, args, { show: true });
      }
      passed += 1;
      console.log(`✓ ${title} (${((Date.now() - start) / 1000).toFixed(0)} s)`);
    } catch (error) {
      failed.push(title);
      console.error(`✗ ${title}: ${error.message}`);
    }
  }
  if (failed.length > 0) console.error(`Failed: ${failed.join(", ")}.`);
  console.log(`${passed} passed, ${failed.length} failed`);
  if (failed.length > 0 || passed === 0) throw new SetupError("Not all checks passed.");
});
