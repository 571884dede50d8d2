// Damaged and hostile files through the front door of a whole box: each is refused in the route's own words, and the box is as
// it was before.

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { errorStatus, structuredErrorSchema, type ErrorCode } from "../contract/errors.ts";
import { damagedFile } from "../box/testing/damaged-files.ts";
import { hugePng, lyingJpeg, movOfAnother, nestedMatroska } from "../box/testing/hostile-files.ts";
import { ffmpeg, mediaSamples } from "../box/testing/media-samples.ts";
import { startBox, type BoxProcess } from "./harness/box.ts";

let box: BoxProcess;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "visavis-uploads-"));
  box = await startBox();
});

afterAll(async () => {
  await box?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function upload(
  bytes: Uint8Array,
  filename: string,
): Promise<{ status: number; code: string; message: string }> {
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(bytes)]), filename);
  const answer = await fetch(`${box.url}/api/avatar`, { method: "POST", body: form });
  const body: unknown = await answer.json();
  const { error } = structuredErrorSchema.parse(body);
  expect(errorStatus[error.code as ErrorCode]).toBe(answer.status);
  // Nothing of where things are on the box, and nothing of what its programs say.
  expect(error.message).not.toMatch(/\/tmp|ffmpeg|0x|visavis-/i);
  return { status: answer.status, ...error };
}

const codeOf = async (bytes: Uint8Array | string, filename: string) =>
  (await upload(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes, filename)).code;

/** What the box runs, and the folders that it works in. */
async function traces(): Promise<{ children: string[]; folders: string[] }> {
  const tasks = await readdir(`/proc/${box.pid}/task`);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${box.pid}/task/${task}/children`, "utf8").catch(() => "")),
  );
  const pids = lists.join(" ").split(/\s+/).filter(Boolean);
  const names = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/comm`, "utf8").catch(() => "gone")),
  );
  const folders = (await readdir(tmpdir())).filter((name) => name.startsWith(`visavis-media-${box.pid}-`));
  return { children: names.map((name) => name.trim()), folders };
}

test("hostile files", async () => {
  const jpeg = await sharp(hugePng(200, 200)).jpeg().toBuffer();
  const path = join(folder, "whole.mov");
  await ffmpeg(..."-f lavfi -i testsrc2=s=192x144:d=3 -c:v libx264 -preset ultrafast".split(" "), path);
  const playlist = "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n";
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"/>';
  expect({
    bomb: await codeOf(hugePng(60_000, 60_000, 1), "bomb.png"),
    lying: await codeOf(lyingJpeg(jpeg), "lying.jpg"),
    svg: await codeOf(svg, "drawing.png"),
    nothing: await codeOf("", "nothing.png"),
    playlist: await codeOf(playlist, "playlist.mp4"),
    concat: await codeOf("ffconcat version 1.0\nfile /etc/passwd\n", "concat.mp4"),
    nested: await codeOf(nestedMatroska(50_000), "nested.webm"),
    short: await codeOf((await readFile(path)).subarray(0, 900), "short.mov"),
  }).toEqual({
    bomb: "image_too_many_pixels",
    lying: "image_too_many_pixels",
    svg: "image_unsupported",
    nothing: expect.stringMatching(/^(image_unsupported|invalid_body)$/),
    playlist: "video_unsupported",
    concat: "video_unsupported",
    nested: "video_unreadable",
    short: "video_unreadable",
  });
  // What it says of itself is true; that its media lies elsewhere shows when it is decoded.
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(movOfAnother(await readFile(path), path))]), "alias.mov");
  const answer = await fetch(`${box.url}/api/avatar`, { method: "POST", body: form });
  const made = z.object({ avatar: z.string() }).safeParse(await answer.json());
  if (answer.status === 200) await expect.poll(() => stateOf(made.data?.avatar ?? "")).toBe("failed");
  else expect(answer.status).toBe(400);
});

async function stateOf(avatar: string): Promise<string> {
  const answer = await fetch(`${box.url}/api/avatars`);
  const { builds } = z
    .object({ builds: z.record(z.string(), z.object({ state: z.string() })) })
    .parse(await answer.json());
  return builds[avatar]?.state ?? "none";
}

test("damaged files of every kind", { timeout: 900_000 }, async () => {
  const samples = (await mediaSamples(folder)).filter(({ kind }) => kind !== "sound");
  const codes = new Set<string>();
  for (let number = 0; number < 40; number += 1) {
    const { bytes, name } = damagedFile(samples, number * 7);
    const sample = samples[(number * 7) % samples.length];
    const { status, code } = await upload(bytes, sample?.name ?? name);
    expect([400, 413]).toContain(status);
    codes.add(code);
  }
  // Pictures without a face and videos that are too short: what survives its damage is refused for what it is.
  expect([...codes].toSorted()).toEqual(
    expect.arrayContaining(["image_unreadable", "no_face", "video_too_short"]),
  );
});

test("the box is as it was", async () => {
  expect(await (await fetch(`${box.url}/health`)).json()).toMatchObject({ ok: true });
  await expect.poll(async () => (await traces()).folders).toEqual([]);
  const { children } = await traces();
  expect(children.filter((name) => /^(ffmpeg|ffprobe|prlimit|setpriv|nice)$/.test(name))).toEqual([]);
  // One process for photographs may wait for the next.
  expect(children.filter((name) => /^node|^MainThread/.test(name)).length).toBeLessThanOrEqual(1);
  expect(box.output()).not.toMatch(/\n\s+at .*:\d+:\d+/);
});
