import { beforeEach, describe, expect, test, vi } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { endUnusedLease, leaseForSession } from "../fleet/fleet.ts";
import { callWith } from "../testing/altered.ts";
import { identityToken } from "../testing/identity.ts";
import {
  beat,
  bodyOf,
  call,
  captureLog,
  db,
  jsonOf,
  liveSession,
  makeKey,
  mintSession,
  mintToken,
  moveClock,
  post,
  signIn,
  withKey,
  type Browser,
} from "../testing/portal.ts";

interface Echo {
  host: string;
  path: string;
  method: string;
  bytes: number;
  headers: [string, string][];
}

let browser: Browser;
let key: string;

beforeEach(async () => {
  browser = await signIn("ann@example.com");
  key = (await makeKey(browser)).secret;
});

const connectAs = (secret: string, query = "") => post(`/connect${query}`, { sdp: "v=0" }, withKey(secret));
const otherKey = async (email: string) => (await makeKey(await signIn(email))).secret;

async function expectUnavailable(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(response.headers.get("Retry-After")).toMatch(/^\d+$/);
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  const { error } = await bodyOf(response, structuredErrorSchema);
  expect(error.code).toBe("box_unavailable");
}

describe("who may pass", () => {
  test.each([
    ["nothing", {}, "missing_api_key"],
    ["a malformed key", { "X-Api-Key": "nonsense" }, "invalid_api_key"],
    ["an unknown key", { "X-Api-Key": `vv_live_${"a".repeat(43)}` }, "invalid_api_key"],
    ["a session token in the query of a plain request", {}, "missing_api_key"],
  ])("%s is refused before any box hears of it", async (label, headers, code) => {
    await beat("box-a");
    const query = label.includes("query") ? `?session_token=${key}` : "";
    const response = await call(`/api/avatars${query}`, { headers });
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect((await jsonOf(response)).code).toBe(code);
  });

  test("a token in the query opens a session, as it does on a box", async () => {
    await beat("box-a");
    const path = `/connect?session_token=${await mintToken(key)}`;
    expect((await call(path, { method: "POST", body: "{}" })).status).toBe(200);
    expect((await call("/connect?session_token=nonsense", { method: "POST" })).status).toBe(401);
    expect((await call(path)).status).toBe(401);
  });

  test("the portal's cookie opens no box path", async () => {
    await beat("box-a");
    const response = await call("/api/avatars", { headers: browser });
    expect(response.status).toBe(401);
    expect((await jsonOf(response)).code).toBe("invalid_api_key");
  });

  test("a stream-only token and a session credential pass; their scope is the box's to judge", async () => {
    await beat("box-a");
    for (const secret of [await mintToken(key), await mintSession(browser)]) {
      expect((await call("/api/avatars", { headers: withKey(secret) })).status).toBe(200);
      expect((await call("/api/avatars", { headers: { Authorization: `Bearer ${secret}` } })).status).toBe(
        200,
      );
    }
  });

  test.each(["/api/chat", "/connect", "/rtc/join", "/v1/photo_avatar.create"])(
    "a preflight to %s is answered here, whether a box runs or not, and reaches none",
    async (path) => {
      const sent = vi.spyOn(globalThis, "fetch");
      for (const running of [false, true]) {
        if (running) await beat("box-a");
        const headers = { Origin: "https://elsewhere.test", "Access-Control-Request-Method": "POST" };
        const response = await callWith({}, path, { method: "OPTIONS", headers, body: { a: 1 } });
        expect([response.status, await response.text()]).toEqual([204, ""]);
        expect(Object.fromEntries(response.headers)).toMatchObject({
          "access-control-allow-origin": "*",
          "access-control-allow-methods": expect.stringContaining("POST"),
          "access-control-allow-headers": expect.stringContaining("X-Api-Key"),
          "access-control-max-age": expect.stringMatching(/^\d+$/),
        });
      }
      expect(sent).not.toHaveBeenCalled();
    },
  );

  test("what lies beside a box path is the portal's", async () => {
    for (const path of ["/v1/public", "/v1/public/"]) {
      const response = await call(path, { headers: withKey(key) });
      expect(response.status).toBe(404);
      expect((await bodyOf(response, structuredErrorSchema)).error.code).toBe("not_found");
    }
  });
});

