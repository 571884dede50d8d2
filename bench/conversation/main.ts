// How fast the persona answers, and how fast it stops: typed and spoken turns on boxes started for it.
// Exits 1 when a floor is missed.

import { startBox } from "../../test/harness/box.ts";
import { describeRow, holds, type Row } from "../report.ts";
import { distantModel } from "./distant-model.ts";
import { interrupts } from "./interrupts.ts";
import { recordedTurn, spokenTurns } from "./spoken.ts";
import { typedTurns } from "./typed.ts";

/** What a person may wait for from their last sound to the first of the reply. */
const floorMs = 500;
const rows: Row[] = [];

const box = await startBox();
try {
  rows.push(...(await typedTurns(box)));
  rows.push(...(await interrupts(box)));
  rows.push(...(await recordedTurn(box)));
  rows.push(...(await spokenTurns(box, { how: "rehearsal, begun while the speaker pauses", floorMs })));
} finally {
  await box.stop();
}

for (const early of ["on", "off"] as const) {
  const { model, environment, choose } = await distantModel({ firstWordsMs: 400 });
  const distant = await startBox({ ...environment, SPECULATIVE_REPLIES: early });
  try {
    await choose(distant.url);
    const begun = early === "on" ? "while the speaker pauses" : "once the turn is over";
    rows.push(
      ...(await spokenTurns(distant, {
        how: `a model that takes 400 ms to its first words, begun ${begun}`,
      })),
    );
  } finally {
    await distant.stop();
    model.close();
  }
}

const missed = rows.filter((row) => !holds(row));
if (missed.length > 0) {
  console.error(`Missed:\n${missed.map((row) => `  ${describeRow(row)}`).join("\n")}`);
  process.exitCode = 1;
}
