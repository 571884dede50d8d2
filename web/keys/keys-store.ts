// The person's API keys. Secrets never come in here: one is handed to whoever asked for it, once.

import type { z } from "zod";
import { okSchema } from "../../contract/chat.ts";
import { keyCreatedSchema, type KeyRecord, keyListSchema } from "../../contract/credentials.ts";
import { requestPortal } from "../portal/request.ts";
import { asVisavisError, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";

export const keysPortal = {
  async list(): Promise<KeyRecord[]> {
    return (await requestPortal("/auth/keys", keyListSchema)).keys;
  },
  async create(name: string): Promise<z.infer<typeof keyCreatedSchema>["key"]> {
    const request = { method: "POST", json: { name } } as const;
    return (await requestPortal("/auth/keys", keyCreatedSchema, request)).key;
  },
  async revoke(id: string): Promise<void> {
    await requestPortal(`/auth/keys/${encodeURIComponent(id)}`, okSchema, { method: "DELETE" });
  },
};

export interface KeysState {
  status: "loading" | "ready" | "error";
  error: VisavisError | null;
  /** Newest first. */
  keys: readonly KeyRecord[];
}

const newestFirst = (keys: readonly KeyRecord[]) => [...keys].sort((a, b) => b.created_at - a.created_at);

export class KeysStore extends Store<KeysState> {
  readonly #portal: typeof keysPortal;

  constructor(wired: typeof keysPortal = keysPortal) {
    super({ status: "loading", error: null, keys: [] });
    this.#portal = wired;
  }

  readonly refresh = async (): Promise<void> => {
    try {
      const keys = newestFirst(await this.#portal.list());
      this.update({ status: "ready", error: null, keys });
    } catch (thrown) {
      this.update({ status: "error", error: asVisavisError(thrown) });
    }
  };

  /** Resolves with the new key's secret, which is nowhere else. Rejects with `VisavisError`. */
  readonly create = async (name: string): Promise<string> => {
    const { secret, ...key } = await this.#portal.create(name);
    this.update({ keys: newestFirst([...this.get().keys, key]) });
    return secret;
  };

  /** Rejects with `VisavisError`; the key then is what it was. */
  readonly revoke = async (id: string): Promise<void> => {
    try {
      await this.#portal.revoke(id);
    } finally {
      // Whether it worked or another tab was faster, the list says what is so.
      await this.refresh();
    }
  };
}
