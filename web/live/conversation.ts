// The conversation as it is read afterwards: turns, from events.

import type { EventMap } from "../sdk/index.ts";

/** `unanswered`: the persona chose to stay quiet, or was kept from answering. */
export type TurnState = "pending" | "speaking" | "done" | "interrupted" | "failed" | "unanswered";

export interface Turn {
  key: string;
  /** A `notice` is trouble, a `note` is something the persona did without words. */
  who: "you" | "face" | "notice" | "note";
  text: string;
  state: TurnState;
  correlationId: string | null;
  /** Spoken as written rather than answered. */
  exact: boolean;
}

/** The transcript is for looking back a little, not an archive. */
const maxTurns = 200;

function append(turns: readonly Turn[], turn: Turn): Turn[] {
  return [...turns, turn].slice(-maxTurns);
}

function change(turns: readonly Turn[], match: (turn: Turn) => boolean, patch: Partial<Turn>): Turn[] {
  return turns.map((turn) => (match(turn) ? { ...turn, ...patch } : turn));
}

/** Events of the voice name only the turn; where that has no name, the newest reply is meant. */
function isSpoken(turns: readonly Turn[], correlationId: string | null): (turn: Turn) => boolean {
  const named = (turn: Turn) => turn.who === "face" && turn.correlationId === correlationId;
  if (correlationId !== null) return named;
  const newest = turns.findLast(named);
  return (turn) => turn === newest;
}

/** The turn of a reply's clauses and of its end: by the turn's name, or by the reply's id where the turn has none. */
const isReply =
  ({ id, correlationId }: { id: string; correlationId: string | null }) =>
  (turn: Turn): boolean =>
    turn.who === "face" &&
    (correlationId === null ? turn.key === `face-${id}` : turn.correlationId === correlationId);

export interface Sent {
  text: string;
  correlationId: string;
  mode: "message" | "talk";
}

/** A turn appears the moment it is sent, and is confirmed by the box afterwards. */
export function sent(turns: readonly Turn[], { text, correlationId, mode }: Sent): Turn[] {
  return append(turns, {
    key: `${mode}-${correlationId}`,
    who: mode === "talk" ? "face" : "you",
    text,
    state: "pending",
    correlationId,
    exact: mode === "talk",
  });
}

export function heard(turns: readonly Turn[], event: EventMap["USER_MESSAGE"]): Turn[] {
  const mine = (turn: Turn) =>
    turn.who === "you" && event.correlationId !== null && turn.correlationId === event.correlationId;
  if (turns.some(mine)) return change(turns, mine, { text: event.content, state: "done" });
  return append(turns, {
    key: `you-${event.id}`,
    who: "you",
    text: event.content,
    state: "done",
    correlationId: event.correlationId,
    exact: false,
  });
}

/** Joins two clauses with exactly one space, unless the second brings its own. */
export function joinClauses(before: string, clause: string): string {
  if (before === "" || /\s$/.test(before) || /^\s/.test(clause)) return before + clause;
  return `${before} ${clause}`;
}

export function clauseArrived(
  turns: readonly Turn[],
  event: EventMap["MESSAGE_STREAM_EVENT_RECEIVED"],
): Turn[] {
  const existing = turns.find(isReply(event));
  // A text spoken as written is in the transcript already, whole.
  if (existing?.exact) return change(turns, isReply(event), { state: "speaking" });
  if (existing) {
    const text = joinClauses(existing.text, event.content);
    return change(turns, isReply(event), { text, state: "speaking" });
  }
  return append(turns, replyBegun(event));
}

/** A reply whose first words have just come. */
function replyBegun(event: { id: string; content: string; correlationId: string | null }): Turn {
  return {
    key: `face-${event.id}`,
    who: "face",
    text: event.content,
    state: "speaking",
    correlationId: event.correlationId,
    exact: false,
  };
}

/** The closing message is authoritative over the clauses. */
export function replyClosed(turns: readonly Turn[], event: EventMap["MESSAGE"]): Turn[] {
  const existing = turns.find(isReply(event));
  if (existing) {
    const state = existing.state === "interrupted" ? "interrupted" : "speaking";
    return change(turns, isReply(event), { text: event.content, state });
  }
  // A turn in which the persona did something and said nothing.
  if (event.content === "") {
    const asked = (turn: Turn) => turn.who === "you" && turn.correlationId === event.correlationId;
    const last = turns.findLast(asked);
    return change(turns, (turn) => turn === last, { state: "unanswered" });
  }
  return append(turns, replyBegun(event));
}

export function speechEnded(turns: readonly Turn[], event: EventMap["AVATAR_SPEECH_ENDED"]): Turn[] {
  const speaking = isSpoken(turns, event.correlationId);
  return change(turns, (turn) => speaking(turn) && turn.state !== "interrupted", { state: "done" });
}

export function interrupted(turns: readonly Turn[]): Turn[] {
  return change(
    turns,
    (turn) => turn.who === "face" && (turn.state === "speaking" || turn.state === "pending"),
    { state: "interrupted" },
  );
}

/** Nothing is under way any more: a turn that failed, or a session that ended. */
export function settled(turns: readonly Turn[], state: "failed" | "done"): Turn[] {
  return change(turns, (turn) => turn.state === "pending" || turn.state === "speaking", { state });
}

function remark(turns: readonly Turn[], who: "notice" | "note", text: string): Turn[] {
  const key = `${who}-${turns.length}-${turns.at(-1)?.key ?? ""}`;
  return append(turns, { key, who, text, state: "done", correlationId: null, exact: false });
}

export const noticed = (turns: readonly Turn[], text: string): Turn[] => remark(turns, "notice", text);

export const noted = (turns: readonly Turn[], text: string): Turn[] => remark(turns, "note", text);

/** No answer comes to what was said last, unless it was typed here: then its own turn tells. */
export function unanswered(turns: readonly Turn[]): Turn[] {
  const last = turns.at(-1);
  return change(turns, (turn) => turn === last && turn.key.startsWith("you-"), { state: "unanswered" });
}

/** Whether the persona owes an answer that has not begun. */
export function isThinking(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  return last?.who === "you" && last.state !== "failed" && last.state !== "unanswered";
}
