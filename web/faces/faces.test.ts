import { describe, expect, it } from "vitest";
import { type AvatarList, avatarListSchema } from "../../contract/avatars.ts";
import type { Clip } from "../../contract/clips.ts";
import { tones } from "../../contract/tones.ts";
import {
  chooseFace,
  type Face,
  facesFromList,
  isMoving,
  makesTones,
  nameFromFile,
  tonesNote,
} from "./faces.ts";

const group = (id: string, stock = false) => ({
  id,
  display_name: id.toUpperCase(),
  variants: [id],
  tones: ["neutral" as const],
  preview: id,
  stock,
});

function list(parts: Partial<AvatarList>): AvatarList {
  return avatarListSchema.parse({
    avatars: ["maya"],
    groups: [group("maya", true)],
    preparing: [],
    active: "maya",
    active_group: "maya",
    builds: {},
    ...parts,
  });
}

const failed = (detail: string) => ({
  state: "failed" as const,
  step: "rig" as const,
  progress: 0.3,
  detail,
  started_at: 1,
  finished_at: 2,
});

const face = (id: string, state: "ready" | "preparing" = "ready") => ({
  id,
  name: id,
  stock: false,
  state,
  detail: "",
  clips: [],
  step: null,
});

describe("tonesNote", () => {
  const clips = (...states: Clip["state"][]): Face => ({
    ...face("me"),
    clips: states.map((state, index) => ({
      tone: tones[index] ?? "neutral",
      state,
      variant_id: "me",
      duration_s: null,
      updated_at: 1,
      detail: "",
    })),
  });

  it("counts what is done while any is being made, and then tells of failures alone", () => {
    expect(tonesNote(clips("generated", "failed", "generating"))).toBe("Making tones · 1 of 2");
    expect(tonesNote(clips("generated", "failed", "failed"))).toBe("2 tones failed");
    expect(tonesNote(clips("generated", "failed"))).toBe("One tone failed");
    expect(tonesNote(clips("generated"))).toBe("");
    expect(isMoving(clips("generated", "generating"))).toBe(true);
    expect(isMoving(clips("generated", "failed"))).toBe(false);
  });

  it("says nothing of the MP4 of a face that is ready, which is no tone that was asked for", () => {
    expect(tonesNote(clips("generating"))).toBe("");
    expect(tonesNote(clips("failed"))).toBe("");
    expect(tonesNote(clips("generating", "generating", "generated"))).toBe("Making tones · 1 of 2");
    expect(tonesNote({ ...clips("generating", "generating"), state: "preparing" })).toBe(
      "Making tones · 0 of 2",
    );
    expect(isMoving(clips("generating"))).toBe(true);
    expect(makesTones(clips("generating").clips)).toBe(false);
    expect(makesTones(clips("generated", "generating").clips)).toBe(true);
  });
});

describe("facesFromList", () => {
  it("puts own faces before the house's", () => {
    const faces = facesFromList(
      list({ avatars: ["maya", "me"], groups: [group("maya", true), group("me")] }),
      new Map(),
    );
    expect(faces.map(({ id, stock, state }) => [id, stock, state])).toEqual([
      ["me", false, "ready"],
      ["maya", true, "ready"],
    ]);
  });

  it("shows a face under preparation, whether or not the box has a group for it yet", () => {
    const names = new Map([["me", "Me"]]);
    const before = facesFromList(list({ preparing: ["me"] }), names);
    expect(before[0]).toMatchObject({ id: "me", name: "Me", state: "preparing" });
    const after = facesFromList(list({ groups: [group("me")], preparing: ["me__neutral"] }), names);
    expect(after).toHaveLength(1);
    expect(after[0]).toMatchObject({ id: "me", state: "preparing" });
  });

  it("shows a face that is there while its tones are made", () => {
    const parts = { avatars: ["maya", "me"], groups: [group("me")], preparing: ["me__happy"] };
    const clip = (tone: string, state: string) => ({
      tone,
      state,
      variant_id: `me__${tone}`,
      duration_s: null,
      updated_at: 1,
      detail: "",
    });
    const clips = [clip("neutral", "generating"), clip("happy", "generating")];
    const build = { ...failed(""), state: "ready", step: "clips", finished_at: null, clips };
    const [me] = facesFromList(
      avatarListSchema.parse({ ...list(parts as never), builds: { me: build } }),
      new Map(),
    );
    expect(me).toMatchObject({ id: "me", state: "ready" });
    expect(me && isMoving(me)).toBe(true);
  });

  it("says why a face failed, and forgets a failure that a later build repaired", () => {
    const builds = { me: failed("The face looks away.") };
    const names = new Map([["me", "Me"]]);
    const broken = facesFromList(list({ builds }), names);
    expect(broken[0]).toMatchObject({ state: "failed", detail: "The face looks away." });
    const mended = facesFromList(list({ builds, avatars: ["me"], groups: [group("me")] }), names);
    expect(mended[0]).toMatchObject({ state: "ready", detail: "" });
  });

  it("does not invent a face that the box knows nothing of", () => {
    expect(facesFromList(list({}), new Map([["gone", "Gone"]])).map(({ id }) => id)).toEqual(["maya"]);
  });
});

describe("chooseFace", () => {
  it("keeps the choice while it is ready, else takes the active one, else any", () => {
    const faces = [face("a"), face("b"), face("c", "preparing")];
    expect(chooseFace(faces, "b", "a")).toBe("b");
    expect(chooseFace(faces, "c", "b")).toBe("b");
    expect(chooseFace(faces, null, "gone")).toBe("a");
    expect(chooseFace([], "a", "a")).toBeNull();
  });
});

describe("nameFromFile", () => {
  it.each([
    ["my_photo-01.JPG", "My photo 01"],
    ["ada.lovelace.png", "Ada lovelace"],
    [".png", "New face"],
    ["émile.png", "Émile"],
  ])("%s → %s", (file, name) => expect(nameFromFile(file)).toBe(name));
});
