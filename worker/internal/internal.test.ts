import { describe, expect, test } from "vitest";
import { fleetSchema } from "../../contract/fleet.ts";
import { avatarReportAnswerSchema, type AvatarReport } from "../../contract/internal/avatars.ts";
import { heartbeatAnswerSchema, lookupAnswerSchema } from "../../contract/internal/boxes.ts";
import { internalSettingsReadSchema } from "../../contract/internal/settings.ts";
import { libraryListSchema } from "../../contract/library.ts";
import { limits } from "../../contract/limits.ts";
import { publicStatusSchema } from "../../contract/public.ts";
import { settingsRefusedSchema, settingsSavedSchema } from "../../contract/settings.ts";
import { cleanUp } from "../cleanup.ts";
import { sha256Hex } from "../platform/digest.ts";
import { envOf } from "../platform/env.ts";
import {
  asBox,
  bindings,
  beat,
  bodyOf,
  call,
  db,
  liveSession,
  makeKey,
  mintSession,
  mintToken,
  moveClock,
  post,
  signIn,
} from "../testing/portal.ts";

const ask = (path: string, body: unknown) => post(`/internal/${path}`, body, asBox("box-a"));
const lookUp = async (secret: string) =>
  (await bodyOf(await ask("credentials/lookup", { digest: await sha256Hex(secret) }), lookupAnswerSchema))
    .credential;

describe("heartbeats", () => {
  test("bring every revocation once, in order", async () => {
    const ann = await signIn("ann@example.com");
    const keys = [await makeKey(ann), await makeKey(ann), await makeKey(ann)];
    const revoke = (id: string | undefined) => call(`/auth/keys/${id}`, { method: "DELETE", headers: ann });
    await revoke(keys[0]?.id);
    await revoke(keys[2]?.id);
    const first = await bodyOf(await beat("box-a"), heartbeatAnswerSchema);
    expect(first).toMatchObject({ drain: false, revoked: [keys[0]?.id, keys[2]?.id] });
    await revoke(keys[1]?.id);
    const next = await bodyOf(
      await beat("box-a", { revocations_seen: first.revocations_seen }),
      heartbeatAnswerSchema,
    );
    expect(next.revoked).toEqual([keys[1]?.id]);
    const last = await bodyOf(
      await beat("box-a", { revocations_seen: next.revocations_seen }),
      heartbeatAnswerSchema,
    );
    expect(last).toEqual({ drain: false, revoked: [], revocations_seen: next.revocations_seen });
  });

  test("answer a drain order", async () => {
    await beat("box-a");
    await db.prepare("UPDATE boxes SET drained = 1").run();
    expect((await bodyOf(await beat("box-a"), heartbeatAnswerSchema)).drain).toBe(true);
  });

  test.each([
    ["an unknown state", { state: "asleep" }],
    ["an address that is no URL", { public_url: "somewhere" }],
    ["an address of another kind", { public_url: "file:///etc/passwd" }],
    ["an unknown field", { mood: "good" }],
  ])("with %s are refused", async (_label, changes) => {
    expect((await beat("box-a", changes as never)).status).toBe(400);
  });

  test("show in the fleet and the public status", async () => {
    const admin = await signIn("admin@example.com");
    await beat("box-b", { state: "draining", room: "lobby", avatars_warm: ["ada"] });
    moveClock(1);
    await beat("box-a", liveSession("ann@example.com"));
    const readFleet = async () => bodyOf(await call("/auth/admin/fleet", { headers: admin }), fleetSchema);
    const fleet = await readFleet();
    expect(fleet.boxes.map((box) => box.box_id)).toEqual(["box-a", "box-b"]);
    expect(fleet.boxes[0]).toMatchObject({ state: "busy", leased: true, fresh: true, drained: false });
    expect(fleet.boxes[1]).toMatchObject({ room: "lobby", avatars_warm: ["ada"], leased: false });
    const status = await bodyOf(await call("/v1/public/status", { headers: admin }), publicStatusSchema);
    expect(status.boxes).toEqual({ free: 0, busy: 1, draining: 1 });
    moveClock(45);
    expect((await readFleet()).boxes.map((box) => box.fresh)).toEqual([true, false]);
    moveClock(1);
    expect((await readFleet()).boxes.map((box) => box.fresh)).toEqual([false, false]);
  });
});

