// A listener driven by the clock of its audio, as fast as it will go.

import { pino } from "pino";
import { AudioListener } from "../../box/hearing/audio-listener.ts";
import type { EndOfTurn } from "../../box/hearing/end-of-turn.ts";
import type { ListenerEvent } from "../../box/hearing/listener.ts";
import type { SpeechScorer } from "../../box/hearing/voice-activity.ts";
import type { Language } from "../../contract/tones.ts";
import type { Playback } from "../../box/live/playback.ts";
import type { Oracle } from "./oracle.ts";

const chunkSamples = 320;

export interface Heard {
  atMs: number;
  event: ListenerEvent;
}

export interface DriveOptions {
  samples: Int16Array;
  oracle: Oracle;
  scorer: SpeechScorer;
  language: Language;
  endOfTurn?: EndOfTurn;
  playback?: Playback;
  /** How much later than it was heard a chunk arrives. */
  lateMs?: () => number;
  /** Before audio up to `nowMs` is pushed. */
  before?: (nowMs: number) => void;
}

/** Every event, at the audio's time. */
export async function drive({
  samples,
  oracle,
  before,
  lateMs,
  playback,
  ...rest
}: DriveOptions): Promise<Heard[]> {
  const heard: Heard[] = [];
  let nowMs = 0;
  let arrivedMs = 0;
  const listener = await AudioListener.open({
    provider: oracle.provider,
    ...rest,
    playback: playback ?? null,
    log: pino({ level: "silent" }),
    now: () => arrivedMs,
    onEvent: (event) => heard.push({ atMs: nowMs, event }),
  });
  for (let at = 0; at < samples.length; at += chunkSamples) {
    nowMs = Math.min(at + chunkSamples, samples.length) / 16;
    arrivedMs = Math.max(arrivedMs, nowMs + (lateMs?.() ?? 0));
    before?.(nowMs);
    oracle.advance(nowMs);
    listener.push(samples.subarray(at, at + chunkSamples));
    await listener.judged();
  }
  await listener.close();
  return heard;
}
