import { defineConfig } from "vitest/config";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: [
      "contract/**/*.test.ts",
      "box/**/*.test.ts",
      "native/binding/**/*.test.ts",
      "web/**/*.test.ts",
      "bench/**/*.test.ts",
      "test/*.test.ts",
      "test/rooms/*.test.ts",
    ],
    globalSetup: ["test/harness/stock-faces.ts"],
    // Many wait for sound, sockets and timers rather than for a core; vitest would leave one of two cores idle.
    maxWorkers: 2,
    // No test is about speed: these end what hangs, on the slowest machine that does its best.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
