// A sound file spoken by the live face: one utterance like any other, of which nothing enters the history.

import { setTimeout as sleep } from "node:timers/promises";
import type { Hub } from "../live/hub.ts";
import type { LiveSession } from "../live/session.ts";
import type { Utterance } from "../live/utterance.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { Pcm, SpeechRequest, VoiceProvider } from "../voices/voice.ts";
import type { Sound } from "./sound.ts";

/** As of all speech: what an interrupt throws away need not be ready. */
const aheadMs = 30_000;

export interface SpokenFileOptions {
  session: LiveSession;
  sound: Sound;
  hub: Hub;
  log: Log;
}

/** Begins to speak, and closes the sound in the end. Resolves once it has been heard, or is not to be any more. */
export async function speakFile({ session, sound, hub, log }: SpokenFileOptions): Promise<void> {
  let pushedMs = 0;
  const heardMs = ({ startedAtMs }: Utterance) =>
    startedAtMs === null ? 0 : performance.now() - startedAtMs;
  const voice = fileVoice(async function* ({ signal }) {
    for await (const pcm of sound.pieces()) {
      for (let over = ahead(); over > 0 && !signal.aborted; over = ahead())
        await sleep(Math.min(over, 1_000), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      pushedMs += (pcm.samples.length / pcm.sampleRate) * 1000;
      yield pcm;
    }
  });
  const utterance: Utterance = session.director.begin({
    voice: { engine: voice, voice: "", notice: "", origin: "box" },
    correlationId: null,
    acceptedAtMs: performance.now(),
  });
  const ahead = () => pushedMs - heardMs(utterance) - aheadMs;
  try {
    // Its words are not known, so its pause behind them does not matter either.
    await utterance.say({ text: "", tone: "neutral" });
  } catch (error) {
    log.warn(describeError(error), "a sound file could not be spoken to its end");
    hub.publish(session.account, {
      type: "warning",
      message: "The sound file could not be read to its end.",
    });
  }
  await utterance.finish().catch(() => undefined);
  await utterance.ended;
  await sound.close();
}

/** A voice that says one thing. */
function fileVoice(synthesize: (request: SpeechRequest) => AsyncIterable<Pcm>): VoiceProvider {
  return {
    id: "local",
    label: "Sound file",
    state: () => ({ state: "ready", detail: "" }),
    has: () => false,
    defaultVoice: () => "",
    synthesize,
    close: () => Promise.resolve(),
  };
}
