// Captions in time with the voice. Clauses arrive when they are handed to the voice engine, which is before they are
// heard; this decides, without a clock of its own, which of them is on the screen at a given moment.

export interface Captions {
  correlationId: string | null;
  clauses: readonly string[];
  /** When the voice began, or null while it has not. Milliseconds on the caller's clock, as everywhere here. */
  startedAtMs: number | null;
  endedAtMs: number | null;
  /** How fast this voice speaks, learnt from what it has spoken. */
  charsPerSecond: number;
}

/** English speech is about 150 words a minute, which with the spaces is 15 characters a second. */
const initialCharsPerSecond = 15;
/** How long the last words stay after the voice has stopped. */
const holdMs = 1500;
/** Utterances shorter than this say little about the pace. */
const learnFromChars = 24;
const learningRate = 0.5;

export const noCaptions: Captions = {
  correlationId: null,
  clauses: [],
  startedAtMs: null,
  endedAtMs: null,
  charsPerSecond: initialCharsPerSecond,
};

/** Silence, with what was learnt of the voice's pace. */
export function cleared(captions: Captions): Captions {
  return { ...noCaptions, charsPerSecond: captions.charsPerSecond };
}

function forUtterance(captions: Captions, correlationId: string | null): Captions {
  const same = captions.correlationId === correlationId && captions.endedAtMs === null;
  return same ? captions : { ...cleared(captions), correlationId };
}

export function clauseAdded(captions: Captions, correlationId: string | null, text: string): Captions {
  const clause = text.trim();
  const current = forUtterance(captions, correlationId);
  return clause === "" ? current : { ...current, clauses: [...current.clauses, clause] };
}

/** A text that is spoken as written comes whole: it is cut at the ends of its sentences. */
export function wholeText(captions: Captions, correlationId: string | null, text: string): Captions {
  const current = forUtterance(captions, correlationId);
  if (current.clauses.length > 0) return current;
  const clauses = text.match(/[^.!?…]+[.!?…]*["'”’)]*/g) ?? [text];
  return { ...current, clauses: clauses.map((clause) => clause.trim()).filter((clause) => clause !== "") };
}

export function voiceStarted(captions: Captions, correlationId: string | null, nowMs: number): Captions {
  const current = forUtterance(captions, correlationId);
  return current.startedAtMs === null ? { ...current, startedAtMs: nowMs } : current;
}

export function voiceEnded(captions: Captions, correlationId: string | null, nowMs: number): Captions {
  if (captions.correlationId !== correlationId || captions.startedAtMs === null) return captions;
  const chars = captions.clauses.reduce((sum, clause) => sum + clause.length + 1, 0);
  const seconds = (nowMs - captions.startedAtMs) / 1000;
  let { charsPerSecond } = captions;
  if (chars >= learnFromChars && seconds > 0.5) {
    charsPerSecond += learningRate * (chars / seconds - charsPerSecond);
    charsPerSecond = Math.min(30, Math.max(6, charsPerSecond));
  }
  return { ...captions, endedAtMs: nowMs, charsPerSecond };
}

export interface CaptionView {
  text: string | null;
  /** When to look again; null when only an event can change anything. */
  changesAtMs: number | null;
}

export function captionAt(captions: Captions, nowMs: number): CaptionView {
  const { clauses, startedAtMs, endedAtMs, charsPerSecond } = captions;
  if (startedAtMs === null || clauses.length === 0) return { text: null, changesAtMs: null };
  if (endedAtMs !== null) {
    const until = endedAtMs + holdMs;
    return nowMs < until
      ? { text: clauses.at(-1) ?? null, changesAtMs: until }
      : { text: null, changesAtMs: null };
  }
  let boundaryMs = startedAtMs;
  for (const [index, clause] of clauses.entries()) {
    boundaryMs += ((clause.length + 1) / charsPerSecond) * 1000;
    const last = index === clauses.length - 1;
    if (last) return { text: clause, changesAtMs: null };
    if (nowMs < boundaryMs) return { text: clause, changesAtMs: boundaryMs };
  }
  return { text: null, changesAtMs: null };
}
