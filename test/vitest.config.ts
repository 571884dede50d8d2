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
    ],
    // Many wait for sound, sockets and timers rather than for a core; vitest would leave one of two cores idle.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 150_000,
  },
});
