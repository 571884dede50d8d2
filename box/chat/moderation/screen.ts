// What stands between words and the people who would hear them.

export interface Screened {
  /** The words that may be kept and spoken; empty when nothing of them may. */
  text: string;
  /** Why something was removed; null when nothing was. For the log and the caller, without the words. */
  reason: string | null;
}

export interface Screen {
  /** What somebody says to the avatar. A message of which nothing is left makes no turn. Never rejects. */
  message(text: string, signal: AbortSignal): Promise<Screened>;
  /** A clause of the reply, before it is shown, spoken or kept. Never rejects. */
  clause(text: string, signal: AbortSignal): Promise<Screened>;
}

/** Lets everything pass: nothing is configured. */
export const openScreen: Screen = {
  message: (text) => Promise.resolve({ text, reason: null }),
  clause: (text) => Promise.resolve({ text, reason: null }),
};
