// How fast the persona answers, and how fast it stops: typed and spoken turns on a box started for it.
// Exits 1 when a floor is missed.

import { startBox } from "../../test/harness/box.ts";
import { describeRow, holds, type Row } from "../report.ts";
import { interrupts } from "./interrupts.ts";
import { recordedTurn, spokenTurns } from "./spoken.ts";
import { typedTurns } from "./typed.ts";

const rows: Row[] = [];
const box = await startBox();
try {
  rows.push(...(await typedTurns(box)));
  rows.push(...(await interrupts(box)));
  rows.push(...(await recordedTurn(box)));
  rows.push(...(await spokenTurns(box, "prepared while the speaker pauses")));
} finally {
  await box.stop();
}
const patient = await startBox({ SPECULATIVE_REPLIES: "off" });
try {
  rows.push(...(await spokenTurns(patient, "begun once the turn is over")));
} finally {
  await patient.stop();
}
const missed = rows.filter((row) => !holds(row));
if (missed.length > 0) {
  console.error(`Missed:\n${missed.map((row) => `  ${describeRow(row)}`).join("\n")}`);
  process.exitCode = 1;
}
