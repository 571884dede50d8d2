// Refusals of the specification that few callers ever meet, over HTTP.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { avatarCreatedSchema, avatarListSchema } from "../../contract/avatars.ts";
import { chatStatusSchema } from "../../contract/chat.ts";
import { AvatarLibrary } from "../avatars/library.ts";
import { FakeTools, pictureOf, sameFace } from "../testing/avatar-tools.ts";
import { FakeMediaFiles } from "../testing/fake-media-files.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

const picture = new Blob([new Uint8Array(await pictureOf("#888888"))], { type: "image/png" });
const ndjson = { Accept: "application/x-ndjson" };

let box: TestBox;
afterEach(() => box.close());

/** A box whose library is real and builds nothing until it is let. */
async function startLibrary(clips: "builtin" | "none"): Promise<FakeTools> {
  const tools = new FakeTools();
  const files = new FakeMediaFiles();
  box = await startTestBox(
    {},
    {
      files,
      openFaces: async (stateDir, hooks) => {
        for (const name of ["maya", "theo"])
          await writeFile(join(stateDir, `${name}.png`), await pictureOf("#888888"));
        return AvatarLibrary.open({
          stateDir,
          stockDir: stateDir,
          media: files,
          finder: sameFace,
          builder: tools.builder,
          footage: tools.footage,
          offers: { photoCreation: true, clips: { kind: clips } },
          ...hooks,
        });
      },
    },
  );
  return tools;
}

function upload(parts: Record<string, string>): Promise<Response> {
  const body = new FormData();
  body.append("file", picture, "me.png");
  for (const [name, value] of Object.entries(parts)) body.append(name, value);
  return box.ask("/api/avatar", { body });
}

async function codeOf(response: Response): Promise<unknown[]> {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

test("a model that the box has no more is a 503 before anything is said, and readiness names it", async () => {
  box = await startTestBox();
  const read = await box.services.portal.settings("somebody");
  vi.spyOn(box.services.portal, "settings").mockResolvedValue({
    ...read,
    settings: { ...read.settings, model: "withdrawn", live_model: "withdrawn" },
  });
  for (const live of [false, true]) {
    if (live) await box.connect();
    for (const headers of [{}, ndjson] as Record<string, string>[]) {
      const refused = await box.ask("/api/chat", { body: { message: "Hi" }, headers });
      expect(refused.status).toBe(503);
      expect(await refused.json()).toEqual({ error: expect.stringContaining("withdrawn") });
    }
    const status = chatStatusSchema.strict().parse(await (await box.ask("/api/chat/status")).json());
    expect(status).toMatchObject({ ready: false, llm: false, reason: expect.stringContaining("withdrawn") });
  }
  expect(box.model.requests).toEqual([]);
});

test("a ninth upload at once has to wait, and takes nothing with it", async () => {
  const tools = await startLibrary("builtin");
  // Its own faces are out of the way first.
  await expect
    .poll(async () => avatarListSchema.parse(await (await box.ask("/api/avatars")).json()).preparing, {
      timeout: 60_000,
    })
    .toEqual([]);
  const release = tools.hold();
  try {
    for (let number = 1; number <= 8; number++)
      expect((await upload({ name: `Face ${number}` })).status).toBe(200);
    const ninth = await upload({ name: "One too many" });
    expect(ninth.headers.get("retry-after")).toBe("60");
    expect(await codeOf(ninth)).toEqual([429, "too_many_builds"]);
    expect(await (await box.ask("/api/avatars")).text()).not.toContain("One too many");
  } finally {
    release();
  }
});

test("where no clips are made, what is wrong with the question comes first and what is wrong with the face last", async () => {
  await startLibrary("none");
  const made = avatarCreatedSchema.parse(await (await upload({ name: "Nobody agreed" })).json());
  const retry = async (avatar: string, tone: string) =>
    codeOf(await box.ask("/api/avatar/clips/retry", { body: { avatar, tone } }));
  expect(await retry("nobody", "angry")).toEqual([404, "unknown_avatar"]);
  expect(await retry(made.avatar, "angry")).toEqual([400, "unknown_tone"]);
  expect(await retry(made.avatar, "happy")).toEqual([501, "avatar_clips_unavailable"]);
});