describe("what passes", () => {
  test("the key goes along, the cookie stays behind, the request id is one", async () => {
    await beat("box-a");
    const headers = { ...withKey(key), Cookie: browser.Cookie, "X-Custom": "kept" };
    const response = await call("/api/avatars?tone=warm", { headers });
    const echo = await jsonOf<Echo>(response);
    const sent = new Map(echo.headers);
    expect(echo.path).toBe("/api/avatars?tone=warm");
    expect(sent.get("x-api-key")).toBe(key);
    expect(sent.get("x-custom")).toBe("kept");
    expect(sent.has("cookie")).toBe(false);
    expect(sent.get("x-request-id")).toBe(response.headers.get("X-Request-Id"));
    expect(response.headers.get("Set-Cookie")).toBeNull();
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Cache-Control")).toBe("private");
  });

  test("an identity token beside a key stays behind; a key as a bearer goes along", async () => {
    await beat("box-a");
    const headersOf = async (headers: Record<string, string>) =>
      new Map((await jsonOf<Echo>(await call("/api/avatars", { headers }))).headers);
    const both = await headersOf({ ...withKey(key), Authorization: `Bearer ${await identityToken()}` });
    expect([both.get("x-api-key"), both.has("authorization")]).toEqual([key, false]);
    const bearer = await headersOf({ Authorization: `Bearer ${key}` });
    expect(bearer.get("authorization")).toBe(`Bearer ${key}`);
  });

  test("a body larger than any JSON limit streams through", async () => {
    await beat("box-a");
    let left = 48;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(new Uint8Array(65_536));
        else controller.close();
      },
    });
    const echo = await jsonOf<Echo>(
      await call("/api/upload", { method: "POST", headers: withKey(key), body }),
    );
    expect(echo.bytes).toBe(48 * 65_536);
  });

  test("an NDJSON answer arrives line by line", async () => {
    await beat("box-a");
    const response = await post("/api/chat", { message: "hi" }, withKey(key));
    const chunks: string[] = [];
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) chunks.push(decoder.decode(chunk));
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.join("")).toBe('{"line":0}\n{"line":1}\n{"line":2}\n');
  });

  test("a socket is carried both ways, under a token in its query", async () => {
    await beat("box-a");
    const path = `/api/session/ws?session_token=${await mintToken(key)}`;
    const response = await call(path, { headers: { Upgrade: "websocket", Cookie: browser.Cookie } });
    expect(response.status).toBe(101);
    const socket = response.webSocket;
    if (!socket) throw new Error("No socket came back.");
    socket.accept();
    const heard: unknown[] = [];
    const closed = new Promise<CloseEvent>((resolve) => {
      socket.addEventListener("close", resolve);
    });
    const two = new Promise<void>((resolve) => {
      socket.addEventListener("message", ({ data }) => {
        heard.push(data);
        if (heard.length === 2) resolve();
      });
    });
    socket.send("hello");
    await two;
    expect(JSON.parse(String(heard[0]))).toMatchObject({ cookie: null });
    expect(heard[1]).toBe("hello");
    socket.close(4001, "bye");
    expect((await closed).code).toBe(4001);
  });

  test("a socket without a credential is refused", async () => {
    await beat("box-a");
    const response = await call("/api/session/ws", { headers: { Upgrade: "websocket" } });
    expect(response.status).toBe(401);
  });
});

