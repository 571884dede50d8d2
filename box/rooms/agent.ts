// Whose sound and tones count: one agent's of all that are in the room.

import type { RoomParticipant } from "./connection.ts";

export class AgentChoice {
  readonly #named: string | null;
  readonly #waiting: string[] = [];

  /** `named`: the join or the token says whose; null: the first agent in the room, and when it leaves the next. */
  constructor(named: string | null) {
    this.#named = named;
  }

  /** Null while it is open. */
  get identity(): string | null {
    return this.#named ?? this.#waiting[0] ?? null;
  }

  is(identity: string): boolean {
    return this.identity === identity;
  }

  joined({ identity, agent, avatar }: RoomParticipant): void {
    if (agent && !avatar && !this.#waiting.includes(identity)) this.#waiting.push(identity);
  }

  left(identity: string): void {
    const at = this.#waiting.indexOf(identity);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}
