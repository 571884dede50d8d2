// The sessions that were loaded, and every edit of one: shown at once, taken back when the portal refuses it.

import type { SessionPatch, SessionRow } from "../../contract/sessions.ts";
import { asVisavisError, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import type { SessionsApi } from "./sessions-api.ts";

export interface SessionsState {
  status: "loading" | "ready" | "error";
  error: VisavisError | null;
  /** As the portal last told them, newest first. */
  rows: readonly SessionRow[];
  /** Rows that were opened by their address and are on no loaded page. */
  opened: Readonly<Record<string, SessionRow>>;
  /** Cursor of the next page; null after the last one. */
  next: string | null;
  loadingMore: boolean;
  moreError: VisavisError | null;
  /** Edits on their way, in order. */
  pending: readonly PendingEdit[];
  /** The last edit that was refused. */
  refusal: { id: string; fields: readonly (keyof SessionPatch)[]; message: string } | null;
  query: string;
  starredOnly: boolean;
}

export interface PendingEdit {
  id: string;
  patch: SessionPatch;
}

/** A row with the edits on their way laid over it. */
function overlay(row: SessionRow, pending: readonly PendingEdit[]): SessionRow {
  return pending.reduce((before, edit) => (edit.id === row.id ? { ...before, ...edit.patch } : before), row);
}

export function sessionOf(state: SessionsState, id: string): SessionRow | null {
  const row = state.rows.find((candidate) => candidate.id === id) ?? state.opened[id];
  return row ? overlay(row, state.pending) : null;
}

/** Case and accents do not matter to a search. */
function folded(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** Whether every word of a query is found in the row's title, preview, tags or notes. */
export function matches(row: SessionRow, query: string): boolean {
  const text = folded([row.title, row.preview, row.notes, ...row.tags].join("\n"));
  return folded(query)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function visibleSessions(state: SessionsState): SessionRow[] {
  return state.rows
    .map((row) => overlay(row, state.pending))
    .filter((row) => (!state.starredOnly || row.starred) && matches(row, state.query));
}

export class SessionsStore extends Store<SessionsState> {
  readonly #api: Pick<SessionsApi, "page" | "edit">;
  /** The last edit of each session: the next one waits for it, so that the portal sees them in order. */
  readonly #lastEdit = new Map<string, Promise<void>>();

  constructor(api: Pick<SessionsApi, "page" | "edit">) {
    super({
      status: "loading",
      error: null,
      rows: [],
      opened: {},
      next: null,
      loadingMore: false,
      moreError: null,
      pending: [],
      refusal: null,
      query: "",
      starredOnly: false,
    });
    this.#api = api;
  }

  readonly setQuery = (query: string): void => this.update({ query });
  readonly setStarredOnly = (starredOnly: boolean): void => this.update({ starredOnly });
  readonly dismissRefusal = (): void => this.update({ refusal: null });

  readonly load = async (): Promise<void> => {
    this.update({ status: this.get().status === "ready" ? "ready" : "loading" });
    try {
      const { sessions, next = null } = await this.#api.page(null);
      this.update({ status: "ready", error: null, rows: sessions, next, moreError: null });
    } catch (thrown) {
      if (this.get().status !== "ready") this.update({ status: "error", error: asVisavisError(thrown) });
    }
  };

  readonly loadMore = async (): Promise<void> => {
    const { next: cursor, loadingMore } = this.get();
    if (cursor === null || loadingMore) return;
    this.update({ loadingMore: true, moreError: null });
    try {
      const { sessions, next = null } = await this.#api.page(cursor);
      // A list that was loaded anew meanwhile goes on from a cursor of its own.
      if (this.get().next !== cursor) return;
      const known = new Set(this.get().rows.map(({ id }) => id));
      this.update({ rows: [...this.get().rows, ...sessions.filter(({ id }) => !known.has(id))], next });
    } catch (thrown) {
      this.update({ moreError: asVisavisError(thrown) });
    } finally {
      this.update({ loadingMore: false });
    }
  };

  /** Takes over a row as the portal just told it. */
  readonly adopt = (row: SessionRow): void => {
    const { rows, opened } = this.get();
    if (rows.some(({ id }) => id === row.id)) {
      this.update({ rows: rows.map((before) => (before.id === row.id ? row : before)) });
    } else {
      this.update({ opened: { ...opened, [row.id]: row } });
    }
  };

  readonly forget = (id: string): void => {
    const { [id]: _, ...opened } = this.get().opened;
    this.update({ rows: this.get().rows.filter((row) => row.id !== id), opened });
  };

  /** Resolves with whether the portal took the edit; a refused one is undone and `refusal` says why. */
  readonly edit = async (id: string, patch: SessionPatch): Promise<boolean> => {
    const edit: PendingEdit = { id, patch };
    this.update({ pending: [...this.get().pending, edit], refusal: null });
    const before = this.#lastEdit.get(id) ?? Promise.resolve();
    const sent = before.then(() => this.#send(edit));
    const settled = sent.then(() => undefined);
    this.#lastEdit.set(id, settled);
    const taken = await sent;
    if (this.#lastEdit.get(id) === settled) this.#lastEdit.delete(id);
    return taken;
  };

  async #send(edit: PendingEdit): Promise<boolean> {
    const { id, patch } = edit;
    const done = () => this.get().pending.filter((candidate) => candidate !== edit);
    try {
      // The row before the edit's end, so that nothing shows the old value in between.
      this.adopt(await this.#api.edit(id, patch));
      this.update({ pending: done() });
      return true;
    } catch (thrown) {
      const fields = Object.keys(patch) as (keyof SessionPatch)[];
      this.update({ pending: done(), refusal: { id, fields, message: asVisavisError(thrown).message } });
      return false;
    }
  }
}
