import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AvatarError } from "./errors.ts";
import { FaceFinder } from "./landmarks.ts";
import { AvatarLibrary } from "./library.ts";
import type { AvatarLibraryOptions } from "./library.ts";
import type { AvatarBuilder } from "./prepare.ts";
import { FakeMediaFiles } from "../testing/fake-media-files.ts";

const stockDir = fileURLToPath(new URL("stock/", import.meta.url));
// Small portraits and one set of models keep these tests about the library.
const finder = new FaceFinder();
const portraits = await mkdtemp(join(tmpdir(), "visavis-portraits-"));
const [portrait, other] = (await Promise.all(
  ["maya", "theo"].map(async (name) => {
    const small = await sharp(join(stockDir, `${name}.png`))
      .resize(400)
      .png()
      .toBuffer();
    await writeFile(join(portraits, `${name}.png`), small);
    return small;
  }),
)) as [Buffer, Buffer];
afterAll(async () => {
  await finder.close();
  await rm(portraits, { recursive: true });
});
const ANN = "ann@example.com";
const BEN = "ben@example.com";

let stateDir = "";
const open: AvatarLibrary[] = [];
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "visavis-library-"));
});
afterEach(async () => {
  for (const library of open.splice(0)) await library.close();
  await rm(stateDir, { recursive: true });
});

/** Writes what the native builder would, and can be held or made to fail. */
function fakeBuilder() {
  const gate = { held: undefined as Promise<void> | undefined, error: undefined as Error | undefined };
  const builder = vi.fn<AvatarBuilder>(async ({ outDir, landmarks, width, height }) => {
    await gate.held;
    if (gate.error) throw gate.error;
    if (landmarks.length !== 478 * 3) throw new Error("Wrong landmarks.");
    await writeFile(join(outDir, "rig.vvr"), `${width}x${height}`);
    await writeFile(join(outDir, "loop.i420"), "frames");
    return { width: 512, height: 512, fps: 25, frames: 200 };
  });
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate.held = promise;
    return () => {
      gate.held = undefined;
      resolve();
    };
  };
  return { builder, gate, hold };
}

async function openLibrary(options: Partial<AvatarLibraryOptions> = {}): Promise<AvatarLibrary> {
  const library = await AvatarLibrary.open({
    media: new FakeMediaFiles(),
    stateDir,
    finder,
    stockDir: portraits,
    builder: fakeBuilder().builder,
    ...options,
  });
  open.push(library);
  return library;
}

async function close(library: AvatarLibrary): Promise<void> {
  open.splice(open.indexOf(library), 1);
  await library.close();
}

async function code(action: Promise<unknown>): Promise<string> {
  const error = await action.then(
    () => "nothing",
    (reason: unknown) => reason,
  );
  return error instanceof AvatarError ? error.code : String(error);
}

const upload = { owner: ANN, filename: "My Face.png", bytes: portrait };

