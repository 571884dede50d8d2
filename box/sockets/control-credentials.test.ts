import { afterEach, beforeEach, expect, test } from "vitest";
import { closeCode } from "../../contract/control-socket.ts";
import type { Caller } from "../access/caller.ts";
import { Refusal } from "../failure.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

/** Of a machine that has other things to do. */
const patience = { timeout: 60_000, interval: 5 };

let box: TestBox;
/** Who the box takes a secret for; a test changes it as a portal would. */
let callers: Map<string, Caller>;
let revoked: Set<string>;

const caller = (account: string, digest: string, lifeMs: number | null = null): Caller => ({
  account,
  scope: "full",
  kind: "token",
  digest,
  operator: false,
  expires_at: lifeMs === null ? null : (Date.now() + lifeMs) / 1000,
});

beforeEach(async () => {
  box = await startTestBox();
  callers = new Map([
    ["first", caller("ada@example.org", "digest-1")],
    ["second", caller("ada@example.org", "digest-2")],
    ["stranger", caller("bob@example.org", "digest-3")],
  ]);
  revoked = new Set();
  box.services.access.identify = (secret) => Promise.resolve(callers.get(secret) ?? null);
  box.services.access.revoked = (digest) => revoked.has(digest);
});
afterEach(() => box.close());

test("a credential that ages out is reported once, and the session goes on with its account and history", async () => {
  callers.set("short", caller("ada@example.org", "digest-0", 60));
  await box.connect({ key: "first" });
  const socket = await box.socket({ key: "short" });
  expect(await socket.next("auth_required")).toEqual({ type: "auth_required", message: expect.any(String) });
  socket.send({ type: "message", content: "Still here?", correlationId: "c1" });
  expect(await socket.next("message")).toMatchObject({ correlationId: "c1" });

  for (const token of ["stranger", "nobody's", ""]) {
    socket.send({ type: "auth", token });
    expect(await socket.next("auth_state")).toEqual({ type: "auth_state", live: false });
  }
  callers.set("fresh", caller("ada@example.org", "digest-4", 80));
  socket.send({ type: "auth", token: "fresh" });
  expect(await socket.next("auth_state")).toEqual({ type: "auth_state", live: true });
  // The fresh one ages out as well, and that is another lapse.
  await socket.next("auth_required");
  expect(socket.types().filter((type) => type === "auth_required")).toHaveLength(2);
  expect(box.services.slot.current?.account).toBe("ada@example.org");
});

test("a revoked credential ends the socket with a fatal error and its code; the one before it no longer counts", async () => {
  await box.connect({ key: "first" });
  const socket = await box.socket({ key: "first" });
  const other = await box.socket({ key: "stranger" });
  socket.send({ type: "auth", token: "second" });
  await socket.next("auth_state");
  expect(box.services.slot.current?.digest).toBe("digest-2");
  box.services.sockets.revoke(new Set(["digest-1"]));
  socket.send({ type: "interrupt" });
  await socket.next("interrupted");
  box.services.sockets.revoke(new Set(["digest-2"]));
  expect((await socket.closed).code).toBe(closeCode.credentialRevoked);
  expect(socket.events.at(-1)).toEqual({ type: "error", error: expect.any(String), fatal: true });
  other.send({ type: "interrupt" });
  await other.next("interrupted");
});

test("what a revoked credential asked for and has not begun does not begin", async () => {
  const socket = await box.socket({ key: "first" });
  const { portal } = box.services;
  const settings = portal.settings.bind(portal);
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  portal.settings = async (account) => {
    asked.resolve();
    await gate.promise;
    return settings(account);
  };
  socket.send({ type: "message", content: "Before it is too late." });
  await asked.promise;
  box.services.sockets.revoke(new Set(["digest-1"]));
  await socket.closed;
  gate.resolve();
  const other = await box.socket({ key: "stranger" });
  other.send({ type: "message", content: "Me instead." });
  await other.next("message");
  expect(box.model.requests.map(({ messages }) => messages.at(-1))).toMatchObject([
    { content: "Me instead." },
  ]);
  expect(socket.events.slice(1)).toMatchObject([{ type: "error", fatal: true }]);
});

/** As a heartbeat's answer does it: what is open ends, and nobody hears of it a second time. */
function revoke(digest: string): void {
  revoked.add(digest);
  box.services.sockets.revoke(new Set([digest]));
  box.services.microphones.revoke(new Set([digest]));
  if (box.services.slot.current?.digest === digest) void box.services.slot.end("disconnected");
}

