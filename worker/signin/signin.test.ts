import { describe, expect, test } from "vitest";
import { meSchema, outboxSchema, requestLinkAnswerSchema } from "../../contract/credentials.ts";
import { limits } from "../../contract/limits.ts";
import {
  beat,
  bodyOf,
  call,
  captureLog,
  db,
  jsonOf,
  mintSession,
  moveClock,
  outboxLink,
  post,
  signIn,
  withKey,
} from "../testing/portal.ts";

const ask = (email: unknown, client = "c1") =>
  post("/auth/request-link", { email }, { "CF-Connecting-IP": client });
const sentCount = async () => (await bodyOf(await call("/dev/outbox"), outboxSchema)).mails.length;

describe("asking for a link", () => {
  test("good, malformed and unknown addresses get one answer", async () => {
    const bodies = new Set<string>();
    for (const email of [
      "ann@example.com",
      "never-seen@example.com",
      "not an address",
      "",
      "a".repeat(300),
    ]) {
      const response = await ask(email);
      expect(response.status).toBe(200);
      bodies.add(JSON.stringify(await bodyOf(response, requestLinkAnswerSchema)));
    }
    expect(bodies.size).toBe(1);
    expect(await sentCount()).toBe(2);
  });

  test("a body without an address is refused", async () => {
    expect((await post("/auth/request-link", {})).status).toBe(400);
    expect((await post("/auth/request-link", { email: 7 })).status).toBe(400);
  });

  test("five an address in 15 minutes, then the same answer and no mail", async () => {
    const answers = new Set<string>();
    for (let i = 0; i < limits.signInLinksPerAddress + 2; i++) {
      const response = await ask(i % 2 ? "ann@example.com" : " Ann@Example.com ", `client-${i}`);
      answers.add(`${response.status} ${await response.text()}`);
    }
    expect(answers.size).toBe(1);
    expect(await sentCount()).toBe(limits.signInLinksPerAddress);
    moveClock(limits.signInLinkSeconds);
    await ask("ann@example.com");
    expect(await sentCount()).toBe(limits.signInLinksPerAddress + 1);
  });

  test("twenty a client in 15 minutes, also all at once", async () => {
    const wanted = limits.signInLinksPerClient + 5;
    await Promise.all(Array.from({ length: wanted }, (_, i) => ask(`person-${i}@example.com`)));
    expect(await sentCount()).toBe(limits.signInLinksPerClient);
    await ask("one-more@example.com", "another client");
    expect(await sentCount()).toBe(limits.signInLinksPerClient + 1);
  });
});

test("a link that could not be kept is not counted", async () => {
  captureLog();
  await db.exec(
    "CREATE TRIGGER full BEFORE INSERT ON signin_links BEGIN SELECT RAISE(ABORT, 'disk full'); END",
  );
  for (let i = 0; i < limits.signInLinksPerAddress; i++) {
    expect((await ask("ann@example.com")).status).toBe(500);
  }
  await db.exec("DROP TRIGGER full");
  expect((await ask("ann@example.com")).status).toBe(200);
  expect(await sentCount()).toBe(1);
});

describe("one client", () => {
  test("is a whole /64 of IPv6, from whose addresses anybody there may choose", async () => {
    const wanted = limits.signInLinksPerClient + 3;
    for (let i = 0; i < wanted; i++) await ask(`person-${i}@example.com`, `2001:db8:1:2::${i.toString(16)}`);
    expect(await sentCount()).toBe(limits.signInLinksPerClient);
    await ask("one-more@example.com", "2001:db8:1:3::1");
    expect(await sentCount()).toBe(limits.signInLinksPerClient + 1);
  });

  test("is one address of IPv4, however it is written", async () => {
    for (let i = 0; i < limits.signInLinksPerClient; i++) {
      await ask(`person-${i}@example.com`, i % 2 ? "203.0.113.7" : "::ffff:203.0.113.7");
    }
    await ask("late@example.com", "203.0.113.7");
    expect(await sentCount()).toBe(limits.signInLinksPerClient);
    await ask("neighbour@example.com", "::ffff:203.0.113.8");
    expect(await sentCount()).toBe(limits.signInLinksPerClient + 1);
  });
});

