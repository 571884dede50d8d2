// Photograph → ready, step by step inside the library, and how long the event loop is held up meanwhile.
// Usage: node bench/avatars/prepare.ts [photograph] [rounds]

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { AvatarLibrary } from "../../box/avatars/library.ts";
import { openMedia } from "../../box/media/open.ts";
import type { BuildStep } from "../../contract/avatars.ts";
import { root } from "../../test/harness/process.ts";
import { holds, median, report } from "../report.ts";

const path = process.argv[2] ?? join(root, "box/avatars/stock/theo.png");
const rounds = Number(process.argv[3] ?? 5);
const owner = "bench@localhost";
const bytes = await readFile(path);
const stateDir = await mkdtemp(join(tmpdir(), "visavis-bench-"));
const beganAtMs = new Map<BuildStep, number>();
const library = await AvatarLibrary.open({
  media: openMedia(),
  stateDir,
  onProgress: (_, { step }) => beganAtMs.set(step, performance.now()),
});
const times = {
  checked: [] as number[],
  rig: [] as number[],
  ready: [] as number[],
  blocked: [] as number[],
};
try {
  for (const stock of ["maya", "theo"]) {
    await library.ready(null, stock);
    await library.finished(owner, stock);
  }
  for (let round = 0; round < rounds; round += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const startedAtMs = performance.now();
    const { avatar } = await library.create({ owner, filename: "bench.png", bytes });
    times.checked.push(performance.now() - startedAtMs);
    await library.ready(owner, avatar);
    times.ready.push(performance.now() - startedAtMs);
    times.rig.push((beganAtMs.get("rig") ?? Number.NaN) - startedAtMs);
    delay.disable();
    times.blocked.push(delay.max / 1e6);
    // What is still encoded once the avatar is ready would weigh on the next round.
    await library.finished(owner, avatar);
  }
} finally {
  await library.close();
  await rm(stateDir, { recursive: true });
}
report({ name: "photograph checked and upload answered", value: median(times.checked), unit: "ms" });
report({ name: "rig begun", value: median(times.rig), unit: "ms" });
const ready = { name: "avatar ready", value: median(times.ready), unit: "ms", floor: { atMost: 5000 } };
if (!holds(report(ready))) process.exitCode = 1;
report({ name: "event loop held up, longest", value: Math.max(...times.blocked), unit: "ms" });
