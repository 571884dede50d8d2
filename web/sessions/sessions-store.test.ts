import { describe, expect, it, vi } from "vitest";
import type { SessionPage, SessionPatch, SessionRow } from "../../contract/sessions.ts";
import { VisavisError } from "../sdk/index.ts";
import { matches, sessionOf, SessionsStore, visibleSessions } from "./sessions-store.ts";
import { sessionRow } from "./testing/records.ts";

const broken = () => new VisavisError({ code: "sessions_unavailable", message: "Not now.", status: 503 });

function make(pages: SessionPage[]) {
  const edits: { patch: SessionPatch; resolve(row: SessionRow): void; reject(error: Error): void }[] = [];
  const api = {
    page: vi.fn(async (_cursor: string | null): Promise<SessionPage> => pages.shift() ?? { sessions: [] }),
    edit: vi.fn(
      (_id: string, patch: SessionPatch) =>
        new Promise<SessionRow>((resolve, reject) => {
          edits.push({ patch, resolve, reject });
        }),
    ),
  };
  return { api, edits, store: new SessionsStore(api) };
}

const ids = (store: SessionsStore) => visibleSessions(store.get()).map(({ id }) => id);

describe("paging", () => {
  it("goes on from the cursor to the last page, each session once", async () => {
    const { api, store } = make([
      { sessions: [sessionRow("c"), sessionRow("b")], next: "n1" },
      { sessions: [sessionRow("b"), sessionRow("a")] },
    ]);
    await store.load();
    await store.loadMore();
    expect(api.page.mock.calls.map(([cursor]) => cursor)).toEqual([null, "n1"]);
    expect(ids(store)).toEqual(["c", "b", "a"]);
    await store.loadMore();
    expect(api.page).toHaveBeenCalledTimes(2);
  });

  it("keeps what is loaded when a page does not come, and can ask for it again", async () => {
    const { api, store } = make([
      { sessions: [sessionRow("b")], next: "n1" },
      { sessions: [sessionRow("a")] },
    ]);
    await store.load();
    api.page.mockRejectedValueOnce(broken());
    await store.loadMore();
    expect(store.get()).toMatchObject({ next: "n1", loadingMore: false, moreError: { message: "Not now." } });
    await store.loadMore();
    expect(ids(store)).toEqual(["b", "a"]);
    expect(store.get().moreError).toBeNull();
  });

  it("drops a page of a list that was loaded anew meanwhile", async () => {
    const { api, store } = make([{ sessions: [sessionRow("b")], next: "n1" }]);
    await store.load();
    let answer: (page: SessionPage) => void = () => undefined;
    api.page.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const more = store.loadMore();
    api.page.mockResolvedValueOnce({ sessions: [sessionRow("z")], next: "n2" });
    await store.load();
    answer({ sessions: [sessionRow("old")] });
    await more;
    expect(ids(store)).toEqual(["z"]);
    expect(store.get().next).toBe("n2");
  });

  it("says why there is no list, and never shows an empty one instead", async () => {
    const { api, store } = make([]);
    api.page.mockRejectedValueOnce(broken());
    await store.load();
    expect(store.get()).toMatchObject({ status: "error", error: { message: "Not now." } });
  });
});

describe("finding", () => {
  it.each([
    ["café", true],
    ["CAFE billing", true],
    ["angry", true],
    ["call back", true],
    ["refund", false],
  ])("%s: %s", (query, found) => {
    const row = sessionRow("a", {
      title: "Café order",
      preview: "About my billing",
      tags: ["angry"],
      notes: "Call him back",
    });
    expect(matches(row, query)).toBe(found);
  });

  it("can be kept to what is starred", async () => {
    const { store } = make([{ sessions: [sessionRow("a"), sessionRow("b", { starred: true })] }]);
    await store.load();
    store.setStarredOnly(true);
    expect(ids(store)).toEqual(["b"]);
    store.setQuery("nothing like it");
    expect(ids(store)).toEqual([]);
  });
});

describe("editing", () => {
  it("shows an edit at once, and takes it back with the portal's sentence when it is refused", async () => {
    const { edits, store } = make([{ sessions: [sessionRow("a")] }]);
    await store.load();
    const editing = store.edit("a", { starred: true });
    expect(sessionOf(store.get(), "a")?.starred).toBe(true);
    await expect.poll(() => edits).toHaveLength(1);
    edits[0]?.reject(broken());
    expect(await editing).toBe(false);
    expect(sessionOf(store.get(), "a")?.starred).toBe(false);
    expect(store.get().refusal).toEqual({ id: "a", fields: ["starred"], message: "Not now." });
  });

  it("sends the edits of one session in order, and a refused one leaves the others", async () => {
    const { edits, store } = make([{ sessions: [sessionRow("a")] }]);
    await store.load();
    const first = store.edit("a", { title: "First" });
    const second = store.edit("a", { starred: true });
    await expect.poll(() => edits).toHaveLength(1);
    edits[0]?.reject(broken());
    await first;
    await expect.poll(() => edits).toHaveLength(2);
    expect(sessionOf(store.get(), "a")).toMatchObject({ title: "", starred: true });
    edits[1]?.resolve(sessionRow("a", { starred: true }));
    expect(await second).toBe(true);
    expect(store.get().pending).toEqual([]);
    expect(sessionOf(store.get(), "a")).toMatchObject({ title: "", starred: true });
  });

  it("edits a session that was opened by its address and is on no page", async () => {
    const { edits, store } = make([]);
    store.adopt(sessionRow("far"));
    expect(ids(store)).toEqual([]);
    void store.edit("far", { tags: ["kept"] });
    expect(sessionOf(store.get(), "far")?.tags).toEqual(["kept"]);
    await expect.poll(() => edits).toHaveLength(1);
    store.forget("far");
    expect(sessionOf(store.get(), "far")).toBeNull();
  });
});