describe("opening a link", () => {
  test("works once and sets the cookie", async () => {
    await ask("Ann@Example.com");
    const link = await outboxLink();
    const answer = await call(link);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("Location")).toBe("/");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const cookie = answer.headers.get("Set-Cookie") ?? "";
    expect(cookie).toMatch(/^vv_session=[0-9A-Za-z]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    const me = await call("/auth/me", { headers: { Cookie: cookie.split(";")[0] ?? "" } });
    expect(await bodyOf(me, meSchema)).toEqual({ email: "ann@example.com", admin: false });
    const again = await call(link);
    expect([again.status, again.headers.get("Location")]).toEqual([303, "/?signin=expired"]);
    expect(again.headers.get("Set-Cookie")).toBeNull();
  });

  test("over https the cookie is host-bound and secure", async () => {
    await ask("ann@example.com");
    const token = new URL(await outboxLink()).searchParams.get("token");
    const answer = await call(`https://portal.example.com/auth/callback?token=${token}`);
    expect(answer.headers.get("Set-Cookie")).toMatch(
      /^__Host-vv_session=[0-9A-Za-z]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  test("of two openings at once, one signs in", async () => {
    await ask("ann@example.com");
    const link = await outboxLink();
    const answers = await Promise.all([call(link), call(link), call(link)]);
    expect(answers.filter((answer) => answer.headers.has("Set-Cookie"))).toHaveLength(1);
    expect((await db.prepare("SELECT * FROM portal_sessions").all()).results).toHaveLength(1);
  });

  test("a fault in between leaves it as good as it was", async () => {
    await ask("ann@example.com");
    const link = await outboxLink();
    captureLog();
    for (const event of ["INSERT ON portal_sessions", "DELETE ON signin_links"]) {
      await db.exec(`CREATE TRIGGER full BEFORE ${event} BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
      const answer = await call(link);
      expect([answer.status, answer.headers.get("Set-Cookie")]).toEqual([500, null]);
      await db.exec("DROP TRIGGER full");
      expect(await db.prepare("SELECT * FROM portal_sessions").first()).toBeNull();
    }
    const answer = await call(link);
    expect(answer.headers.get("Location")).toBe("/");
    expect(answer.headers.has("Set-Cookie")).toBe(true);
  });

  test("too late, made up or missing, it leads back to the sign-in page", async () => {
    await ask("ann@example.com");
    const link = await outboxLink();
    moveClock(limits.signInLinkSeconds);
    for (const path of [link, "/auth/callback?token=made-up", "/auth/callback"]) {
      const answer = await call(path);
      expect(answer.headers.get("Location")).toBe("/?signin=expired");
      expect(answer.headers.get("Set-Cookie")).toBeNull();
    }
  });

  test("a scanner's HEAD does not use it up", async () => {
    await ask("ann@example.com");
    const link = await outboxLink();
    await call(link, { method: "HEAD" });
    expect((await call(link)).headers.get("Location")).toBe("/");
  });
});

describe("a portal session", () => {
  test("ends with logout, and so does what it minted", async () => {
    const browser = await signIn("ann@example.com");
    const other = await signIn("ann@example.com");
    const [secret, kept] = [await mintSession(browser), await mintSession(other)];
    const answer = await post("/auth/logout", undefined, browser);
    expect(await jsonOf(answer)).toEqual({ ok: true });
    expect(answer.headers.get("Set-Cookie")).toContain("vv_session=; Max-Age=0");
    expect((await call("/auth/me", { headers: browser })).status).toBe(401);
    expect((await call("/auth/settings", { headers: withKey(secret) })).status).toBe(401);
    expect((await call("/auth/settings", { headers: withKey(kept) })).status).toBe(200);
    const { revoked } = await jsonOf<{ revoked: string[] }>(await beat("box-a"));
    expect(revoked).toHaveLength(1);
  });

  test("logout without a session is as good", async () => {
    expect(await jsonOf(await post("/auth/logout"))).toEqual({ ok: true });
  });

  test("slides while it is used, and ends 30 days after it was not", async () => {
    const browser = await signIn("ann@example.com");
    expect((await call("/auth/me", { headers: browser })).headers.get("Set-Cookie")).toBeNull();
    moveClock(20 * 24 * 3600);
    const renewed = (await call("/auth/me", { headers: browser })).headers.get("Set-Cookie") ?? "";
    expect(renewed).toContain(browser.Cookie);
    moveClock(20 * 24 * 3600);
    expect((await call("/auth/me", { headers: browser })).status).toBe(200);
    moveClock(30 * 24 * 3600);
    expect((await call("/auth/me", { headers: browser })).status).toBe(401);
  });

  test("only digests are stored", async () => {
    const browser = await signIn("ann@example.com");
    const secret = browser.Cookie.split("=")[1] ?? "";
    await ask("ann@example.com");
    const token = new URL(await outboxLink()).searchParams.get("token") ?? "";
    for (const table of ["portal_sessions", "signin_links", "signin_requests"]) {
      const { results } = await db.prepare(`SELECT * FROM ${table}`).all();
      expect(results.length).toBeGreaterThan(0);
      expect(JSON.stringify(results)).not.toContain(secret);
      expect(JSON.stringify(results)).not.toContain(token);
    }
  });
});

test("the outbox shows each link one click away, and escapes what it shows", async () => {
  await ask("ann@example.com");
  const link = await outboxLink();
  await db
    .prepare("INSERT INTO outbox (recipient, subject, body, sent_at) VALUES ('x', '<b>hi</b>', '', 1)")
    .run();
  const page = await call("/dev/outbox", { headers: { Accept: "text/html,*/*" } });
  expect(page.headers.get("Content-Type")).toContain("text/html");
  const text = await page.text();
  expect(text).toContain(`href="${link}"`);
  expect(text).toContain("&lt;b&gt;hi&lt;/b&gt;");
});
