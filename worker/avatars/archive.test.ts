import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { archiveGrantSchema } from "../../contract/internal/avatars.ts";
import { assetsSchema, clipVideoSchema, portalClipListSchema } from "../../contract/library.ts";
import { limits } from "../../contract/limits.ts";
import { envOf } from "../platform/env.ts";
import {
  agree,
  ann,
  archiveClip,
  askAsBox,
  askGrant,
  bea,
  brokenMedia,
  clipReport,
  erase,
  happyClip,
  keyOf,
  nowSeconds,
  putFile,
  report,
  setVisibility,
  still,
  tellDone,
} from "../testing/avatars.ts";
import { plansOf } from "../testing/plans.ts";
import {
  beat,
  bindings,
  bodyOf,
  call,
  db,
  makeKey,
  moveClock,
  signIn,
  withKey,
  type Browser,
} from "../testing/portal.ts";
import { findPlayable } from "./archive-store.ts";
import { closeArchive, grantArchive, readAssets, readClipVideo } from "./archive.ts";

const media = bindings.MEDIA;
let owner: Browser;
let other: Browser;
beforeEach(async () => {
  [owner, other] = [await signIn(ann), await signIn(bea)];
});

const refusalOf = async (response: Response) => [
  response.status,
  (await bodyOf(response, structuredErrorSchema)).error.code,
];
const get = (path: string, headers: Record<string, string> = owner) =>
  call(`/auth/avatars/mary-ann/${path}`, { headers });
const assetsOf = async () => (await bodyOf(await get("assets"), assetsSchema)).assets;
const clipsOf = async () => bodyOf(await get("clips"), portalClipListSchema);

describe("assets", () => {
  test("are the stored files, each under a URL of its object that lives a quarter of an hour", async () => {
    await report();
    const key = await putFile(await still(), "a picture");
    expect(await assetsOf()).toEqual([]);
    expect((await tellDone(await still())).status).toBe(200);
    const clipKey = await archiveClip();
    const answer = await bodyOf(await get("assets"), assetsSchema);
    expect(answer).toMatchObject({ avatar_id: "mary-ann", expires_in: limits.signedUrlSeconds });
    expect(answer.assets).toMatchObject([
      { kind: "video", filename: "happy.mp4", size_bytes: 6 },
      { kind: "image", filename: "still.jpg", size_bytes: 9 },
    ]);
    expect(answer.assets.map(({ url }) => keyOf(url))).toEqual([clipKey, key]);
    for (const { url } of answer.assets) {
      expect(new URL(url).searchParams.get("X-Amz-Expires")).toBe("900");
      expect(decodeURIComponent(url)).not.toContain("@");
    }
  });

  test("of somebody else's avatar are those of none, even of a published one", async () => {
    await report();
    await agree();
    await setVisibility(owner, "public");
    const [theirs, none] = [
      await get("assets", other),
      await call("/auth/avatars/no/assets", { headers: other }),
    ];
    expect([theirs.status, none.status]).toEqual([404, 404]);
    const body = await theirs.text();
    expect(body).toBe(await none.text());
    expect(body).toContain("avatar_not_found");
  });

  test("cannot be had without a signer", async () => {
    await report();
    const key = { account: ann, avatarId: "mary-ann" };
    expect(await readAssets(db, null, key)).toMatchObject({ failure: { code: "media_unavailable" } });
  });
});

