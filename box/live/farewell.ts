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