describe("credential look-up", () => {
  test("knows keys, tokens and session credentials by digest", async () => {
    const ann = await signIn("ann@example.com");
    const key = await makeKey(ann);
    const account = "ann@example.com";
    expect(await lookUp(key.secret)).toEqual({
      digest: key.id,
      kind: "key",
      scope: "full",
      account,
      expires_at: null,
    });
    expect(await lookUp(await mintToken(key.secret))).toMatchObject({ kind: "token", scope: "tts", account });
    expect(await lookUp(await mintSession(ann))).toMatchObject({ kind: "session", scope: "full", account });
  });

  test("answers null for unknown, revoked and expired", async () => {
    const ann = await signIn("ann@example.com");
    const key = await makeKey(ann);
    const token = await mintToken((await makeKey(ann)).secret);
    await call(`/auth/keys/${key.id}`, { method: "DELETE", headers: ann });
    moveClock(300);
    for (const secret of ["nothing", key.secret, token]) expect(await lookUp(secret)).toBeNull();
  });
});

test("a box reads and saves settings as the account would", async () => {
  const account = "ann@example.com";
  const save = await ask("settings/save", { account, patch: { max_tokens: 7 } });
  expect((await bodyOf(save, settingsSavedSchema)).settings.max_tokens).toBe(7);
  const read = await bodyOf(await ask("settings/read", { account }), internalSettingsReadSchema);
  expect(read.settings.max_tokens).toBe(7);
  const refused = await ask("settings/save", { account, patch: { max_tokens: 8, nope: 1 } });
  expect(refused.status).toBe(400);
  expect((await bodyOf(refused, settingsRefusedSchema)).error.message).toContain("nope");
  expect((await ask("settings/save", { patch: {} })).status).toBe(400);
});

const library = async (email: string) =>
  (await bodyOf(await call("/auth/avatars", { headers: await signIn(email) }), libraryListSchema)).avatars;

describe("avatar reports", () => {
  const report: AvatarReport = {
    account: "ann@example.com",
    avatar_id: "mary-ann",
    name: null,
    source_kind: "photo",
    state: "preparing",
    detail: "",
    region: "au",
    weights_volume: "v1",
  };
  const send = async (changes: Partial<AvatarReport> = {}) =>
    (await bodyOf(await ask("avatars/report", { ...report, ...changes }), avatarReportAnswerSchema))
      .registry_note;
  test("make and move the account's own record", async () => {
    expect(await send()).toBe("");
    expect(await library("ann@example.com")).toMatchObject([
      {
        avatar_id: "mary-ann",
        name: "mary-ann",
        display_name: "Mary ann",
        state: "preparing",
        visibility: "private",
      },
    ]);
    moveClock(5);
    expect(await send({ state: "ready", name: "Mary" })).toBe("");
    const [avatar, ...others] = await library("ann@example.com");
    expect(others).toEqual([]);
    expect(avatar).toMatchObject({ name: "Mary", display_name: "Mary", state: "ready" });
    expect(avatar?.updated_at).toBeGreaterThan(avatar?.created_at ?? Infinity);
    expect(await library("bea@example.com")).toEqual([]);
  });

  test("past the cap say why, and known avatars still move", async () => {
    for (let i = 0; i < limits.avatarsPerAccount; i++) {
      await db
        .prepare(
          "INSERT INTO avatars (account, avatar_id, source_kind, state, detail, prepared_in_region, weights_volume, " +
            "created_at, updated_at) VALUES ('ann@example.com', ?, 'photo', 'ready', '', 'au', 'v', 1, 1)",
        )
        .bind(`a${i}`)
        .run();
    }
    expect(await send({ avatar_id: "one-more" })).toContain("200");
    expect(await send({ avatar_id: "a0", state: "failed", detail: "no face" })).toBe("");
    expect(await send({ avatar_id: "one-more", account: "bea@example.com" })).toBe("");
  });
});

const count = async (table: string) =>
  (await db.prepare(`SELECT count(*) AS n FROM ${table}`).first<{ n: number }>())?.n;

test("the clean-up removes what ran out and keeps what did not", async () => {
  const ann = await signIn("ann@example.com");
  const key = await makeKey(ann);
  await mintToken(key.secret);
  await mintSession(ann);
  await post("/auth/request-link", { email: "ann@example.com" });
  await beat("box-a");
  await cleanUp(envOf(bindings));
  expect(await count("credentials")).toBe(3);
  expect(await count("signin_links")).toBe(1);
  moveClock(31 * 24 * 3600);
  await cleanUp(envOf(bindings));
  expect(await count("credentials")).toBe(1);
  for (const table of ["signin_links", "signin_requests", "portal_sessions", "outbox", "boxes"]) {
    expect([table, await count(table)]).toEqual([table, 0]);
  }
  expect(await lookUp(key.secret)).not.toBeNull();
});
