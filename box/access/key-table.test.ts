// Keys that stand in a file, the tokens they mint, and what becomes of both when the file changes.

import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTokenResponseSchema, secretPattern } from "../../contract/credentials.ts";
import { createLog } from "../ops/log.ts";
import { startTestBox, staticKey, type TestBox } from "../testing/test-box.ts";
import { digestOf, type Caller } from "./caller.ts";
import { KeyFile } from "./key-file.ts";
import { MintedTokens } from "./minted-tokens.ts";

const ann = "a key that Ann was given";
const bob = "a key that Bob was given";
const line = (key: string, account: string, more: object = {}) => ({
  sha256: digestOf(key),
  account,
  ...more,
});
const both = [line(ann, "ann@example.org", { name: "kiosk" }), line(bob, "bob@example.org")];

let folder: string;
let path: string;
const opened: { close(): Promise<void> }[] = [];

async function write(keys: unknown): Promise<void> {
  await writeFile(`${path}.edited`, JSON.stringify({ keys }));
  await rename(`${path}.edited`, path);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "visavis-keys-"));
  path = join(folder, "keys.json");
  await write(both);
});

afterEach(async () => {
  for (const thing of opened.splice(0)) await thing.close();
  await rm(folder, { recursive: true, force: true });
});

/** A box looks at the file once a second. */
const eventually = <Value>(read: () => Value | Promise<Value>) => expect.poll(read);

async function startBox(environment: Record<string, string> = {}): Promise<TestBox> {
  const box = await startTestBox({ SERVICE_API_KEYS: "", SERVICE_API_KEYS_TABLE: path, ...environment });
  opened.push(box);
  return box;
}

const mint = (box: TestBox, key: string | null, body?: unknown) =>
  box.ask("/v1/streaming.create_token", { method: "POST", key, body });

async function tokenOf(box: TestBox, key = ann, body?: unknown) {
  const response = await mint(box, key, body);
  expect(response.status).toBe(200);
  return createTokenResponseSchema.parse(await response.json()).data;
}

async function refusalOf(response: Response): Promise<[number, unknown]> {
  return [response.status, ((await response.json()) as { code: unknown }).code];
}

test("a key of the file is full, for its account, and no operator's unless it says so", async () => {
  const box = await startBox();
  expect((await box.ask("/api/stats", { key: ann })).status).toBe(200);
  expect(await box.services.access.identify(ann)).toMatchObject({
    account: "ann@example.org",
    scope: "full",
    operator: false,
  });
  await write([line(ann, "ann@example.org", { operator: true })]);
  await eventually(async () => (await box.services.access.identify(ann))?.operator).toBe(true);
});

test("an account is the same however its address is written", async () => {
  await write([line(ann, " Ann@Example.org ")]);
  const box = await startBox();
  expect((await box.services.access.identify(ann))?.account).toBe("ann@example.org");
});

test("it mints tokens that stream and do nothing else; they are kept as digests, for their owner alone", async () => {
  const box = await startBox();
  const { token, expires_at, scope } = await tokenOf(box);
  expect(token).toMatch(secretPattern);
  expect(scope).toBe("tts");
  expect(expires_at - Date.now() / 1000).toBeGreaterThan(295);
  expect((await box.ask("/api/avatars", { key: token })).status).toBe(200);
  expect(await refusalOf(await box.ask("/api/stats", { key: token }))).toEqual([401, "insufficient_scope"]);
  expect(await refusalOf(await mint(box, token))).toEqual([401, "insufficient_scope"]);
  expect((await box.services.access.identify(token))?.account).toBe("ann@example.org");

  const dir = join(box.services.config.stateDir, "minted-tokens");
  expect(await readdir(dir)).toEqual([digestOf(token)]);
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
  expect((await stat(join(dir, digestOf(token)))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(dir, digestOf(token)), "utf8")).not.toContain(token);
  expect(JSON.stringify(box.logged)).not.toContain(token);
});

