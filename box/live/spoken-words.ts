// Words spoken as they are given: no model, no history, no moderation.

import { randomUUID } from "node:crypto";
import type { Tone } from "../../contract/tones.ts";
import { clausesAsWritten } from "../chat/speech.ts";
import { Refusal } from "../failure.ts";
import type { Log } from "../ops/log.ts";
import type { ChosenVoice } from "../voices/voices.ts";
import { complain, turnFailure } from "./failure.ts";
import type { Hub } from "./hub.ts";
import type { LiveSession } from "./session.ts";
import { nowSeconds } from "./transcript.ts";
import type { TalkRequest } from "./turn.ts";
import type { Utterance } from "./utterance.ts";

export interface SpokenWords {
  request: TalkRequest;
  session: LiveSession;
  voice: ChosenVoice;
  acceptedAtMs: number;
  hub: Hub;
  log: Log;
}

/** Resolves once the voice has begun; rejects with a Refusal. */
export async function speakAsWritten(words: SpokenWords): Promise<void> {
  const { request, session, voice, acceptedAtMs, hub, log } = words;
  const { caller, correlationId, content, tone = "neutral" } = request;
  const utterance = session.director.begin({ voice, correlationId, acceptedAtMs });
  if (utterance.over) throw new Refusal("voice_failed", "Too much is waiting to be said already.");
  void transcribe(session, utterance, tone);
  const id = randomUUID();
  const role = "persona";
  let contentIndex = 0;
  let begun: Promise<void> | null = null;
  for (const { text, last } of clausesAsWritten(content, tone)) {
    if (utterance.over) break;
    hub.publish(caller.account, {
      type: "message_stream",
      id,
      role,
      content: text,
      contentIndex: contentIndex++,
      endOfSpeech: last,
      tone,
      correlationId,
    });
    const said = utterance.say({ text, tone });
    begun ??= said;
  }
  hub.publish(caller.account, {
    type: "message",
    id,
    role,
    content,
    tone,
    avatar: session.avatar.id,
    correlationId,
  });
  utterance.finish().catch((error: unknown) => complain(log, error, "speaking failed"));
  await begun?.catch((error: unknown) => {
    throw turnFailure(error);
  });
}

/** They enter the transcript as far as they were heard; a voice that failed at once was not. */
async function transcribe(session: LiveSession, utterance: Utterance, tone: Tone): Promise<void> {
  const at = nowSeconds();
  const { heard } = await utterance.ended;
  if (utterance.firstPcmAtMs !== null) session.transcript.assistant({ heard, tone, at });
}
