// The end of a real box, as its machine and its portal see it.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, it } from "vitest";
import { heartbeatSchema, type Heartbeat } from "../contract/internal/boxes.ts";
import { sessionReportSchema } from "../contract/internal/sessions.ts";
import { SocketClient } from "../box/testing/socket-client.ts";
import { startBox, type BoxProcess } from "./harness/box.ts";
import { connectRtc } from "./harness/rtc-client.ts";
import { processTree } from "./harness/process.ts";

const key = "a key of the environment";
/** One after another they use one library, which is prepared once. */
const state = mkdtempSync(join(tmpdir(), "visavis-life-"));
afterAll(() => rmSync(state, { recursive: true, force: true }));
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Keeps what the box says of itself, and wants nothing of it. */
async function startListener() {
  const heard: Heartbeat[] = [];
  const ended: (string | null)[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const body: unknown = text && JSON.parse(text);
    if (request.url === "/internal/heartbeat") heard.push(heartbeatSchema.parse(body));
    if (request.url === "/internal/sessions/report") ended.push(sessionReportSchema.parse(body).end_reason);
    const beat = request.url === "/internal/heartbeat";
    const unknown = { error: { code: "session_not_found", message: "No." } };
    response.writeHead(beat ? 200 : 404);
    response.end(JSON.stringify(beat ? { drain: false, revoked: [], revocations_seen: 0 } : unknown));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { heard, ended, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function startLive(env: Record<string, string> = {}) {
  const portal = await startListener();
  const box = await startBox({
    SERVICE_API_KEYS: key,
    PORTAL_URL: portal.url,
    BOX_SECRET: "secret-of-this-box",
    VISAVIS_STATE: state,
    ...env,
  });
  closing.push(() => box.stop());
  const client = await connectRtc(box.url, { headers: { "X-Api-Key": key } });
  closing.push(() => client.close());
  const socket = await SocketClient.open(
    `${box.url.replace("http", "ws")}/api/session/ws?session_token=${encodeURIComponent(key)}`,
  );
  closing.push(() => socket.drop());
  await expect.poll(() => client.video.length).toBeGreaterThan(2);
  return { portal, box, client, socket };
}

const exitOf = (box: BoxProcess) =>
  new Promise<number | null>((resolve) => box.child.once("close", (code) => resolve(code)));

it(
  "a signal: the caller is told, the portal hears of the drain at once, and the process ends with 0",
  { timeout: 900_000 },
  async () => {
    const { portal, box, client, socket } = await startLive();
    const children = processTree(box.pid);
    const exit = exitOf(box);
    box.child.kill("SIGTERM");
    expect((await socket.next("warning")).message).toContain("shutting down");
    await expect.poll(() => portal.heard.at(-1)?.state).toBe("draining");
    // The picture goes on while there is time to say goodbye.
    const before = client.video.at(-1)?.timestamp;
    await expect.poll(() => client.video.at(-1)?.timestamp).not.toBe(before);
    expect(await socket.next("error")).toMatchObject({ fatal: true });
    expect(await exit).toBe(0);
    expect(portal.heard.at(-1)).toMatchObject({ state: "draining", session: null });
    expect(portal.ended.at(-1)).toBe("box_shutdown");
    for (const pid of children) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    expect(box.output()).not.toContain(key);
  },
);

it("a second signal ends it at once", { timeout: 900_000 }, async () => {
  const { portal, box, socket } = await startLive();
  const exit = exitOf(box);
  box.child.kill("SIGTERM");
  await socket.next("warning");
  box.child.kill("SIGTERM");
  expect(await exit).toBe(0);
  expect(box.output()).toContain("box ends at once");
  expect(portal.ended.at(-1)).toBe("box_shutdown");
});

it(
  "the end of its life: it drains, waits for its caller to leave, and ends with 0",
  { timeout: 900_000 },
  async () => {
    const { portal, box, socket } = await startLive({ BOX_LIFE_SECONDS: "25" });
    const exit = exitOf(box);
    expect((await socket.next("warning")).message).toContain("no more sessions");
    await expect.poll(() => portal.heard.at(-1)?.state).toBe("draining");
    expect(portal.heard.at(-1)?.session).not.toBeNull();
    const left = await fetch(`${box.url}/disconnect`, { method: "POST", headers: { "X-Api-Key": key } });
    expect(left.status).toBe(200);
    expect(await exit).toBe(0);
    expect(portal.ended.at(-1)).toBe("disconnected");
  },
);