describe("the clip list", () => {
  test("holds what boxes told of the avatar, its build and its clips", async () => {
    const source = { filename: "ann.png", sha256: "ab".repeat(32) };
    const framing = { crop: "bust" as const, x: 0.1, y: 0, w: 0.8, h: 0.6 };
    const build = {
      state: "ready",
      step: "done",
      progress: 1,
      detail: "",
      started_at: 5,
      finished_at: 9,
    } as const;
    await report({ source, framing, build });
    await askAsBox("avatars/clips", clipReport({ tone: "sad", state: "generating", duration_s: null }));
    await askAsBox("avatars/clips", clipReport());
    expect(await clipsOf()).toMatchObject({
      avatar: "mary-ann",
      clips: [
        { tone: "happy", state: "generated", variant_id: "mary-ann__happy", duration_s: 4.2 },
        { tone: "sad", state: "generating", duration_s: null },
      ],
      source: { kind: "photo", ...source },
      framing,
      build,
      served_by: "portal",
    });
    // A later report that says less takes nothing away.
    await report();
    expect(await clipsOf()).toMatchObject({ source: { filename: "ann.png" }, framing, build });
  });

  test("is empty of what no box has told", async () => {
    await report();
    expect(await clipsOf()).toMatchObject({ clips: [], source: null, framing: null, build: null });
  });

  test("says whether a box is there to build clips", async () => {
    await report();
    expect((await clipsOf()).capabilities).toEqual({
      can_generate: false,
      reason: expect.stringMatching(/none is/),
    });
    await beat("box-a");
    expect((await clipsOf()).capabilities).toEqual({ can_generate: true, reason: "" });
    await report({ state: "preparing" });
    expect((await clipsOf()).capabilities.can_generate).toBe(false);
    await report({ state: "failed" });
    expect((await clipsOf()).capabilities.can_generate).toBe(false);
    await report();
    moveClock(46);
    expect((await clipsOf()).capabilities.can_generate).toBe(false);
  });

  test("of somebody else's avatar is that of none, for keys as for people", async () => {
    await report();
    for (const headers of [other, withKey((await makeKey(other)).secret)]) {
      const [theirs, none] = [await get("clips", headers), await call("/auth/avatars/no/clips", { headers })];
      expect(await refusalOf(theirs.clone() as Response)).toEqual([404, "unknown_avatar"]);
      expect(await theirs.text()).toBe(await none.text());
    }
    expect((await get("clips", withKey((await makeKey(owner)).secret))).status).toBe(200);
  });

  test("keeps the newest word on a tone, and none on an avatar that is not there", async () => {
    await report();
    const now = nowSeconds();
    await askAsBox("avatars/clips", clipReport({ updated_at: now + 5 }));
    await askAsBox("avatars/clips", clipReport({ updated_at: now + 1, state: "generating" }));
    expect((await clipsOf()).clips).toMatchObject([{ state: "generated", updated_at: now + 5 }]);
    const stray = await askAsBox("avatars/clips", { ...clipReport(), account: bea });
    expect(await refusalOf(stray)).toEqual([404, "avatar_not_found"]);
  });
});

