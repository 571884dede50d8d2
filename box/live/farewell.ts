// How the persona ends a call: a goodbye that is heard to its end, and then the session is over.

import type { Language } from "../../contract/tones.ts";
import type { Hub } from "./hub.ts";
import type { LiveSession } from "./session.ts";
import type { Utterance } from "./utterance.ts";

/** Said when the model ends the call without a word. */
export const goodbyes: Record<Language, string> = {
  en: "Goodbye!",
  es: "¡Hasta luego!",
  fr: "Au revoir !",
  de: "Auf Wiederhören!",
  it: "Arrivederci!",
  pt: "Até logo!",
  hi: "अलविदा!",
  ja: "それでは、失礼します。",
};

/** Somebody who speaks over the goodbye has so long to say something. */
const wordsWithinMs = 20_000;

/** Whether the persona is about to end the call. Whoever says something more keeps it. */
export class Departure {
  #leaving = false;
  /** Somebody speaks over the goodbye: what they say decides. Resolves to whether the call ends. */
  #asked: PromiseWithResolvers<boolean> | null = null;

  /** The persona ends the call. */
  begin(): void {
    this.#leaving = true;
  }

  /** There is a new message: the call goes on. */
  cancel(): void {
    this.#leaving = false;
    this.#decide(false);
  }

  /** Somebody wants silence; one who speaks may be about to say something. */
  cut(by: "speaker" | "command"): void {
    if (!this.#leaving) return;
    if (by === "command") this.#decide(true);
    else this.#asked ??= Promise.withResolvers();
  }

  /** Whether the call ends, as soon as that is known. */
  async decided(signal: AbortSignal): Promise<boolean> {
    const asked = this.#asked;
    if (!asked || signal.aborted) return this.#leaving && !signal.aborted;
    const over = () => asked.resolve(false);
    const timer = setTimeout(() => asked.resolve(true), wordsWithinMs);
    signal.addEventListener("abort", over, { once: true });
    const ends = await asked.promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", over);
    return ends;
  }

  #decide(ends: boolean): void {
    this.#asked?.resolve(ends);
    this.#asked = null;
  }
}

/** Ends the session once the goodbye has been heard, or was cut off without another word. */
export async function farewell({
  session,
  utterance,
  hub,
}: {
  session: LiveSession;
  utterance: Utterance;
  hub: Hub;
}): Promise<void> {
  await utterance.ended;
  if (!(await session.departure.decided(session.signal))) return;
  hub.tell(session.account, { case: "farewell", sessionId: session.id });
  // Without this a client would take the end for a lost connection, and go live again.
  hub.publish(session.account, { type: "session_end", reason: "ended_by_persona_request" });
  await session.end("persona");
}
