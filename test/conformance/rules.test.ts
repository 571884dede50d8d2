// The portal's rules, sentence by sentence, on a real `wrangler dev` with real D1, R2 over S3 and KV.

import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPortal, type PortalProcess } from "../harness/portal.ts";
import { boxSecret, makeKey, owner, signIn } from "./credentials.ts";
import { makeOwned } from "./owned.ts";

let portal: PortalProcess;
let cookie: Record<string, string>;
let provider: Server;
/** What the voice provider was asked with. */
let offered: string[];

const goodKey = "sk_car_good_provider_key_0123456789";
const badKey = "sk_car_rejected_provider_key_98765";

beforeAll(async () => {
  offered = [];
  provider = createServer((request, response) => {
    const key = String(request.headers["x-api-key"] ?? request.headers.authorization ?? "");
    offered.push(key);
    response.writeHead(key.includes(badKey) ? 401 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ data: [], voices: [], has_more: false }));
  });
  await new Promise<void>((resolve) => {
    provider.listen(0, "127.0.0.1", resolve);
  });
  const providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  portal = await startPortal({
    variables: {
      BOX_SECRETS: `box-a:${boxSecret}`,
      VAULT_KEY: "ab".repeat(32),
      CARTESIA_URL: providerUrl,
      ELEVENLABS_URL: providerUrl,
    },
  });
  cookie = await signIn(portal.url, owner);
});
afterAll(async () => {
  await portal?.stop();
  provider?.closeAllConnections();
  provider?.close();
});

interface Answer<T = Record<string, unknown>> {
  status: number;
  body: T;
  headers: Headers;
}

