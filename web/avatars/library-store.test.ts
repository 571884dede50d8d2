import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LibraryAvatar } from "../../contract/library.ts";
import { VisavisError } from "../sdk/index.ts";
import { findAvatar, LibraryStore } from "./library-store.ts";
import { avatarRecord } from "./testing/records.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const down = () => new VisavisError({ code: "internal", message: "Broken.", status: 500 });

function make(rows: LibraryAvatar[][]) {
  const own = vi.fn(async () => rows.shift() ?? []);
  const published = vi.fn(async () => [{ ...avatarRecord("theirs"), mine: false }]);
  return { store: new LibraryStore({ own, published }), own, published };
}

describe("LibraryStore", () => {
  it("goes on reading while a face is being prepared, and stops when it is not", async () => {
    const { store, own } = make([
      [avatarRecord("ada", { state: "preparing" })],
      [avatarRecord("ada", { state: "preparing" })],
      [avatarRecord("ada")],
    ]);
    store.watch();
    await vi.runAllTimersAsync();
    expect(own).toHaveBeenCalledTimes(3);
    expect(store.get().own.rows[0]?.state).toBe("ready");
  });

  it("looks for a face that a box has accepted until it is listed, and not for ever", async () => {
    const { store, own } = make([[], [], [], [avatarRecord("ada")]]);
    store.watch();
    await vi.advanceTimersByTimeAsync(0);
    store.expect("ada");
    expect(store.get().expected).toEqual(["ada"]);
    await vi.runAllTimersAsync();
    expect(own).toHaveBeenCalledTimes(4);
    expect(store.get().expected).toEqual([]);
    store.expect("never");
    await vi.runAllTimersAsync();
    expect(store.get().expected).toEqual([]);
    expect(own.mock.calls.length).toBeLessThan(20);
  });

  it("stops reading when the page is left", async () => {
    const { store, own } = make([[avatarRecord("ada", { state: "preparing" })]]);
    const leave = store.watch();
    await vi.advanceTimersByTimeAsync(0);
    leave();
    await vi.runAllTimersAsync();
    expect(own).toHaveBeenCalledTimes(1);
  });

  it("says why a list did not come, and keeps one that is there", async () => {
    const { store, own } = make([[avatarRecord("ada")]]);
    own.mockRejectedValueOnce(down());
    await store.refresh();
    expect(store.get().own).toMatchObject({ status: "error", error: { message: "Broken." } });
    await store.refresh();
    own.mockRejectedValueOnce(down());
    await store.refresh();
    expect(store.get().own).toMatchObject({ status: "ready", error: null });
    expect(store.get().own.rows).toHaveLength(1);
  });

  it("lists a published avatar as mine, and takes it off when it is private or gone", async () => {
    const { store } = make([[avatarRecord("ada")]]);
    await store.refresh();
    await store.refreshPublished();
    const ids = () => store.get().published.rows.map(({ avatar_id: id, mine }) => [id, mine]);
    store.adopt(avatarRecord("ada", { visibility: "public" }));
    expect(ids()).toEqual([
      ["ada", true],
      ["theirs", false],
    ]);
    expect(findAvatar(store.get(), "ada")).toMatchObject({ mine: true, avatar: { visibility: "public" } });
    store.adopt(avatarRecord("ada"));
    expect(ids()).toEqual([["theirs", false]]);
    store.adopt(avatarRecord("ada", { visibility: "public" }));
    store.forget("ada");
    expect(ids()).toEqual([["theirs", false]]);
    expect(findAvatar(store.get(), "ada")).toBeNull();
    expect(findAvatar(store.get(), "theirs")).toMatchObject({ mine: false });
  });
});
