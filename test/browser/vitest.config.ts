import { defineConfig } from "vitest/config";

export default defineConfig({
  root: new URL(".", import.meta.url).pathname,
  test: {
    include: ["*.test.ts"],
    globalSetup: ["planes.ts"],
    // The two cores of a small machine carry one browser at a time.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // How long a busy machine may take over what a person would call at once.
    expect: { poll: { timeout: 15_000 } },
  },
});