test.each([
  [undefined, 300],
  [{}, 300],
  [{ ttl_seconds: 1 }, 30],
  [{ ttl_seconds: 60.9 }, 60],
  [{ ttl: 120 }, 120],
  [{ ttl: 45, ttl_seconds: 90 }, 90],
  [{ ttl_seconds: 1e9 }, 600],
  [{ ttl_seconds: -5 }, 30],
])("asked for %j it lives %i s", async (body, seconds) => {
  const box = await startBox();
  const before = Math.floor(Date.now() / 1000);
  const { expires_at } = await tokenOf(box, ann, body);
  expect(expires_at - seconds).toBeGreaterThanOrEqual(before);
  expect(expires_at - seconds).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
});

test.each([[{ ttl_seconds: "60" }], [{ seconds: 60 }], [[]], ["no JSON"], [null]])(
  "a body of %j is refused, unwrapped",
  async (body) => {
    const box = await startBox();
    expect(await refusalOf(await mint(box, ann, body))).toEqual([400, "invalid_body"]);
  },
);

test("where no table is, and where no keys are, it says so", async () => {
  const alone = await startTestBox();
  opened.push(alone);
  expect(await refusalOf(await mint(alone, staticKey))).toEqual([503, "mint_failed"]);
  const open = await startTestBox({ SERVICE_API_KEYS: "" });
  opened.push(open);
  expect(await refusalOf(await mint(open, null, "no JSON"))).toEqual([400, "auth_disabled"]);
});

test("a key of the environment mints too where there is a table", async () => {
  const box = await startBox({ SERVICE_API_KEYS: staticKey });
  const { token } = await tokenOf(box, staticKey);
  expect(await box.services.access.identify(token)).toMatchObject({
    account: (await box.services.access.identify(staticKey))?.account,
    operator: false,
  });
});

test("a line taken out ends its sessions, its sockets and its tokens, and nobody else's", async () => {
  const box = await startBox();
  const { token } = await tokenOf(box);
  const { token: ofBob } = await tokenOf(box, bob);
  await box.connect({ key: token });
  const socket = await box.socket({ key: token });
  const other = await box.socket({ key: bob });
  await socket.next("session_ready");
  await write([line(bob, "bob@example.org")]);
  expect(await socket.next("error")).toMatchObject({ fatal: true });
  await socket.closed;
  await eventually(() => box.services.slot.current).toBeNull();
  for (const gone of [ann, token])
    expect(await refusalOf(await box.ask("/api/avatars", { key: gone }))).toEqual([401, "invalid_api_key"]);
  for (const good of [bob, ofBob]) expect((await box.ask("/api/avatars", { key: good })).status).toBe(200);
  expect(other.events.some(({ type }) => type === "error")).toBe(false);
  expect(box.services.access.revoked(digestOf(token))).toBe(true);
  const dir = join(box.services.config.stateDir, "minted-tokens");
  await eventually(() => readdir(dir)).toEqual([digestOf(ofBob)]);

  await write(both);
  await eventually(async () => (await box.ask("/api/avatars", { key: ann })).status).toBe(200);
  expect((await box.ask("/api/avatars", { key: token })).status).toBe(401);
});

test("a file that cannot be used any more changes nothing, is logged once, and counts again when mended", async () => {
  const box = await startBox();
  const faults = () => box.logged.filter(({ fault }) => fault !== undefined);
  await writeFile(path, `{"keys":[{"sha256":"${ann}"`);
  await eventually(() => faults().length).toBe(1);
  expect((await box.ask("/api/avatars", { key: ann })).status).toBe(200);
  await rm(path);
  await eventually(() => faults().length).toBe(2);
  expect((await box.ask("/api/avatars", { key: ann })).status).toBe(200);
  expect(JSON.stringify(box.logged)).not.toContain(ann);
  await write([]);
  await eventually(async () => (await box.ask("/api/avatars", { key: ann })).status).toBe(401);
});

