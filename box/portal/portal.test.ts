import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { heartbeatSchema } from "../../contract/internal/boxes.ts";
import { sessionReportSchema, usageReportSchema } from "../../contract/internal/sessions.ts";
import { modelCatalogue } from "../../contract/model-catalogue.ts";
import { defaultSettings } from "../../contract/settings.ts";
import { digestOf } from "../access/caller.ts";
import { closeCode } from "../../contract/control-socket.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";
import { settingsRead } from "./standalone.ts";

const key = `vv_live_${"a".repeat(43)}`;
const account = "someone@example.org";
const models = modelCatalogue({ anthropic: false, residencyOptIn: [] });

let server: Server;
let box: TestBox;
let asked: { path: string; body: Record<string, unknown> }[];
let answers: Record<string, { status?: number; body: unknown }>;

const bodiesOf = (path: string) => asked.filter((one) => one.path === path).map(({ body }) => body);

beforeEach(async () => {
  asked = [];
  const credential = { digest: digestOf(key), kind: "key", scope: "full", account, expires_at: null };
  answers = {
    "/internal/heartbeat": { body: { drain: false, revoked: [], revocations_seen: 7 } },
    "/internal/credentials/lookup": { body: { credential } },
    "/internal/settings/read": { body: settingsRead(defaultSettings(models), models, true) },
    "/internal/sessions/report": { body: { ok: true } },
  };
  server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    asked.push({ path: request.url ?? "", body: JSON.parse(text) });
    const { status = 200, body } = answers[request.url ?? ""] ?? {
      status: 404,
      body: { error: { code: "session_not_found", message: "No." } },
    };
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  box = await startTestBox({
    PORTAL_URL: `http://127.0.0.1:${port}`,
    BOX_SECRET: "secret-of-this-box",
    BOX_REGION: "syd",
  });
});
afterEach(async () => {
  await box.close();
  server.closeAllConnections();
  server.close();
});

test("the box says that it lives, and at once when its session changes", async () => {
  await expect.poll(() => bodiesOf("/internal/heartbeat").length).toBe(1);
  const { session_id } = await box.connect({ key });
  await expect
    .poll(() => bodiesOf("/internal/heartbeat").at(-1))
    .toMatchObject({
      state: "busy",
      region: "syd",
      revocations_seen: 7,
      session: { session_id, account, kind: "api" },
    });
  await box.ask("/disconnect", { method: "POST", key });
  await expect
    .poll(() => bodiesOf("/internal/heartbeat").at(-1))
    .toMatchObject({ state: "free", session: null });
  for (const body of bodiesOf("/internal/heartbeat")) heartbeatSchema.parse(body);
});

test("a room is told of by name while it is live, and counted as one when it ends, with the meeting's ids", async () => {
  answers["/internal/usage"] = { body: { ok: true } };
  const answer = await box.join({ key, body: { usage: { meeting_id: "m-1", seats: 4 } } });
  const { session_id } = (await answer.json()) as { session_id: string };
  await expect
    .poll(() => bodiesOf("/internal/heartbeat").at(-1))
    .toMatchObject({ state: "busy", room: "lobby", session: { session_id, account, kind: "room" } });
  await box.ask("/rtc/leave", { method: "POST", key });
  await expect
    .poll(() => bodiesOf("/internal/heartbeat").at(-1))
    .toMatchObject({ state: "free", room: null, session: null });
  for (const body of bodiesOf("/internal/heartbeat")) heartbeatSchema.parse(body);
  await expect.poll(() => bodiesOf("/internal/usage")).toHaveLength(1);
  expect(usageReportSchema.parse(bodiesOf("/internal/usage")[0])).toMatchObject({
    account,
    session_id,
    kind: "room",
    labels: { meeting_id: "m-1", seats: "4" },
  });
  expect(bodiesOf("/internal/sessions/report").map(({ kind }) => kind)).toEqual(["room", "room"]);
});

test("who owns a room cannot be said while the portal is away: nothing is ended", async () => {
  const another = `vv_live_${"b".repeat(43)}`;
  await box.join({ key });
  answers["/internal/credentials/lookup"] = { status: 500, body: {} };
  const refused = await box.ask("/disconnect", { method: "POST", key: another });
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: "rtc_owner_unverified" });
  const microphone = await box.microphone({ key: another });
  expect((await microphone.closed).code).toBe(4006);
  expect(box.services.slot.current?.room?.name).toBe("lobby");
});