test("a credential revoked while its control socket is on its way opens none", async () => {
  const { portal } = box.services;
  const settings = portal.settings.bind(portal);
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  portal.settings = async (account) => {
    asked.resolve();
    await gate.promise;
    return settings(account);
  };
  const opening = expect(box.socket({ key: "first" })).rejects.toThrow("401");
  await asked.promise;
  revoke("digest-1");
  gate.resolve();
  await opening;
  expect(box.services.sockets.size).toBe(0);
});

test("a credential revoked between the look-up and the door opens no microphone either", async () => {
  await box.connect({ key: "second" });
  box.services.access.identify = (secret) => {
    revoke("digest-1");
    return Promise.resolve(callers.get(secret) ?? null);
  };
  await expect(box.microphone({ key: "first" })).rejects.toThrow("401");
  expect(box.services.microphones.size).toBe(0);
});

test("a credential revoked while its offer is answered goes live with nothing, and the session before stays", async () => {
  const { session_id } = await box.connect({ key: "stranger" });
  const gathered = Promise.withResolvers<void>();
  box.media.gathered = gathered.promise;
  const connecting = box.ask("/connect", { key: "first", body: { sdp: "v=0\r\n", type: "offer" } });
  await expect.poll(() => box.media.peers.length, patience).toBe(2);
  revoke("digest-1");
  gathered.resolve();
  const answer = await connecting;
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  expect(box.services.slot.current?.id).toBe(session_id);
  expect(box.media.peers[1]?.closed).toBe(true);
  expect(box.media.stages).toHaveLength(1);
});

test("a fresh credential that is revoked while it is looked up does not count", async () => {
  await box.connect({ key: "first" });
  const socket = await box.socket({ key: "first" });
  const late = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  box.services.access.identify = async (secret) => {
    asked.resolve();
    await late.promise;
    return callers.get(secret) ?? null;
  };
  socket.send({ type: "auth", token: "second" });
  await asked.promise;
  revoke("digest-2");
  late.resolve();
  expect(await socket.next("auth_state")).toEqual({ type: "auth_state", live: false });
  expect(box.services.slot.current?.digest).toBe("digest-1");
  revoke("digest-1");
  expect((await socket.closed).code).toBe(closeCode.credentialRevoked);
  expect(box.services.slot.current).toBeNull();
});

test("credentials are looked up in the order they came: the last one stays, and every one is answered", async () => {
  const slow = Promise.withResolvers<null>();
  const { access } = box.services;
  const socket = await box.socket({ key: "first" });
  const asked: string[] = [];
  access.identify = async (secret) => {
    asked.push(secret);
    if (secret === "slow") return slow.promise;
    if (secret === "unverified") throw new Refusal("credential_unverified", "The portal does not answer.");
    if (secret === "broken") throw new Error(`no such secret: ${secret}`);
    return callers.get(secret) ?? null;
  };
  for (const token of ["slow", "unverified", "broken", "second"]) socket.send({ type: "auth", token });
  await expect.poll(() => asked, patience).toEqual(["slow"]);
  slow.resolve(null);
  await expect.poll(() => socket.types().filter((type) => type === "auth_state"), patience).toHaveLength(4);
  expect(asked).toEqual(["slow", "unverified", "broken", "second"]);
  expect(socket.events.slice(-4)).toEqual(
    [false, false, false, true].map((live) => ({ type: "auth_state", live })),
  );
});

test("a look-up that ends after its socket changes nothing", async () => {
  await box.connect({ key: "first" });
  const socket = await box.socket({ key: "first" });
  const late = Promise.withResolvers<Caller | null>();
  const asked = Promise.withResolvers<void>();
  box.services.access.identify = () => {
    asked.resolve();
    return late.promise;
  };
  socket.send({ type: "auth", token: "second" });
  await asked.promise;
  socket.close();
  await expect.poll(() => box.services.sockets.size, patience).toBe(0);
  late.resolve(callers.get("second") ?? null);
  await late.promise;
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(box.services.slot.current?.digest).toBe("digest-1");
  expect(box.services.hub.size).toBe(0);
});

test("more credentials than anybody has, unanswered, close the socket", async () => {
  const socket = await box.socket({ key: "first" });
  box.services.access.identify = () => new Promise(() => undefined);
  for (let count = 0; count < 17; count++) socket.send({ type: "auth", token: `t${count}` });
  expect((await socket.closed).code).toBe(closeCode.policy);
  expect(socket.events.at(-1)).toMatchObject({ type: "error", fatal: true });
});

test("no secret is in the log", async () => {
  const socket = await box.socket({ key: "first" });
  for (const token of ["second", "a-secret-nobody-has"]) {
    socket.send({ type: "auth", token });
    await socket.next("auth_state");
  }
  socket.close();
  await socket.closed;
  expect(JSON.stringify(box.logged)).not.toMatch(/a-secret-nobody-has|session_token/);
});
