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

export class Conversation {
  readonly id = randomUUID();
  readonly #entries: Entry[] = [];

  append(role: Entry["role"], content: string): Entry {
    const entry: Entry = { role, content };
    this.#entries.push(entry);
    if (this.#entries.length > entryCapacity) this.#entries.splice(0, this.#entries.length - entryCapacity);
    return entry;
  }

  /** Keeps of an interrupted reply what was heard; a reply nobody heard was never given. */
  trim(entry: Entry, heard: string): void {
    const index = this.#entries.indexOf(entry);
    if (index === -1) return;
    if (heard.trim() === "") this.#entries.splice(index, 1);
    else entry.content = heard;
  }

  /** The recent past, beginning with the user's words as models ask for, neighbours of one role joined. */
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

/** One conversation per account; the one untouched longest is forgotten when there are too many. */
export class Conversations {
  readonly #byAccount = new Map<string, Conversation>();

  of(account: string): Conversation {
    const conversation = this.#byAccount.get(account) ?? new Conversation();
    this.#byAccount.delete(account);
    this.#byAccount.set(account, conversation);
    if (this.#byAccount.size > conversationCapacity)
      this.#byAccount.delete(this.#byAccount.keys().next().value ?? "");
    return conversation;
  }

  /** Closes the account's conversation; its id, or null when there was none. */
  reset(account: string): string | null {
    const id = this.#byAccount.get(account)?.id ?? null;
    this.#byAccount.delete(account);
    return id;
  }
}