test("sessions are reported when they begin and when they end", async () => {
  const { session_id } = await box.connect({ key });
  await box.ask("/api/chat", { key, body: { message: "Hi" } });
  await box.ask("/disconnect", { method: "POST", key });
  await expect.poll(() => bodiesOf("/internal/sessions/report").length).toBe(2);
  const [began, ended] = bodiesOf("/internal/sessions/report").map((body) => sessionReportSchema.parse(body));
  expect(began).toMatchObject({ session_id, account, avatar_id: "maya", ended_at: null, turns: 0 });
  expect(ended).toMatchObject({
    session_id,
    end_reason: "disconnected",
    turns: 1,
    ended_at: expect.any(Number),
  });
});

test("a revoked credential ends its sockets and its session, and opens nothing more", async () => {
  await box.connect({ key });
  const socket = await box.socket({ key });
  const revoked = [digestOf(key)];
  answers["/internal/heartbeat"] = { body: { drain: false, revoked, revocations_seen: 8 } };
  // Any change of session makes the box ask.
  await box.connect();
  expect((await socket.closed).code).toBeGreaterThanOrEqual(closeCode.normal);
  await expect.poll(async () => (await box.ask("/api/avatars", { key })).status).toBe(401);
});

test("a socket whose credential is revoked is told so and closed with its code", async () => {
  const socket = await box.socket({ key });
  answers["/internal/heartbeat"] = { body: { drain: false, revoked: [digestOf(key)], revocations_seen: 8 } };
  await box.connect();
  expect((await socket.closed).code).toBe(closeCode.credentialRevoked);
  expect(socket.events.at(-1)).toMatchObject({ type: "error", fatal: true });
});

test("an order to drain is obeyed and taken back", async () => {
  await expect.poll(() => bodiesOf("/internal/heartbeat").length).toBe(1);
  answers["/internal/heartbeat"] = { body: { drain: true, revoked: [], revocations_seen: 7 } };
  await box.connect({ key });
  await expect.poll(() => box.services.slot.state).toBe("draining");
  answers["/internal/heartbeat"] = { body: { drain: false, revoked: [], revocations_seen: 7 } };
  await box.ask("/disconnect", { method: "POST", key });
  await expect.poll(() => box.services.slot.state).toBe("free");
});

test("a box that ends says that it drains, whatever it is told", async () => {
  await box.connect({ key });
  await box.end();
  const last = bodiesOf("/internal/heartbeat").at(-1);
  expect(last).toMatchObject({ state: "draining", session: null });
  expect(box.services.slot.state).toBe("draining");
  expect(bodiesOf("/internal/sessions/report").at(-1)).toMatchObject({ end_reason: "box_shutdown" });
});

test("settings come from the portal, are saved there, and refusals come through", async () => {
  expect(await (await box.ask("/api/settings", { key })).json()).toMatchObject({ persisted: true });
  const settings = { ...defaultSettings(models), system_prompt: "Sing." };
  answers["/internal/settings/save"] = { body: { ok: true, saved: true, settings } };
  const saved = await box.ask("/api/settings", { key, body: { system_prompt: "Sing." } });
  expect(await saved.json()).toMatchObject({ ok: true, saved: true });
  expect(bodiesOf("/internal/settings/save")).toEqual([{ account, patch: { system_prompt: "Sing." } }]);
  const refusal = { ok: false, error: { code: "setting_refused", message: "No such model." } };
  answers["/internal/settings/save"] = { status: 400, body: refusal };
  const refused = await box.ask("/api/settings", { key, body: { model: "x" } });
  expect([refused.status, await refused.json()]).toEqual([400, refusal]);
  answers["/internal/settings/save"] = { status: 500, body: {} };
  const failed = await box.ask("/api/settings", { key, body: { model: "x" } });
  expect(failed.status).toBe(503);
  expect(await failed.json()).toEqual({
    error: { code: "settings_unavailable", message: expect.any(String) },
  });
});

test("without the portal the conversation goes on", async () => {
  await box.connect({ key });
  server.closeAllConnections();
  server.close();
  const reply = await box.ask("/api/chat", { key, body: { message: "Hi" } });
  expect(reply.status).toBe(200);
});
