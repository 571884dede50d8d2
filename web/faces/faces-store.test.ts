import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type AvatarList, avatarListSchema } from "../../contract/avatars.ts";
import { VisavisError } from "../sdk/index.ts";
import { ErasedFaces } from "./erased-faces.ts";
import { FacesStore } from "./faces-store.ts";

function list(...ids: string[]): AvatarList {
  return avatarListSchema.parse({
    avatars: ids,
    groups: ids.map((id) => ({
      id,
      display_name: id,
      variants: [id],
      tones: ["neutral"],
      preview: id,
      stock: id === "maya",
    })),
    preparing: [],
    active: "maya",
    active_group: "maya",
    builds: {},
  });
}

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** A store over a box whose listing is `box.ids`, and what it erased on the portal meanwhile. */
function make(...ids: string[]) {
  const box = { ids };
  const erased = new ErasedFaces();
  const avatars = vi.fn(() => Promise.resolve(list(...box.ids)));
  const avatarPreview = vi.fn((id: string) => Promise.resolve(new Blob([id])));
  const store = new FacesStore({ avatars, avatarPreview }, erased);
  const shown = () => store.get().faces.map(({ id }) => id);
  return { box, erased, avatars, store, shown };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("FacesStore", () => {
  it("shows a face that was added elsewhere, and keeps what is selected", async () => {
    const { box, store, shown } = make("maya", "me");
    await store.refresh();
    store.select("me");
    box.ids = ["maya", "me", "you"];
    await store.refresh();
    expect(shown()).toEqual(["me", "you", "maya"]);
    expect(store.get().selected).toBe("me");
  });

  it("lets go of a face that is gone, of its still, and of its selection", async () => {
    const revoke = vi.spyOn(URL, "revokeObjectURL");
    const { box, store, shown } = make("maya", "me");
    await store.refresh();
    await settled();
    store.select("me");
    const still = store.get().stills["me"];
    expect(still).toMatch(/^blob:/);
    box.ids = ["maya"];
    await store.refresh();
    expect(shown()).toEqual(["maya"]);
    expect(store.get().selected).toBe("maya");
    expect(Object.keys(store.get().stills)).toEqual(["maya"]);
    expect(revoke).toHaveBeenCalledExactlyOnceWith(still);
  });

  it("does not offer an erased face that its box still lists, until another takes its id", async () => {
    const { erased, store, shown } = make("maya", "me");
    await store.refresh();
    erased.add("me");
    await store.refresh();
    expect(shown()).toEqual(["maya"]);
    store.watch("me", "Me again");
    await settled();
    expect(shown()).toEqual(["me", "maya"]);
  });

  it("believes the latest reading, whichever is answered first", async () => {
    const { avatars, store, shown } = make("maya");
    let answerLate = (_list: AvatarList) => {};
    avatars.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          answerLate = resolve;
        }),
    );
    const first = store.refresh();
    await store.refresh();
    answerLate(list("maya", "gone"));
    await first;
    expect(shown()).toEqual(["maya"]);
  });

  it("keeps the faces it shows when a later reading fails", async () => {
    vi.useFakeTimers();
    const { avatars, store, shown } = make("maya");
    await store.refresh();
    avatars.mockRejectedValueOnce(
      new VisavisError({ code: "box_unavailable", message: "No box.", status: 503 }),
    );
    await store.refresh();
    expect(store.get().status).toBe("ready");
    expect(shown()).toEqual(["maya"]);
    store.dispose();
  });
});
