// Tells the portal how the avatars made on this box are coming along.

import type { AvatarState } from "../../contract/avatars.ts";
import type { Portal } from "./portal.ts";

interface Making {
  account: string;
  name: string | null;
  state: AvatarState;
}

export interface AvatarReportsOptions {
  portal: Pick<Portal, "reportAvatar">;
  region: string;
}

export class AvatarReports {
  readonly #options: AvatarReportsOptions;
  /** Builds in flight: the library's journal knows no accounts. */
  readonly #making = new Map<string, Making>();

  constructor(options: AvatarReportsOptions) {
    this.#options = options;
  }

  /** An upload was accepted. */
  made({
    account,
    avatar,
    name,
    state,
  }: {
    account: string;
    avatar: string;
    name: string | null;
    state: AvatarState;
  }): void {
    const making: Making = { account, name, state };
    if (state === "preparing") this.#making.set(avatar, making);
    this.#report(avatar, making, "");
  }

  /** A build moved; only a change of state is news to the portal. */
  moved(avatar: string, { state, detail }: { state: AvatarState; detail: string }): void {
    const making = this.#making.get(avatar);
    if (!making || making.state === state) return;
    making.state = state;
    if (state !== "preparing") this.#making.delete(avatar);
    this.#report(avatar, making, detail);
  }

  #report(avatar: string, { account, name, state }: Making, detail: string): void {
    this.#options.portal.reportAvatar({
      account,
      avatar_id: avatar,
      name,
      state,
      detail,
      source_kind: "photo",
      region: this.#options.region,
      weights_volume: "",
    });
  }
}