describe("which box", () => {
  test("none, a stale one and an unreachable one are all box_unavailable", async () => {
    await expectUnavailable(await call("/api/avatars", { headers: withKey(key) }));
    await beat("box-a", { public_url: "http://unreachable.test" });
    const lines = captureLog();
    await expectUnavailable(await call("/api/avatars", { headers: withKey(key) }));
    await expectUnavailable(await connectAs(key));
    expect(lines.filter((line) => line.includes("box_unreachable"))).toHaveLength(2);
    await beat("box-a");
    moveClock(46);
    await expectUnavailable(await call("/api/avatars", { headers: withKey(key) }));
  });

  test("a read that one box cannot take is tried on the next", async () => {
    await beat("box-b");
    moveClock(1);
    await beat("box-a", { public_url: "http://unreachable.test" });
    const echo = await jsonOf<Echo>(await call("/api/avatars", { headers: withKey(key) }));
    expect(echo.host).toBe("box-b.test");
  });

  test("two accounts that connect at once get two boxes, a third gets none", async () => {
    await beat("box-a");
    await beat("box-b");
    const keys = [key, await otherKey("bea@example.com"), await otherKey("cid@example.com")];
    const answers = await Promise.all(keys.map((secret) => connectAs(secret)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 503]);
    const hosts = await Promise.all(
      answers.filter((answer) => answer.ok).map(async (answer) => (await jsonOf<Echo>(answer)).host),
    );
    expect(hosts.sort()).toEqual(["box-a.test", "box-b.test"]);
  });

  test("one account that connects twice at once takes one box", async () => {
    await beat("box-a");
    await beat("box-b");
    const answers = await Promise.all([connectAs(key), connectAs(key), connectAs(key)]);
    const hosts = await Promise.all(answers.map(async (answer) => (await jsonOf<Echo>(answer)).host));
    expect(new Set(hosts).size).toBe(1);
    expect((await connectAs(await otherKey("bea@example.com"))).status).toBe(200);
  });

  test("the holder's other requests follow the lease", async () => {
    await beat("box-a");
    await beat("box-b");
    const { host } = await jsonOf<Echo>(await connectAs(key));
    const [held, free] =
      host === "box-a.test" ? (["box-a", "box-b"] as const) : (["box-b", "box-a"] as const);
    await beat(held, liveSession("ann@example.com"));
    moveClock(5);
    await beat(free);
    for (const path of ["/disconnect", "/connect"]) {
      expect((await jsonOf<Echo>(await post(path, {}, withKey(key)))).host).toBe(host);
    }
    const other = await otherKey("bea@example.com");
    expect((await jsonOf<Echo>(await connectAs(other))).host).not.toBe(host);
  });

  test("a refused opening gives the box back at once", async () => {
    await beat("box-a");
    expect((await connectAs(key, "?refuse=1")).status).toBe(400);
    expect((await connectAs(await otherKey("bea@example.com"))).status).toBe(200);
  });

  test("a refused second opening before the first heartbeat leaves the first one its box", async () => {
    await beat("box-a");
    expect((await connectAs(key)).status).toBe(200);
    expect((await connectAs(key, "?refuse=1")).status).toBe(400);
    const other = await otherKey("bea@example.com");
    await expectUnavailable(await connectAs(other));
    await beat("box-a", liveSession("ann@example.com"));
    await expectUnavailable(await connectAs(other));
  });

  test("an opening that is refused late leaves the box to one that went well meanwhile", async () => {
    await beat("box-a");
    const account = "ann@example.com";
    const first = await leaseForSession(db, account);
    expect((await connectAs(key)).status).toBe(200);
    expect(first?.fresh).toBe(true);
    await endUnusedLease(db, { account, boxId: "box-a" });
    await expectUnavailable(await connectAs(await otherKey("bea@example.com")));
  });

  test("a lease that a heartbeat made is nobody's to give back", async () => {
    await beat("box-a", liveSession("ann@example.com"));
    expect(await leaseForSession(db, "ann@example.com")).toMatchObject({ fresh: false });
  });

  test("a lease lasts while the session is reported, and ends with it", async () => {
    await beat("box-a");
    await connectAs(key);
    const other = await otherKey("bea@example.com");
    await beat("box-a");
    await expectUnavailable(await connectAs(other));
    for (let i = 0; i < 5; i++) {
      moveClock(15);
      await beat("box-a", liveSession("ann@example.com"));
    }
    await expectUnavailable(await connectAs(other));
    await beat("box-a");
    expect((await connectAs(other)).status).toBe(200);
  });

  test("a lease that no session confirms runs out after 45 seconds", async () => {
    await beat("box-a");
    await connectAs(key);
    const other = await otherKey("bea@example.com");
    moveClock(40);
    await beat("box-a");
    await expectUnavailable(await connectAs(other));
    moveClock(6);
    expect((await connectAs(other)).status).toBe(200);
  });

  test("a new session of the holder outlives the end of its old one", async () => {
    await beat("box-a");
    await connectAs(key);
    await beat("box-a", liveSession("ann@example.com", "s1"));
    await connectAs(key);
    await beat("box-a");
    await expectUnavailable(await connectAs(await otherKey("bea@example.com")));
  });

  test("a draining box takes no new session, but keeps its holder's other requests", async () => {
    await beat("box-a");
    await connectAs(key);
    await beat("box-a", { ...liveSession("ann@example.com"), state: "draining" });
    await expectUnavailable(await connectAs(key));
    expect((await post("/api/interrupt", {}, withKey(key))).status).toBe(200);
    await beat("box-b");
    expect((await jsonOf<Echo>(await connectAs(key))).host).toBe("box-b.test");
    moveClock(5);
    await beat("box-a", { ...liveSession("ann@example.com"), state: "draining" });
    expect((await jsonOf<Echo>(await post("/api/interrupt", {}, withKey(key)))).host).toBe("box-b.test");
  });

  test("a refused second opening leaves the session that runs its box", async () => {
    await beat("box-a");
    await connectAs(key);
    await beat("box-a", liveSession("ann@example.com"));
    expect((await connectAs(key, "?refuse=1")).status).toBe(400);
    await beat("box-b", { state: "busy" });
    await expectUnavailable(await connectAs(await otherKey("bea@example.com")));
    expect((await jsonOf<Echo>(await post("/api/interrupt", {}, withKey(key)))).host).toBe("box-a.test");
    await beat("box-a", liveSession("ann@example.com"));
    await expectUnavailable(await connectAs(await otherKey("cid@example.com")));
  });
});