describe("a clip's video", () => {
  test("is signed anew at every call and kept by nobody", async () => {
    await report();
    const key = await archiveClip();
    const first = await get("clips/happy/video");
    expect(first.headers.get("Cache-Control")).toBe("no-store");
    const one = await bodyOf(first, clipVideoSchema);
    expect(one).toMatchObject({ expires_in: 900, expires_at: nowSeconds() + 900, tone: "happy" });
    expect(keyOf(one.url)).toBe(key);
    moveClock(2);
    const two = await bodyOf(await get("clips/happy/video"), clipVideoSchema);
    expect(two.url).not.toBe(one.url);
    expect(two.updated_at).toBe(one.updated_at);
  });

  test("of a published avatar plays for anyone signed in, and for nobody once it is withdrawn", async () => {
    await report();
    const key = await archiveClip();
    expect(await refusalOf(await get("clips/happy/video", other))).toEqual([404, "unknown_avatar"]);
    await agree();
    await setVisibility(owner, "public");
    const played = await bodyOf(await get("clips/happy/video", other), clipVideoSchema);
    expect(keyOf(played.url)).toBe(key);
    await setVisibility(owner, "private");
    expect(await refusalOf(await get("clips/happy/video", other))).toEqual([404, "unknown_avatar"]);
  });

  test("of a stranger is never played in place of one that the caller's own avatar has not", async () => {
    await report();
    await archiveClip();
    await agree();
    await setVisibility(owner, "public");
    expect((await get("clips/happy/video", other)).status).toBe(200);
    await report({ account: bea });
    const refused = await get("clips/happy/video", other);
    expect(await refusalOf(refused)).toEqual([404, "unknown_avatar"]);
  });

  test("of several avatars published under one id is that of the first", async () => {
    const keys: string[] = [];
    for (const [account, browser] of [
      [bea, other],
      [ann, owner],
    ] as const) {
      await report({ account });
      keys.push(await archiveClip({ account }));
      await agree({ account });
      await setVisibility(browser, "public");
      moveClock(1);
    }
    const played = await get("clips/happy/video", await signIn("cyd@example.com"));
    expect(keyOf((await bodyOf(played, clipVideoSchema)).url)).toBe(keys[0]);
  });

  test("is found without going through any table", async () => {
    const steps = await plansOf((observed) =>
      findPlayable(observed, { account: ann, avatarId: "mary-ann" }, "happy"),
    );
    expect(steps.filter((step) => /SEARCH (?:avatars|avatar|file|public_avatars) /.test(step))).toHaveLength(
      5,
    );
    // What is gone through is the short list of avatars that are meant.
    expect(steps.filter((step) => step.startsWith("SCAN")).filter((step) => step !== "SCAN meant")).toEqual(
      [],
    );
  });

  test("of the caller's own avatar comes before a published one of the same id", async () => {
    await report();
    await archiveClip();
    await agree();
    await setVisibility(owner, "public");
    await report({ account: bea });
    const own = await archiveClip({ account: bea }, "another film");
    const played = await bodyOf(await get("clips/happy/video", other), clipVideoSchema);
    expect(keyOf(played.url)).toBe(own);
  });

  test.each(["sad", "neutral", "no-such-tone"])("of the tone %s, never built, is unknown", async (tone) => {
    await report();
    await archiveClip();
    const none = await call("/auth/avatars/nobody/clips/happy/video", { headers: owner });
    const answer = await get(`clips/${tone}/video`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe(await none.text());
  });

  test("counts only once it is stored", async () => {
    await report();
    await askAsBox("avatars/clips", clipReport());
    await putFile(await happyClip(), "a film");
    expect(await refusalOf(await get("clips/happy/video"))).toEqual([404, "unknown_avatar"]);
  });

  test("cannot be had without a signer", async () => {
    await report();
    await archiveClip();
    const asked = { account: ann, avatarId: "mary-ann", tone: "happy" };
    expect(await readClipVideo(db, null, asked)).toMatchObject({
      failure: { code: "clip_video_unavailable" },
    });
  });
});

describe("what boxes put into an archive", () => {
  test("must be as it was granted; what is not is removed", async () => {
    await report();
    const file = await still();
    expect(await refusalOf(await tellDone(file))).toEqual([400, "invalid_upload"]);
    const key = await putFile(file, "longer than granted");
    expect(await refusalOf(await tellDone(file))).toEqual([400, "invalid_upload"]);
    expect(await media.head(key)).toBeNull();
    await putFile(file, "a picture");
    await media.put(key, "a picture", { httpMetadata: { contentType: "text/html" } });
    expect(await refusalOf(await tellDone(file))).toEqual([400, "invalid_upload"]);
    expect(await media.head(key)).toBeNull();
    expect(await assetsOf()).toEqual([]);
    await putFile(file, "a picture");
    expect((await tellDone(file)).status).toBe(200);
    expect((await tellDone(file)).status).toBe(200);
    expect(await assetsOf()).toHaveLength(1);
    // Other bytes than were granted, whatever their length, are another file.
    expect(await refusalOf(await tellDone({ ...file, sha256: "0".repeat(64) }))).toEqual([
      400,
      "invalid_upload",
    ]);
    expect(await assetsOf()).toHaveLength(1);
  });

  test("belongs to an avatar of the account it names, or is refused", async () => {
    await report();
    const file = await still();
    for (const of of [{ account: bea }, { avatarId: "nobody" }]) {
      expect(await refusalOf(await askGrant(file, of))).toEqual([404, "avatar_not_found"]);
      expect(await refusalOf(await tellDone(file, of))).toEqual([404, "avatar_not_found"]);
    }
  });

  test("goes into a folder that an avatar without one is given by its next report", async () => {
    await report();
    await db.prepare("UPDATE avatars SET archive_id = ''").run();
    expect(await refusalOf(await askGrant(await still()))).toEqual([404, "avatar_not_found"]);
    await report();
    expect(await putFile(await still(), "a picture")).toMatch(/^avatars\/[0-9a-f-]{36}\/still\.jpg$/);
  });

  test("replaces the file of the same name", async () => {
    await report();
    const key = await putFile(await still(), "a picture");
    await tellDone(await still());
    const next = await still("another picture");
    expect(await putFile(next, "another picture")).toBe(key);
    expect(await assetsOf()).toEqual([]);
    await tellDone(next);
    expect(await assetsOf()).toMatchObject([{ filename: "still.jpg", size_bytes: 15 }]);
  });

  test.each([
    ["a clip without a tone", { role: "clip", tone: null, content_type: "video/mp4" }, "invalid_upload"],
    ["a still with a tone", { tone: "happy" }, "invalid_upload"],
    ["a clip that is a picture", { role: "clip", tone: "happy" }, "invalid_upload"],
    ["a still that is a film", { content_type: "video/mp4" }, "invalid_upload"],
    ["a picture past its limit", { size: limits.imageBytes + 1 }, "upload_too_large"],
    ["a path for a name", { filename: "../still.jpg" }, "invalid_body"],
    ["a type that is neither", { content_type: "text/html" }, "invalid_body"],
  ])("%s is refused", async (_label, changes, code) => {
    await report();
    const files = [{ ...(await still()), ...changes }];
    const answer = await askAsBox("avatars/media", { account: ann, avatar_id: "mary-ann", files });
    expect((await refusalOf(answer))[1]).toBe(code);
  });

  test("comes under one name once", async () => {
    await report();
    const files = [await still(), await still("another")];
    const answer = await askAsBox("avatars/media", { account: ann, avatar_id: "mary-ann", files });
    expect(await refusalOf(answer)).toEqual([400, "invalid_upload"]);
  });

  test("is granted in the order it was asked for, with the type and length signed", async () => {
    await report();
    const files = [await still(), await happyClip()];
    const answer = await askAsBox("avatars/media", { account: ann, avatar_id: "mary-ann", files });
    const grants = (await bodyOf(answer, archiveGrantSchema)).files;
    expect(grants.map(({ url }) => keyOf(url).split("/").at(-1))).toEqual(["still.jpg", "happy.mp4"]);
    expect(grants.map(({ headers }) => headers)).toEqual([
      { "Content-Type": "image/jpeg" },
      { "Content-Type": "video/mp4" },
    ]);
    for (const { url } of grants) {
      expect(new URL(url).searchParams.get("X-Amz-SignedHeaders")).toBe("content-length;content-type;host");
    }
  });

  test("of an erased avatar never joins the one that came after it", async () => {
    const madeAt = nowSeconds();
    await report();
    const key = await putFile(await still(), "a picture", { madeAt });
    await erase(owner);
    moveClock(2);
    await report();
    expect(await refusalOf(await askGrant(await still(), { madeAt }))).toEqual([404, "avatar_not_found"]);
    expect(await refusalOf(await tellDone(await still(), { madeAt }))).toEqual([404, "avatar_not_found"]);
    const next = await putFile(await still(), "a picture", { madeAt: nowSeconds() });
    expect(next).not.toBe(key);
    const old = { ...clipReport(), made_at: madeAt };
    expect(await refusalOf(await askAsBox("avatars/clips", old))).toEqual([404, "avatar_not_found"]);
  });

  test("waits while storage does not answer, and cannot be without it", async () => {
    await report();
    const file = await still();
    await putFile(file, "a picture");
    const request = { account: ann, avatar_id: "mary-ann", files: [file] };
    expect(await closeArchive({ ...envOf(bindings), media: brokenMedia }, request)).toMatchObject({
      failure: { code: "media_unavailable" },
    });
    expect((await tellDone(file)).status).toBe(200);
    expect(await grantArchive(db, null, request)).toMatchObject({ failure: { code: "media_unavailable" } });
  });
});
