// Avatars of an older version of the preparation: shown until they are built anew, and where that is refused.

import { join } from "node:path";
import { rm } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sameFace } from "../testing/avatar-tools.ts";
import { ANN, LibraryParty } from "../testing/library-party.ts";
import { OLDEST_SHOWN_VERSION, PREPARATION_VERSION } from "./prepare.ts";
import type { AvatarRecord } from "./record.ts";
import { SOURCE_FILE } from "./store.ts";

let party: LibraryParty;
beforeEach(async () => {
  party = await LibraryParty.start();
});
afterEach(() => party.close());

/** An avatar with a tone, as a box with another version of the preparation left it; the library is closed. */
async function leftBy(version: number): Promise<AvatarRecord> {
  const id = await party.made(party.photo({ tones: "happy" }));
  const record = await party.recordOf(id);
  const { neutral, happy } = record.clips ?? {};
  if (!neutral || !happy) throw new Error("There are no clips.");
  await party.library.close();
  const clips = { neutral: { ...neutral, version }, happy: { ...happy, version } };
  const outdated = { ...record, version, clips };
  await party.saveRecord(outdated);
  party.tools.rendered.length = 0;
  return outdated;
}

const foldsOver = new Error("The mouth would fold over.");
const loopsOf = (id: string) => party.library.loops(ANN, id);

test("it is shown while it is built anew, tones and all, and replaced then", async () => {
  const { id, build, clips } = await leftBy(OLDEST_SHOWN_VERSION);
  const release = party.tools.hold();
  await party.open();
  const old = [build, clips?.happy?.build].map((name) => join(party.folder(id), name ?? ""));
  expect((await party.library.ready(ANN, id)).status).toBe("ready");
  expect([...loopsOf(id)]).toEqual([
    ["neutral", old[0]],
    ["happy", old[1]],
  ]);
  expect(party.states(id)).toEqual({ neutral: "generating", happy: "generating" });
  release();
  await party.library.finished(ANN, id);
  expect(party.states(id)).toEqual({ neutral: "generated", happy: "generated" });
  expect([...loopsOf(id).values()].filter((dir) => old.includes(dir))).toEqual([]);
  expect(await party.recordOf(id)).toMatchObject({
    version: PREPARATION_VERSION,
    clips: { happy: { version: PREPARATION_VERSION } },
  });
});

test("one that is refused now is shown as it was, over starts, until its owner asks again", async () => {
  const { id, build } = await leftBy(OLDEST_SHOWN_VERSION);
  party.tools.faults.set("", foldsOver);
  await party.open();
  const before = [...loopsOf(id)];
  await party.library.finished(ANN, id);
  const detail = foldsOver.message;
  expect(party.library.resolve(ANN, id)).toMatchObject({
    status: "ready",
    dir: join(party.folder(id), build ?? ""),
    clips: [
      { tone: "neutral", state: "failed", detail },
      { tone: "happy", state: "failed", detail },
    ],
  });
  expect(before.map(([tone]) => tone)).toEqual(["neutral", "happy"]);
  expect([...loopsOf(id)]).toEqual(before);
  party.tools.rendered.length = 0;
  await party.reopen();
  expect([...loopsOf(id)]).toEqual(before);
  await party.library.finished(ANN, id);
  expect(party.tools.rendered).toEqual([]);
  party.tools.faults.clear();
  for (const tone of ["neutral", "happy"]) {
    await party.library.retry(ANN, id, tone);
    expect((await party.library.ready(ANN, id)).status).toBe("ready");
    await party.library.finished(ANN, id);
  }
  expect(party.states(id)).toEqual({ neutral: "generated", happy: "generated" });
  expect((await party.recordOf(id)).version).toBe(PREPARATION_VERSION);
});

test("one whose photograph is gone, or whose build stops the box twice, is shown as it was", async () => {
  const record = await leftBy(OLDEST_SHOWN_VERSION);
  const { id } = record;
  await party.saveRecord({ ...record, begun: 2 });
  await party.open();
  await party.library.finished(ANN, id);
  expect(party.library.resolve(ANN, id)).toMatchObject({ status: "ready" });
  expect(party.library.clips(ANN, id).clips[0]?.detail).toContain("twice");
  expect(party.tools.rendered).not.toContain("neutral");
  await party.library.close();
  await party.saveRecord(record);
  await rm(join(party.folder(id), record.upload ?? "", SOURCE_FILE));
  await party.open();
  await party.library.finished(ANN, id);
  expect(party.library.resolve(ANN, id)).toMatchObject({ status: "ready" });
  expect(party.library.clips(ANN, id).clips[0]?.detail).toContain("photograph");
});

test("a tone that is refused where its face was not does not go with that face", async () => {
  const { id } = await leftBy(OLDEST_SHOWN_VERSION);
  party.tools.faults.set("happy", foldsOver);
  await party.open();
  await party.library.finished(ANN, id);
  expect(party.states(id)).toEqual({ neutral: "generated", happy: "failed" });
  expect([...loopsOf(id).keys()]).toEqual(["neutral"]);
});

test("one that is too old to be shown is prepared first, and fails where it is refused", async () => {
  const { id } = await leftBy(OLDEST_SHOWN_VERSION - 1);
  party.tools.faults.set("", foldsOver);
  const release = party.tools.hold();
  await party.open();
  expect(party.library.resolve(ANN, id)?.status).toBe("preparing");
  release();
  await party.library.finished(ANN, id);
  expect(party.library.resolve(ANN, id)).toMatchObject({ status: "failed", detail: foldsOver.message });
});

test("the photograph of an avatar is looked at once, though another's tones end meanwhile", async () => {
  let looked = 0;
  const findFace: typeof sameFace.findFace = (picture) => {
    looked += 1;
    return sameFace.findFace(picture);
  };
  const finder = Object.assign(Object.create(sameFace) as typeof sameFace, { findFace });
  const first = await party.made(party.photo());
  await party.reopen({ finder });
  const release = party.tools.hold();
  party.tools.rendered.length = 0;
  await party.library.retry(ANN, first, "happy");
  await expect.poll(() => party.tools.rendered).toEqual(["happy"]);
  const { avatar } = await party.library.create(party.photo({ filename: "b.png", tones: "sad" }));
  await expect.poll(() => party.tools.rendered).toEqual(["happy", "neutral"]);
  expect(looked).toBe(2);
  release();
  for (const id of [first, avatar]) await party.library.finished(ANN, id);
  expect(party.tools.rendered).toEqual(["happy", "neutral", "sad"]);
  expect(looked).toBe(2);
});
