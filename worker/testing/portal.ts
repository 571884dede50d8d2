// Drives the portal in tests as its callers do: over HTTP, from the outside.

import { env, exports } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { z } from "zod";
import type { Heartbeat } from "../../contract/internal/boxes.ts";
import type { Bindings } from "../platform/env.ts";

export const origin = "http://localhost:8787";
export const bindings = env as unknown as Bindings;
export const db = bindings.DB;

export const boxSecrets = {
  "box-a": "secret-of-box-a-0123456789",
  "box-b": "secret-of-box-b-0123456789",
} as const;
export type BoxId = keyof typeof boxSecrets;

const portal = (exports as unknown as { default: Fetcher }).default;

export interface Call {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON unless it is a string or a stream. */
  body?: unknown;
}

export async function call(
  path: string,
  { method = "GET", headers = {}, body }: Call = {},
): Promise<Response> {
  const raw = body === undefined || typeof body === "string" || body instanceof ReadableStream;
  return portal.fetch(
    new Request(path.startsWith("http") ? path : origin + path, {
      method,
      headers,
      body: raw ? (body as string | ReadableStream | undefined) : JSON.stringify(body),
      redirect: "manual",
    }),
  );
}

export const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(path, { method: "POST", headers, body });

/** The answer's JSON, which must be what the schema says and nothing more. */
export async function bodyOf<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
  const body: unknown = await response.json();
  const parsed = schema.parse(body);
  expect(body).toEqual(parsed);
  return parsed;
}

export async function jsonOf<T = Record<string, unknown>>(response: Response): Promise<T> {
  return response.json();
}

export async function outboxLink(): Promise<string> {
  const { mails } = await jsonOf<{ mails: { link: string }[] }>(await call("/dev/outbox"));
  const [mail] = mails;
  if (!mail) throw new Error("The outbox is empty.");
  return mail.link;
}

/** Headers of a browser that is signed in and writes from the portal's own pages. */
export interface Browser extends Record<string, string> {
  Cookie: string;
  Origin: string;
}

let clients = 0;

export async function signIn(email: string): Promise<Browser> {
  clients += 1;
  await post("/auth/request-link", { email }, { "CF-Connecting-IP": `test-${clients}` });
  const answer = await call(await outboxLink());
  const cookie = answer.headers.get("Set-Cookie")?.split(";")[0];
  if (!cookie) throw new Error("Signing in set no cookie.");
  return { Cookie: cookie, Origin: origin };
}

export interface MadeKey {
  id: string;
  secret: string;
}

export async function makeKey(browser: Browser, name = "test"): Promise<MadeKey> {
  const answer = await post("/auth/keys", { name }, browser);
  expect(answer.status).toBe(201);
  return (await jsonOf<{ key: MadeKey }>(answer)).key;
}

export const withKey = (secret: string) => ({ "X-Api-Key": secret });

export async function mintSession(browser: Browser): Promise<string> {
  const answer = await post("/auth/session/credential", undefined, browser);
  return (await jsonOf<{ credential: { secret: string } }>(answer)).credential.secret;
}

export async function mintToken(keySecret: string, body: unknown = {}): Promise<string> {
  const answer = await post("/v1/streaming.create_token", body, withKey(keySecret));
  return (await jsonOf<{ data: { token: string } }>(answer)).data.token;
}

export const asBox = (boxId: BoxId) => ({ Authorization: `Bearer ${boxSecrets[boxId]}` });

export const idle: Heartbeat = {
  public_url: "http://box-a.test",
  region: "au",
  state: "free",
  session: null,
  room: null,
  capacity: 1,
  avatars_warm: [],
  build: { known: false, short_commit: "" },
  uptime_s: 1,
  revocations_seen: 0,
};

export async function beat(boxId: BoxId, changes: Partial<Heartbeat> = {}): Promise<Response> {
  return post(
    "/internal/heartbeat",
    { ...idle, public_url: `http://${boxId}.test`, ...changes },
    asBox(boxId),
  );
}

export const liveSession = (account: string, sessionId = "s1"): Partial<Heartbeat> => ({
  state: "busy",
  session: { session_id: sessionId, account, kind: "studio" },
});

/** Moves the portal's clock; only `Date` is faked, so that timers and I/O go on. */
export function moveClock(seconds: number): void {
  const now = Date.now() + seconds * 1000;
  vi.useFakeTimers({ toFake: ["Date"], now });
}

/** Every line the portal logs from now on. */
export function captureLog(): string[] {
  const lines: string[] = [];
  for (const level of ["info", "warn", "error", "log", "debug"] as const) {
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => {
      lines.push(parts.map(String).join(" "));
    });
  }
  return lines;
}
