// Hearing: how soon and how surely a turn is taken, and whether the avatar hears itself. Needs espeak-ng.
// HEARING_VERBOSE=1 names every sentence that was cut off; VISAVIS_SPEECH_WAV adds recordings (paths between colons).

import { VoiceActivity } from "../../box/hearing/voice-activity.ts";
import { measureEcho } from "./echo.ts";
import { measureTurns } from "./turns.ts";

const verbose = process.env.HEARING_VERBOSE === "1";
const parts = process.argv.slice(2);
const wanted = (part: string) => parts.length === 0 || parts.includes(part);
const activity = await VoiceActivity.load();
try {
  if (wanted("echo"))
    await measureEcho(activity, { verbose, rounds: Number(process.env.HEARING_ROUNDS || 5) });
  if (wanted("turns"))
    await measureTurns(activity, { verbose, rounds: Number(process.env.HEARING_ROUNDS || 3) });
} finally {
  await activity.close();
}