describe("AvatarLibrary", () => {
  it("prepares the stock avatars and shows them to everybody", async () => {
    const library = await openLibrary();
    const maya = await library.ready(null, "maya");
    await library.ready(ANN, "theo");
    expect(await readdir(maya.dir)).toEqual(["clip.mp4", "loop.i420", "preview.jpg", "rig.vvr"]);
    expect(library.list(null)).toMatchObject({
      avatars: ["maya", "theo"],
      groups: [
        {
          id: "maya",
          display_name: "Maya",
          variants: ["maya"],
          tones: ["neutral"],
          preview: "maya",
          stock: true,
        },
        { id: "theo", display_name: "Theo", stock: true },
      ],
      preparing: [],
      active: "maya",
      active_group: "maya",
      builds: { maya: { state: "ready", step: "done", progress: 1 } },
    });
    const preview = await sharp(await library.preview(null, "maya")).metadata();
    expect(preview).toMatchObject({ format: "jpeg", width: 512, height: 512 });
    expect(await code(library.delete(ANN, "maya"))).toBe("stock_avatar");
  });

  it("answers an upload once the face is checked, reports its progress and keeps it to its owner", async () => {
    const steps: string[] = [];
    const { builder, hold } = fakeBuilder();
    const library = await openLibrary({
      builder,
      onProgress: (id, { step }) => id.startsWith("my") && steps.push(step),
    });
    await library.ready(null, "theo");
    const release = hold();
    const created = await library.create({
      ...upload,
      name: "My face",
      gestureAmplitude: 0.8,
      framing: "head",
    });
    expect(created).toMatchObject({
      display_name: "My face",
      status: "preparing",
      tones: ["neutral"],
      note: "",
      active: "maya",
    });
    expect(created.avatar).toMatch(/^my-face-[a-z0-9]{6}$/);
    expect(library.list(ANN).preparing).toEqual([created.avatar]);
    expect(library.list(BEN).groups.map(({ id }) => id)).toEqual(["maya", "theo"]);
    expect(await code(library.preview(ANN, created.avatar))).toBe("avatar_not_ready");
    release();
    const entry = await library.ready(ANN, created.avatar);
    expect(entry).toMatchObject({
      owner: ANN,
      stock: false,
      status: "ready",
      framing: "head",
      gestureAmplitude: 0.8,
    });
    expect(builder.mock.lastCall?.[0]).toMatchObject({ motion: 0.8, outputWidth: 512, outputHeight: 512 });
    await library.finished(ANN, created.avatar);
    expect(steps).toEqual(["decode", "landmarks", "preview", "rig", "clips", "done"]);
    expect(library.list(ANN).avatars[0]).toBe(created.avatar);
    expect(library.resolve(BEN, created.avatar)).toBeUndefined();
    expect(library.resolve(null, created.avatar)).toBeUndefined();
    for (const action of [
      library.ready(BEN, created.avatar),
      library.preview(BEN, created.avatar),
      library.delete(BEN, created.avatar),
      library.setActive(BEN, created.avatar),
    ]) {
      expect(await code(action)).toBe("unknown_avatar");
    }
  });

  it("replaces by file name within an account, and makes a new avatar for each name", async () => {
    const library = await openLibrary();
    const first = await library.create(upload);
    const entry = await library.ready(ANN, first.avatar);
    expect(entry.displayName).toBe("My Face");
    const again = await library.create({ ...upload, bytes: other });
    expect(again.avatar).toBe(first.avatar);
    const replaced = await library.ready(ANN, first.avatar);
    expect(replaced.dir).not.toBe(entry.dir);
    expect(replaced.created_at).toBe(entry.created_at);
    const foreign = await library.create({ ...upload, owner: BEN });
    expect(foreign.avatar).not.toBe(first.avatar);
    const named = await library.create({ ...upload, name: "Twin" });
    const twin = await library.create({ ...upload, name: "Twin" });
    expect(named.avatar).not.toBe(twin.avatar);
  });

  it("refuses what is not a usable photograph and leaves nothing behind", async () => {
    const library = await openLibrary();
    await library.ready(null, "theo");
    const before = (await readdir(join(stateDir, "avatars"))).toSorted();
    const faceless = await sharp({ create: { width: 300, height: 300, channels: 3, background: "#777" } })
      .png()
      .toBuffer();
    expect(await code(library.create({ ...upload, bytes: faceless }))).toBe("no_face");
    expect(await code(library.create({ ...upload, bytes: Buffer.from("not a picture") }))).toBe(
      "image_unsupported",
    );
    expect(await code(library.create({ ...upload, framing: "feet" }))).toBe("invalid_framing");
    expect(await code(library.create({ ...upload, name: " " }))).toBe("invalid_name");
    expect(await code(library.create({ ...upload, name: "a\u0000b" }))).toBe("invalid_name");
    expect((await readdir(join(stateDir, "avatars"))).toSorted()).toEqual(before);
    expect(Object.keys(library.list(ANN).builds).toSorted()).toEqual(["maya", "theo"]);
    const { avatar } = await library.create(upload);
    await library.ready(ANN, avatar);
    expect(await code(library.create({ ...upload, bytes: faceless }))).toBe("no_face");
    expect(library.resolve(ANN, avatar)?.status).toBe("ready");
  });

  it("says busy while the same avatar is being built", async () => {
    const { builder, hold } = fakeBuilder();
    const library = await openLibrary({ builder });
    await library.ready(null, "theo");
    const release = hold();
    const { avatar } = await library.create(upload);
    expect(await code(library.create(upload))).toBe("avatar_busy");
    release();
    await library.ready(ANN, avatar);
  });

  it("reports a failed build with its reason, and recovers at the next upload", async () => {
    const { builder, gate } = fakeBuilder();
    const library = await openLibrary({ builder });
    await library.ready(null, "theo");
    gate.error = new Error("The lips could not be found.");
    const { avatar } = await library.create(upload);
    expect(await code(library.ready(ANN, avatar))).toBe("avatar_not_ready");
    expect(library.resolve(ANN, avatar)).toMatchObject({
      status: "failed",
      detail: "The lips could not be found.",
    });
    expect(library.list(ANN).builds[avatar]).toMatchObject({
      state: "failed",
      detail: "The lips could not be found.",
    });
    gate.error = undefined;
    await library.create(upload);
    expect((await library.ready(ANN, avatar)).detail).toBe("");
  });

  it("reads everything back after a restart, without building again", async () => {
    const first = await openLibrary();
    const { avatar } = await first.create({ ...upload, name: "Kept" });
    await first.ready(ANN, avatar);
    await first.ready(null, "theo");
    await first.setActive(ANN, avatar);
    await close(first);
    const { builder } = fakeBuilder();
    const second = await openLibrary({ builder });
    expect(second.resolve(ANN, avatar)).toMatchObject({ status: "ready", displayName: "Kept", owner: ANN });
    expect(second.active(ANN)?.id).toBe(avatar);
    expect(second.active(BEN)?.id).toBe("maya");
    await second.ready(null, "maya");
    expect(builder).not.toHaveBeenCalled();
    expect(await second.delete(ANN, avatar)).toEqual({ deleted: avatar, active: "maya" });
    expect(second.resolve(ANN, avatar)).toBeUndefined();
    expect(existsSync(join(stateDir, "avatars", avatar))).toBe(false);
  });

  it("finishes after a crash what it had begun, and removes what is half made", async () => {
    const first = await openLibrary();
    const { avatar } = await first.create(upload);
    const { dir } = await first.ready(ANN, avatar);
    await first.ready(null, "theo");
    await close(first);
    const folder = join(stateDir, "avatars", avatar);
    const record = JSON.parse(await readFile(join(folder, "avatar.json"), "utf8")) as object;
    await writeFile(join(folder, "avatar.json"), JSON.stringify({ ...record, status: "preparing" }));
    await mkdir(join(folder, "build-interrupted"));
    await writeFile(join(folder, "avatar.json.1.tmp"), "{");
    await mkdir(join(stateDir, "avatars", "nothing-yet"));
    await writeFile(join(stateDir, "avatars", "theo", "avatar.json"), "{ broken");
    const { builder } = fakeBuilder();
    const second = await openLibrary({ builder });
    const entry = await second.ready(ANN, avatar);
    expect(entry.dir).not.toBe(dir);
    expect((await second.ready(null, "theo")).status).toBe("ready");
    expect(builder).toHaveBeenCalledTimes(2);
    expect(existsSync(join(stateDir, "avatars", "nothing-yet"))).toBe(false);
    expect(
      (await readdir(folder)).filter((name) => name.includes("interrupted") || name.endsWith(".tmp")),
    ).toEqual([]);
  });

  it("fails an avatar whose photograph a crash lost", async () => {
    const first = await openLibrary();
    const { avatar } = await first.create(upload);
    await first.ready(ANN, avatar);
    await close(first);
    const folder = join(stateDir, "avatars", avatar);
    const { dir } = first.resolve(ANN, avatar) ?? { dir: "" };
    for (const name of await readdir(folder))
      if (name.startsWith("upload-")) await rm(join(folder, name), { recursive: true });
    await rm(dir, { recursive: true });
    const second = await openLibrary();
    expect(second.resolve(ANN, avatar)).toMatchObject({
      status: "failed",
      detail: expect.stringContaining("Upload it again"),
    });
  });

  it("builds a stock avatar anew when its portrait changed", async () => {
    const changed = join(stateDir, "stock");
    await mkdir(changed);
    await writeFile(join(changed, "maya.png"), portrait);
    await writeFile(join(changed, "theo.png"), other);
    const first = await openLibrary({ stockDir: changed });
    const before = await first.ready(null, "maya");
    await first.ready(null, "theo");
    await close(first);
    await writeFile(join(changed, "maya.png"), other);
    const { builder } = fakeBuilder();
    const second = await openLibrary({ stockDir: changed, builder });
    expect((await second.ready(null, "maya")).dir).not.toBe(before.dir);
    await second.ready(null, "theo");
    expect(builder).toHaveBeenCalledOnce();
  });

  it("takes nothing more once it closes, and closes twice", async () => {
    const library = await openLibrary();
    await library.close();
    await library.close();
    expect(await code(library.create(upload))).toBe("library_closed");
  });
});