async function ask<T = Record<string, unknown>>(
  method: string,
  path: string,
  { headers = cookie, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answer<T>> {
  const response = await fetch(portal.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: "manual",
  });
  return { status: response.status, body: (await response.json()) as T, headers: response.headers };
}

/** What the portal itself logged: wrangler adds lines of its own, which no deployed portal has. */
const ownLines = () =>
  portal
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .join("\n");

interface ErrorBody {
  error: { code: string; message: string };
}

const keysOf = async (headers: Record<string, string>) =>
  (await ask<{ keys: { id: string; revoked: boolean }[] }>("GET", "/auth/keys", { headers })).body.keys;

test("fifty clients at the cap's edge never exceed a hundred keys; revoked ones stay listed and count", async () => {
  const browser = await signIn(portal.url, "hoarder@example.com");
  const first = await makeKey(portal.url, browser);
  await ask("DELETE", `/auth/keys/${first.id}`, { headers: browser });
  const create = () => ask("POST", "/auth/keys", { headers: browser, body: { name: "one of many" } });
  for (let made = 1; made < 75; made += 1) expect((await create()).status).toBe(201);
  const racers = await Promise.all(Array.from({ length: 50 }, create));
  expect(racers.filter(({ status }) => status === 201)).toHaveLength(25);
  for (const { status, body } of racers.filter((one) => one.status !== 201)) {
    expect([status, (body as unknown as ErrorBody).error.code]).toEqual([409, "key_limit_reached"]);
  }
  const listed = await keysOf(browser);
  expect(listed).toHaveLength(100);
  expect(listed.find(({ id }) => id === first.id)?.revoked).toBe(true);
});

test("lists are complete whatever a caller asks to leave out", async () => {
  const browser = await signIn(portal.url, "lister@example.com");
  for (let made = 0; made < 3; made += 1) await makeKey(portal.url, browser);
  const { body } = await ask<{ keys: unknown[]; next?: string }>(
    "GET",
    "/auth/keys?limit=1&page=2&cursor=x&offset=9",
    {
      headers: browser,
    },
  );
  expect(body.keys).toHaveLength(3);
  expect(body).not.toHaveProperty("next");
});

test("fifty saves at once lose no field", async () => {
  const { secret } = await makeKey(portal.url, cookie);
  const headers = { "X-Api-Key": secret };
  const patches: Record<string, unknown>[] = [
    { system_prompt: "Be kind." },
    { max_tokens: 777 },
    { temperature: 0.5 },
    { emotion_responsive: false },
    { voice_id_cartesia: "v1" },
    { tool_phrases: { look_up: { en: "One moment." } } },
  ];
  const saves = Array.from({ length: 48 }, (_, at) =>
    ask("POST", "/auth/settings", { headers, body: patches[at % patches.length] }),
  );
  for (const { status } of await Promise.all(saves)) expect(status).toBe(200);
  const { body } = await ask<{ settings: object }>("GET", "/auth/settings", { headers });
  expect(body.settings).toMatchObject(Object.assign({}, ...patches));
});

test("a refused save saves nothing of itself", async () => {
  const refused = await ask<ErrorBody & { ok: boolean }>("POST", "/auth/settings", {
    body: { max_tokens: 12, tool_phrases: { skip_turn: { en: "Hm." } } },
  });
  expect([refused.status, refused.body.ok, refused.body.error.code]).toEqual([400, false, "setting_refused"]);
  const { body } = await ask<{ settings: { max_tokens: number } }>("GET", "/auth/settings");
  expect(body.settings.max_tokens).not.toBe(12);
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);

async function upload(
  declared: number,
  bytes: Uint8Array<ArrayBuffer>,
  type = "image/png",
): Promise<[number, string]> {
  const files = [{ field: "file", filename: "face.png", content_type: "image/png", size: declared }];
  const granted = await ask<{ upload_id: string; files: { url: string; headers: Record<string, string> }[] }>(
    "POST",
    "/auth/uploads",
    { body: { files } },
  );
  const [file] = granted.body.files;
  if (!file) throw new Error("Nothing was granted.");
  const put = await fetch(file.url, {
    method: "PUT",
    headers: { ...file.headers, "Content-Type": type },
    body: bytes,
  });
  await put.arrayBuffer();
  const claimed = await ask<Partial<ErrorBody>>("POST", "/internal/uploads/claim", {
    headers: { Authorization: `Bearer ${boxSecret}` },
    body: { account: owner, upload_id: granted.body.upload_id },
  });
  return [put.status, claimed.body.error?.code ?? String(claimed.status)];
}

test("a presigned upload is held to its type and length by its signature, and to its content after the PUT", async () => {
  const body = new Uint8Array(png);
  expect(await upload(body.length, body)).toEqual([200, "200"]);
  expect((await upload(body.length, body, "image/jpeg"))[0]).toBe(403);
  for (const declared of [body.length - 1, body.length + 1]) {
    expect(await upload(declared, body)).toEqual([403, "unknown_upload"]);
  }
  const text = new TextEncoder().encode("<html>".padEnd(body.length, "x"));
  expect(await upload(text.length, new Uint8Array(text))).toEqual([200, "invalid_upload"]);
});

test("an image past its limit is refused before anything is signed", async () => {
  const files = [{ field: "file", filename: "a.png", content_type: "image/png", size: 16 * 1024 * 1024 }];
  const { status, body } = await ask<ErrorBody>("POST", "/auth/uploads", { body: { files } });
  expect([status, body.error.code]).toEqual([413, "upload_too_large"]);
});

test("stored media is what was sent, under links that hold no address and outlive nobody's erasure", async () => {
  const owned = await makeOwned(portal.url, cookie);
  const assets = await ask<{ assets: { url: string; filename: string }[]; expires_in: number }>(
    "GET",
    `/auth/avatars/${owned.avatar}/assets`,
  );
  const face = assets.body.assets.find(({ filename }) => filename === "face.png");
  expect(assets.body.expires_in).toBe(900);
  expect(decodeURIComponent(face?.url ?? "")).not.toContain("@");
  const bytes = async () => {
    const response = await fetch(face?.url ?? "");
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  expect(await bytes()).toEqual({ status: 200, bytes: png });

  const erased = await ask<{ status: string; erased: string[]; pending: string[] }>(
    "DELETE",
    `/auth/avatars/${owned.avatar}`,
  );
  expect(erased.status).toBe(202);
  expect(erased.body).toMatchObject({ status: "pending", pending: ["prepared_avatar"] });
  expect((await bytes()).status).toBe(404);
  const box = { Authorization: `Bearer ${boxSecret}` };
  const waiting = await ask<{ erasures: { erasure_id: string; avatar_id: string }[] }>(
    "POST",
    "/internal/erasures/pending",
    { headers: box, body: { weights_volume: "volume-1" } },
  );
  expect(waiting.body.erasures).toMatchObject([{ avatar_id: owned.avatar }]);
  await ask("POST", "/internal/erasures/done", {
    headers: box,
    body: {
      weights_volume: "volume-1",
      erasure_ids: waiting.body.erasures.map(({ erasure_id }) => erasure_id),
    },
  });
  const repeated = await ask<{ status: string }>("DELETE", `/auth/avatars/${owned.avatar}`);
  expect([repeated.status, repeated.body.status]).toEqual([202, "complete"]);
});

test("no secret is in a log line, an answer or a URL", async () => {
  const key = await makeKey(portal.url, cookie);
  const session = await ask<{ credential: { secret: string } }>("POST", "/auth/session/credential");
  const token = await ask<{ data: { token: string } }>("POST", "/v1/streaming.create_token", {
    headers: { "X-Api-Key": key.secret },
    body: {},
  });
  const save = (providerKey: string) =>
    ask("PUT", "/auth/voice/key", { body: { provider: "cartesia", key: providerKey } });
  const [rejected, kept] = [await save(badKey), await save(goodKey)];
  expect([rejected.status, (rejected.body as unknown as ErrorBody).error.code]).toEqual([
    400,
    "key_rejected",
  ]);
  expect(kept.status).toBe(200);
  expect(offered.join(" ")).toContain(goodKey);
  const readings = [
    rejected.body,
    kept.body,
    (await ask("GET", "/auth/voice/settings")).body,
    (await ask("GET", "/auth/voices?refresh=1")).body,
    (await ask("GET", "/auth/settings")).body,
    (await ask("GET", "/auth/keys")).body,
    // Secrets in places they do not belong.
    (await ask("GET", `/auth/keys/${key.secret}`)).body,
    (await ask("POST", "/auth/settings", { body: { [goodKey]: 1 } })).status,
  ];
  const secrets = {
    key: key.secret,
    session: session.body.credential.secret,
    token: token.body.data.token,
    cookie: cookie["Cookie"]?.split("=")[1] ?? "",
    provider: goodKey,
    rejected: badKey,
    box: boxSecret,
  };
  const answers = JSON.stringify(readings);
  const lines = ownLines();
  expect(lines).toContain('"event":"request"');
  for (const [name, secret] of Object.entries(secrets)) {
    expect.soft(answers, `${name} in an answer`).not.toContain(secret);
    expect.soft(lines, `${name} in a log line`).not.toContain(secret);
  }
  expect.soft(lines).not.toContain(owner);
  // A digest would do as well for whoever holds the database, so it has no place in a log either.
  expect.soft(lines).not.toContain(createHash("sha256").update(goodKey).digest("hex"));
});

test("each request leaves one structured line", async () => {
  const answer = await ask("GET", "/auth/me");
  const id = answer.headers.get("X-Request-Id") ?? "";
  const linesOf = () =>
    ownLines()
      .split("\n")
      .filter((line) => line.includes(id));
  await expect.poll(() => linesOf().length).toBe(1);
  expect(JSON.parse(linesOf()[0] ?? "")).toMatchObject({
    level: "info",
    event: "request",
    method: "GET",
    path: "/auth/me",
    status: 200,
    request_id: id,
  });
});

test("a write under the cookie from another site is refused, and so is any look at the vault", async () => {
  const foreign = { ...cookie, Origin: "https://elsewhere.example" };
  for (const [method, path] of [
    ["POST", "/auth/keys"],
    ["POST", "/auth/settings"],
    ["PUT", "/auth/voice/engine"],
    ["GET", "/auth/voice/settings"],
  ] as const) {
    const { status, body } = await ask<ErrorBody>(method, path, {
      headers: foreign,
      ...(method === "GET" ? {} : { body: {} }),
    });
    expect.soft([path, status, body.error.code]).toEqual([path, 409, "cross_origin"]);
  }
});