test.each([
  ["nothing", null, "ENOENT"],
  ["no JSON", "{", "is not JSON"],
  ["a key in the clear", JSON.stringify({ keys: [{ sha256: ann, account: "a" }] }), "keys.0.sha256"],
  ["one key twice", JSON.stringify({ keys: [both[0], both[0]] }), "twice"],
  ["an account of the environment", JSON.stringify({ keys: [line(ann, "static:1")] }), "static:"],
  ["a field nobody knows", JSON.stringify({ keys: [{ ...both[0], role: "x" }] }), "Unknown field"],
])("a box does not start with %s for a table", async (_, text, words) => {
  if (text === null) await rm(path);
  else await writeFile(path, text);
  const starting = startTestBox({ SERVICE_API_KEYS: "", SERVICE_API_KEYS_TABLE: path });
  await expect(starting).rejects.toThrow(words);
  await expect(starting).rejects.not.toThrow(ann);
});

const log = createLog("silent");
const caller: Caller = {
  account: "ann@example.org",
  scope: "full",
  kind: "key",
  digest: digestOf(ann),
  operator: false,
  expires_at: null,
};

async function openTokens(options: { known?: boolean; clock?: { nowMs: number } } = {}) {
  const { known = true, clock = { nowMs: Date.now() } } = options;
  const tokens = await MintedTokens.open({
    dir: join(folder, "tokens"),
    log,
    knowsParent: () => known,
    nowMs: () => clock.nowMs,
  });
  opened.push(tokens);
  return tokens;
}

test("tokens outlive the process, though neither their time nor their key", async () => {
  const clock = { nowMs: 1_000_000_000 };
  const first = await openTokens({ clock });
  const { token } = await first.mint(caller, 60);
  await first.close();
  expect(await (await openTokens({ clock })).lookup(token)).toMatchObject({ scope: "tts" });
  clock.nowMs += 59_000;
  const second = await openTokens({ clock });
  expect(await second.lookup(token)).not.toBeNull();
  clock.nowMs += 1_000;
  expect(await second.lookup(token)).toBeNull();
  clock.nowMs -= 30_000;
  await (await openTokens({ known: false, clock })).close();
  expect(await readdir(join(folder, "tokens"))).toEqual([]);
  expect(await (await openTokens({ clock })).lookup(token)).toBeNull();
});

test("what a killed process left half written is cleared, and what is no record counts for nothing", async () => {
  await (await openTokens()).close();
  const dir = join(folder, "tokens");
  await writeFile(join(dir, `${digestOf("x")}.new`), "{");
  await writeFile(join(dir, digestOf("y")), "{}");
  const tokens = await openTokens();
  expect(tokens.size).toBe(0);
  await tokens.close();
  expect(await readdir(dir)).toEqual([]);
});

test("a folder that cannot be written to is a refusal and leaves nothing behind", async () => {
  const tokens = await openTokens();
  await rm(join(folder, "tokens"), { recursive: true });
  await expect(tokens.mint(caller, 60)).rejects.toMatchObject({ code: "mint_failed", status: 503 });
  expect(tokens.size).toBe(0);
});

test("a key that goes while its token is written takes it along", async () => {
  let known = true;
  const dir = join(folder, "tokens");
  const tokens = await MintedTokens.open({ dir, log, knowsParent: () => known });
  opened.push(tokens);
  const minting = tokens.mint(caller, 60);
  known = false;
  await expect(minting).rejects.toMatchObject({ code: "invalid_api_key" });
  await tokens.close();
  expect(await readdir(dir)).toEqual([]);
});

test("many at once are many different ones", async () => {
  const tokens = await openTokens();
  const minted = await Promise.all(Array.from({ length: 200 }, () => tokens.mint(caller, 60)));
  expect(new Set(minted.map(({ token }) => token)).size).toBe(200);
  expect(tokens.revokeOf(new Set([caller.digest]))).toHaveLength(200);
  expect(tokens.size).toBe(0);
});

test("a key that stands for somebody else now ends what it opened, and goes on as theirs", async () => {
  const removed: string[][] = [];
  const file = await KeyFile.open({ path, log, onRemoved: (digests) => removed.push(digests) });
  opened.push(file);
  await write([line(ann, "new@example.org"), line(bob, "bob@example.org")]);
  await file.look();
  expect(removed).toEqual([[digestOf(ann)]]);
  expect((await file.lookup(ann))?.account).toBe("new@example.org");
  expect(file.isRevoked(digestOf(ann))).toBe(false);
});
