import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pictureOf, sameFace as finder } from "../testing/avatar-tools.ts";
import { FakeMediaFiles } from "../testing/fake-media-files.ts";
import { AvatarLibrary } from "./library.ts";
import type { AvatarBuilder } from "./prepare.ts";

const ANN = "ann@example.com";
const BEN = "ben@example.com";
const [grey, blue] = await Promise.all([pictureOf("#888888"), pictureOf("#4466aa")]);

let held: Promise<void> | undefined;
let fault: Error | undefined;
const builder: AvatarBuilder = async ({ outDir }) => {
  await held;
  if (fault) throw fault;
  await writeFile(join(outDir, "rig.vvr"), "rig");
  await writeFile(join(outDir, "loop.i420"), "");
  return { width: 512, height: 512, fps: 25, frames: 200 };
};

let stateDir: string;
let library: AvatarLibrary;
beforeEach(async () => {
  [held, fault] = [undefined, undefined];
  stateDir = await mkdtemp(join(tmpdir(), "visavis-erasing-"));
  for (const name of ["maya", "theo"]) await writeFile(join(stateDir, `${name}.png`), grey);
  library = await openLibrary();
  await library.ready(null, "theo");
});
afterEach(async () => {
  vi.useRealTimers();
  await library.close();
  await rm(stateDir, { recursive: true });
});

const openLibrary = () =>
  AvatarLibrary.open({ stateDir, media: new FakeMediaFiles(), stockDir: stateDir, finder, builder });
const folder = (id: string) => join(stateDir, "avatars", id);
const buildsOf = async (id: string) =>
  (await readdir(folder(id))).filter((name) => name.startsWith("build-"));
const nowSeconds = () => Math.floor(Date.now() / 1000);
const pass = (seconds: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1000 });

async function make(bytes = grey, owner = ANN): Promise<string> {
  const { avatar } = await library.create({ owner, filename: "me.png", bytes });
  return avatar;
}

test("an erased avatar leaves nothing on disk and is nobody's choice any more", async () => {
  const id = await make();
  await library.ready(ANN, id);
  await library.setActive(ANN, id);
  expect(await library.erase(ANN, id, nowSeconds())).toBe(true);
  expect(existsSync(folder(id))).toBe(false);
  expect(library.resolve(ANN, id)).toBeUndefined();
  expect(library.active(ANN)?.id).toBe("maya");
  expect(library.list(ANN).builds[id]).toBeUndefined();
  expect(await library.erase(ANN, id, nowSeconds())).toBe(true);
});

test("one that is somebody else's, stock, or made later stays", async () => {
  const id = await make();
  const made = nowSeconds();
  await library.ready(ANN, id);
  expect(await library.erase(BEN, id, made)).toBe(true);
  expect(await library.erase(ANN, "maya", made)).toBe(true);
  expect(await library.erase(ANN, "../../etc", made)).toBe(true);
  expect(await library.erase(ANN, id, made - 1)).toBe(true);
  expect(library.resolve(ANN, id)?.status).toBe("ready");
  expect(library.resolve(ANN, "maya")?.status).toBe("ready");
});

test("one that is being built is given up, and nothing of the build stays", async () => {
  const gate = Promise.withResolvers<void>();
  held = gate.promise;
  const id = await make();
  const erased = library.erase(ANN, id, nowSeconds());
  expect(library.resolve(ANN, id)).toBeUndefined();
  await expect(make()).rejects.toMatchObject({ code: "avatar_busy" });
  gate.resolve();
  expect(await erased).toBe(true);
  expect(existsSync(folder(id))).toBe(false);
  held = undefined;
  // Its place is free again.
  expect((await library.ready(ANN, await make())).status).toBe("ready");
});

test("of one that was made again only what was built before goes", async () => {
  const id = await make();
  await library.ready(ANN, id);
  const erasedAt = nowSeconds();
  pass(5);
  await make(blue);
  const entry = await library.ready(ANN, id);
  expect(entry.madeAt).toBeGreaterThan(erasedAt);
  // The build that a session may be about to open is still there.
  expect(await buildsOf(id)).toHaveLength(2);
  expect(await library.erase(ANN, id, erasedAt)).toBe(true);
  expect((await library.ready(ANN, id)).dir).toBe(entry.dir);
  expect(await buildsOf(id)).toHaveLength(1);
});

test("one whose new photograph could not be built does not keep the old build", async () => {
  const id = await make();
  await library.ready(ANN, id);
  const erasedAt = nowSeconds();
  pass(5);
  fault = new Error("The lips could not be found.");
  await make(blue);
  await library.ready(ANN, id).catch(() => undefined);
  expect(await library.erase(ANN, id, erasedAt)).toBe(true);
  expect(await buildsOf(id)).toEqual([]);
  expect(library.resolve(ANN, id)).toMatchObject({ status: "failed", dir: "" });
});

test("what a removal could not take is still taken by the next", async () => {
  const id = await make();
  await library.ready(ANN, id);
  await library.erase(ANN, id, nowSeconds());
  // As if the folder had been in use.
  await mkdir(folder(id));
  await writeFile(join(folder(id), "rig.vvr"), "rig");
  expect(await library.erase(ANN, id, nowSeconds())).toBe(true);
  expect(existsSync(folder(id))).toBe(false);
});

test("a library that is closing erases nothing and says so", async () => {
  const id = await make();
  await library.ready(ANN, id);
  await library.close();
  expect(await library.erase(ANN, id, nowSeconds())).toBe(false);
});

test("the archive gets photograph and still of a build once, also over a restart", async () => {
  const id = await make();
  expect(await library.archivable(ANN, "maya")).toBeUndefined();
  await library.finished(ANN, id);
  expect(await library.archivable(BEN, id)).toBeUndefined();
  const found = await library.archivable(ANN, id);
  if (!found) throw new Error("There is nothing to archive.");
  expect(found.files.map(({ role, tone, filename }) => [role, tone, filename])).toEqual([
    ["source", null, "source.jpg"],
    ["still", null, "still.jpg"],
    ["clip", "neutral", "neutral.mp4"],
  ]);
  const [source, still] = found.files.map(({ path }) => path);
  expect(await sharp(source).metadata()).toMatchObject({ format: "jpeg", width: 400 });
  expect(await sharp(still).metadata()).toMatchObject({ format: "jpeg", width: 512 });
  expect(library.owned()).toMatchObject([{ id, archived: false }]);
  await library.markArchived(id, ["another build"]);
  expect(library.owned()).toMatchObject([{ archived: false }]);
  await library.markArchived(id, found.builds);
  await library.close();
  library = await openLibrary();
  expect(await library.archivable(ANN, id)).toBeUndefined();
  const crop = { crop: "bust", x: 0.175, y: expect.any(Number), w: 0.65, h: expect.closeTo(260 / 300) };
  expect(library.owned()).toMatchObject([{ id, archived: true, filename: "me.png", crop }]);
  await make(blue);
  await library.ready(ANN, id);
  expect(library.owned()).toMatchObject([{ archived: false }]);
});
