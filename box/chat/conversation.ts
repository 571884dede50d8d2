// What was said between one account and the avatar.

import { randomUUID } from "node:crypto";

export interface Entry {
  role: "user" | "assistant";
  content: string;
}

const entryCapacity = 400;
/** A model is shown at most this much of the past, newest first. */
const historyChars = 60_000;
const conversationCapacity = 500;
/** A conversation nobody went on with for a day is over. */
const forgottenAfterMs = 24 * 3600 * 1000;

export class Conversation {
  readonly id = randomUUID();
  readonly #entries: Entry[] = [];

  /** Characters it holds. */
  get chars(): number {
    return this.#entries.reduce((sum, { content }) => sum + content.length, 0);
  }

  append(role: Entry["role"], content: string): Entry {
    const entry: Entry = { role, content };
    this.#entries.push(entry);
    // What no model will be shown any more is not kept.
    let surplus = this.chars - historyChars;
    let old = 0;
    for (const { content: oldest } of this.#entries.slice(0, -1)) {
      surplus -= oldest.length;
      if (surplus < 0 && this.#entries.length - old <= entryCapacity) break;
      old++;
    }
    this.#entries.splice(0, old);
    return entry;
  }

  /** Keeps of an interrupted reply what was heard; a reply nobody heard was never given. */
  trim(entry: Entry, heard: string): void {
    const index = this.#entries.indexOf(entry);
    if (index === -1) return;
    if (heard.trim() === "") this.#entries.splice(index, 1);
    else entry.content = heard;
  }

  /**
   * The recent past, beginning with the user's words as models ask for, neighbours of one role joined: a message that
   * goes on with one whose reply nobody heard is one message with it.
   */
  messages(): Entry[] {
    const recent: Entry[] = [];
    let chars = 0;
    for (const entry of this.#entries.toReversed()) {
      chars += entry.content.length;
      if (chars > historyChars && recent.length > 0) break;
      const next = recent[0];
      if (next?.role === entry.role) next.content = `${entry.content}\n${next.content}`;
      else recent.unshift({ ...entry });
    }
    while (recent[0]?.role === "assistant") recent.shift();
    return recent;
  }
}

/** One conversation per account; the one untouched longest is forgotten when there are too many, or after a day. */
export class Conversations {
  /** The one touched longest ago first. */
  readonly #byAccount = new Map<string, { conversation: Conversation; touchedAtMs: number }>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get size(): number {
    return this.#byAccount.size;
  }

  of(account: string): Conversation {
    this.#forgetOld();
    const conversation = this.#byAccount.get(account)?.conversation ?? new Conversation();
    this.#byAccount.delete(account);
    this.#byAccount.set(account, { conversation, touchedAtMs: this.#now() });
    if (this.#byAccount.size > conversationCapacity)
      this.#byAccount.delete(this.#byAccount.keys().next().value ?? "");
    return conversation;
  }

  /** Closes the account's conversation; its id, or null when there was none. */
  reset(account: string): string | null {
    this.#forgetOld();
    const id = this.#byAccount.get(account)?.conversation.id ?? null;
    this.#byAccount.delete(account);
    return id;
  }

  #forgetOld(): void {
    for (const [account, { touchedAtMs }] of this.#byAccount) {
      if (this.#now() - touchedAtMs < forgottenAfterMs) return;
      this.#byAccount.delete(account);
    }
  }
}
