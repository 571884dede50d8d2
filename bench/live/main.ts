// Everything a viewer waits for or pays for, measured on a box started for it. Exits 1 when a floor is missed.

import { startBox } from "../../test/harness/box.ts";
import { describeRow, holds, type Row } from "../report.ts";
import { firstFrame, firstWord } from "./latency.ts";
import { photographToLive } from "./photograph.ts";
import { firstFrameThroughSdk } from "./sdk.ts";
import { sustained } from "./sustained.ts";

const seconds = Number(process.env.BENCH_SECONDS || 60);
const box = await startBox();
const rows: Row[] = [];
try {
  rows.push(...(await firstFrame(box)));
  rows.push(...(await firstFrameThroughSdk(box)));
  rows.push(...(await firstWord(box)));
  rows.push(...(await photographToLive(box)));
  rows.push(...(await sustained(box, seconds)));
} finally {
  await box.stop();
}
const missed = rows.filter((row) => !holds(row));
if (missed.length > 0) {
  console.error(`Missed:\n${missed.map((row) => `  ${describeRow(row)}`).join("\n")}`);
  process.exitCode = 1;
}
