// Why a turn came to nothing, or to less than was meant.

import { ModelError } from "../chat/models/model.ts";
import { Refusal } from "../failure.ts";
import { describeError, type Log } from "../ops/log.ts";
import { VoiceError } from "../voices/voice.ts";

export const sentences = {
  noWords: "The model wrote nothing.",
  cutBefore: "The reply was interrupted before it began.",
  removed: "The reply was removed by the moderation screen.",
  messageRemoved: "The message was removed by the moderation screen.",
  sessionEnded: "The live session has ended.",
  onlyTools: "The model kept calling tools and gave no answer.",
};

/** What a failed turn tells its caller; the cause goes to the log. */
export function turnFailure(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof ModelError) return new Refusal("model_failed", error.message, { cause: error });
  if (error instanceof VoiceError) return new Refusal("voice_failed", error.message, { cause: error });
  return new Refusal("internal", "Something went wrong on this turn.", { cause: error });
}

/** Why a reply has no words at all. */
export function nothing({ interrupted, removed }: { interrupted: boolean; removed: boolean }): Refusal {
  if (interrupted) return new Refusal("model_failed", sentences.cutBefore);
  if (removed) return new Refusal("reply_refused", sentences.removed);
  return new Refusal("model_failed", sentences.noWords);
}

/** The failure as its caller hears of it; what was behind it is logged. */
export function complain(log: Log, error: unknown, what: string): Refusal {
  const failure = turnFailure(error);
  const cause = failure.cause instanceof Error ? failure.cause.cause : undefined;
  log.warn({ ...describeError(cause ?? error), code: failure.code }, what);
  return failure;
}
