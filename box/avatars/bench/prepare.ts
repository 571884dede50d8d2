// Photograph → ready, step by step, and how long the event loop was held up meanwhile.
// Usage: node box/avatars/bench/prepare.ts [photograph] [rounds]

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { AvatarLibrary } from "../library.ts";

const path = process.argv[2] ?? fileURLToPath(new URL("../stock/theo.png", import.meta.url));
const rounds = Number(process.argv[3] ?? 3);
const bytes = await readFile(path);
const stateDir = await mkdtemp(join(tmpdir(), "visavis-bench-"));
const steps: { step: string; atMs: number }[] = [];
const library = await AvatarLibrary.open({
  stateDir,
  onProgress: (_, { step }) => steps.push({ step, atMs: performance.now() }),
});
try {
  await library.ready(null, "maya");
  await library.ready(null, "theo");
  for (let round = 0; round < rounds; round += 1) {
    steps.length = 0;
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const startedAt = performance.now();
    const { avatar } = await library.create({ owner: "bench@localhost", filename: "bench.png", bytes });
    const answeredAt = performance.now();
    await library.ready("bench@localhost", avatar);
    const readyAt = performance.now();
    delay.disable();
    const ms = (value: number) => `${value.toFixed(0)} ms`;
    const at = (step: string) => ms((steps.find((entry) => entry.step === step)?.atMs ?? NaN) - startedAt);
    console.log(
      `upload answered after ${ms(answeredAt - startedAt)} (landmarks began at ${at("landmarks")}), rig began at ${at("rig")}, ` +
        `ready after ${ms(readyAt - startedAt)}; event loop held up at most ${ms(delay.max / 1e6)}`,
    );
  }
} finally {
  await library.close();
  await rm(stateDir, { recursive: true });
}
