// The tones of the faces that ship with a box: built in the background, once, and after everything else.

import { afterEach, beforeEach, expect, test } from "vitest";
import { tones } from "../../contract/tones.ts";
import { ANN, LibraryParty } from "../testing/library-party.ts";

let party: LibraryParty;
beforeEach(async () => {
  party = await LibraryParty.start();
});
afterEach(() => party.close());

const tonesOf = (id: string) => party.library.list(null).groups.find((group) => group.id === id)?.tones;
const built = () => expect.poll(() => [tonesOf("maya"), tonesOf("theo")]).toEqual([[...tones], [...tones]]);

test("they come after whatever was uploaded, are listed as they come, and are there for good", async () => {
  expect(tonesOf("maya")).toEqual(["neutral"]);
  const release = party.tools.hold();
  party.tools.rendered.length = 0;
  await party.reopen({ stockTones: true });
  await expect.poll(() => party.tools.rendered.length).toBe(1);
  const { avatar } = await party.library.create(party.photo({ tones: "sad" }));
  release();
  await party.library.finished(ANN, avatar);
  await built();
  const [first, ...later] = party.tools.rendered;
  expect([first, ...later.slice(0, 2)]).toEqual(["warm", "neutral", "sad"]);
  expect(later).toHaveLength(17);
  expect(party.library.clipFile(null, "maya__sad")).toContain("clip.mp4");
  expect(party.library.owned().map(({ id }) => id)).toEqual([avatar]);
  party.tools.rendered.length = 0;
  await party.reopen({ stockTones: true });
  expect(tonesOf("theo")).toEqual([...tones]);
  await party.reopen();
  expect(tonesOf("theo")).toEqual([...tones]);
  expect(party.tools.rendered).toEqual([]);
});

test("a box that builds no clips builds none of these", async () => {
  await party.reopen({ stockTones: true, offers: { photoCreation: true, clips: { kind: "none" } } });
  expect(party.states("maya")).toEqual({ neutral: "generated" });
});

test("a tone that stops the box twice is not begun again", async () => {
  const record = await party.recordOf("maya");
  const { neutral } = record.clips ?? {};
  if (!neutral) throw new Error("There is no clip.");
  await party.library.close();
  const begun = { ...neutral, state: "generating", build: null } as const;
  const clips = { neutral, warm: { ...begun, begun: 2 }, sad: { ...begun, begun: 1 } };
  await party.saveRecord({ ...record, clips });
  party.tools.rendered.length = 0;
  await party.open({ stockTones: true });
  await expect.poll(() => party.states("maya")).toMatchObject({ warm: "failed", sad: "generated" });
  await party.reopen({ stockTones: true });
  await expect.poll(() => tonesOf("theo")).toEqual([...tones]);
  expect(party.states("maya").warm).toBe("failed");
});

test("a stock avatar whose MP4 failed gets it at the next start, and is shown meanwhile", async () => {
  const record = await party.recordOf("maya");
  const { neutral } = record.clips ?? {};
  if (!neutral) throw new Error("There is no clip.");
  await party.library.close();
  await party.saveRecord({
    ...record,
    clips: { neutral: { ...neutral, state: "failed", detail: "The disk is full." } },
  });
  party.tools.rendered.length = 0;
  await party.open();
  expect(party.library.list(null).avatars).toContain("maya");
  await expect.poll(() => party.states("maya")).toEqual({ neutral: "generated" });
  expect(party.tools.rendered).toEqual([]);
  expect((await party.recordOf("maya")).build).toBe(record.build);
});

test("a stock avatar's MP4 that stopped the box twice is left alone in that start, and tried in the next", async () => {
  const record = await party.recordOf("maya");
  const { neutral } = record.clips ?? {};
  if (!neutral) throw new Error("There is no clip.");
  await party.library.close();
  const unencoded = { width: 512, height: 512 };
  await party.saveRecord({
    ...record,
    clips: { neutral: { ...neutral, state: "generating", unencoded, begun: 2 } },
  });
  const before = party.media.calls.length;
  party.tools.rendered.length = 0;
  await party.open();
  await party.library.finished(ANN, "maya");
  expect(party.states("maya")).toEqual({ neutral: "failed" });
  expect([party.tools.rendered, party.media.calls.slice(before)]).toEqual([[], []]);
  await party.reopen();
  await expect.poll(() => party.states("maya")).toEqual({ neutral: "generated" });
  expect(party.tools.rendered).toEqual([]);
});
