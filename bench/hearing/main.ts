// Hearing: how soon and how surely a turn is taken, whether the avatar hears itself, and what listening costs. Needs
// espeak-ng. Words pick the parts (echo, turns, recordings, cost). HEARING_VERBOSE=1 names every sentence that was cut
// off, HEARING_ROUNDS=1 is quicker, VISAVIS_SPEECH_WAV adds recordings (paths between colons). Exits 1 when a floor is
// missed.

import { VoiceActivity } from "../../box/hearing/voice-activity.ts";
import { describeRow, holds, type Row } from "../report.ts";
import { speakers } from "./corpus.ts";
import { measureEcho } from "./echo.ts";
import { heldOut } from "./held-out.ts";
import { measureCost, measureRecordings } from "./recordings.ts";
import { measureTurns } from "./turns.ts";

const verbose = process.env.HEARING_VERBOSE === "1";
const rounds = Number(process.env.HEARING_ROUNDS || 5);
const recordings = (process.env.VISAVIS_SPEECH_WAV ?? "").split(":").filter(Boolean);
const parts = process.argv.slice(2);
const wanted = (part: string) => parts.length === 0 || parts.includes(part);
const activity = await VoiceActivity.load();
const rows: Row[] = [];
try {
  if (wanted("cost")) rows.push(...(await measureCost(activity)));
  if (wanted("turns")) {
    rows.push(...(await measureTurns(activity, { speakers, title: "tuned on", verbose, rounds })));
    rows.push(...(await measureTurns(activity, { speakers: heldOut, title: "held out", verbose, rounds })));
  }
  if (wanted("echo")) rows.push(...(await measureEcho(activity, { verbose, rounds })));
  if (wanted("recordings")) rows.push(...(await measureRecordings(activity, recordings)));
} finally {
  await activity.close();
}
const missed = rows.filter((row) => !holds(row));
if (missed.length > 0) {
  console.error(`Missed:\n${missed.map((row) => `  ${describeRow(row)}`).join("\n")}`);
  process.exitCode = 1;
}
