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
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
