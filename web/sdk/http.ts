// Requests with the credential on them.

import type { Credentials } from "./credentials.ts";
import { asVisavisError, errorFromResponse, VisavisError } from "./errors.ts";

export interface RequestOptions {
  method?: "GET" | "POST" | "DELETE";
  /** Sent as JSON. */
  json?: unknown;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Lets the request outlive the page. */
  keepalive?: boolean;
}

const defaultTimeoutMs = 15_000;

export interface HttpOptions {
  baseUrl: string;
  credentials: Credentials;
}

export class Http {
  readonly credentials: Credentials;
  readonly #baseUrl: string;

  constructor({ baseUrl, credentials }: HttpOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.credentials = credentials;
  }

  url(path: string): string {
    return this.#baseUrl + path;
  }

  /** The address of a WebSocket; the credential goes into the query, since a browser cannot set headers there. */
  async socketUrl(path: string, query: Record<string, string> = {}): Promise<string> {
    const url = new URL(this.url(path), globalThis.location?.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const secret = await this.credentials.get();
    if (secret !== null) url.searchParams.set("session_token", secret);
    return url.href;
  }

  /** Resolves with a successful response. A 401 is tried once more with a fresh credential. Throws `VisavisError`. */
  async request(path: string, options: RequestOptions = {}): Promise<Response> {
    try {
      return await this.#attempt(path, options);
    } catch (thrown) {
      const error = asVisavisError(thrown);
      const stale = error.status === 401 && error.code !== "insufficient_scope";
      if (!stale || !this.credentials.renewable) throw error;
    }
    await this.credentials.renew();
    return this.#attempt(path, options);
  }

  async json<Body>(path: string, options: RequestOptions = {}): Promise<Body> {
    const response = await this.request(path, options);
    try {
      return (await response.json()) as Body;
    } catch (thrown) {
      throw new VisavisError({
        code: "invalid_answer",
        message: "The service answered with something that is not JSON.",
        status: response.status,
        cause: thrown,
      });
    }
  }

  async #attempt(path: string, options: RequestOptions): Promise<Response> {
    const { method = "GET", json, signal, timeoutMs = defaultTimeoutMs, keepalive = false } = options;
    const headers = new Headers();
    const secret = await this.credentials.get();
    if (secret !== null) headers.set("X-Api-Key", secret);
    const init: RequestInit = { method, headers, keepalive };
    if (json !== undefined) {
      headers.set("Content-Type", "application/json");
      init.body = JSON.stringify(json);
    }
    const timeout = AbortSignal.timeout(timeoutMs);
    init.signal = signal ? AbortSignal.any([signal, timeout]) : timeout;
    let response: Response;
    try {
      response = await fetch(this.url(path), init);
    } catch (thrown) {
      throw asVisavisError(thrown);
    }
    if (!response.ok) throw await errorFromResponse(response);
    return response;
  }
}
