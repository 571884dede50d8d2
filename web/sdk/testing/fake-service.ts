// A service that answers `fetch` from a table and remembers what it was asked.

import { vi } from "vitest";
import type { ConnectAnswer } from "../../../contract/live.ts";

export interface Asked {
  method: string;
  path: string;
  key: string | null;
  body: unknown;
}

type Answer = { status?: number; body: unknown; headers?: Record<string, string> };

export class FakeService {
  readonly asked: Asked[] = [];
  readonly #answers = new Map<string, (asked: Asked) => Answer>();

  on(route: string, answer: (asked: Asked) => Answer): this {
    this.#answers.set(route, answer);
    return this;
  }

  install(): this {
    vi.stubGlobal("fetch", (url: string, init: RequestInit = {}) => this.#fetch(url, init));
    return this;
  }

  asking(path: string): Asked[] {
    return this.asked.filter((asked) => asked.path === path);
  }

  #fetch(url: string, init: RequestInit): Promise<Response> {
    if (init.signal?.aborted) return Promise.reject(init.signal.reason as Error);
    const { pathname, search } = new URL(url);
    const asked: Asked = {
      method: init.method ?? "GET",
      path: pathname + search,
      key: new Headers(init.headers).get("X-Api-Key"),
      body: typeof init.body === "string" ? JSON.parse(init.body) : null,
    };
    this.asked.push(asked);
    const answer = this.#answers.get(`${asked.method} ${pathname}`)?.(asked);
    if (!answer) return Promise.reject(new TypeError(`Nothing answers ${asked.method} ${pathname}.`));
    const { status = 200, body, headers = {} } = answer;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return Promise.resolve(new Response(text, { status, headers }));
  }
}

export function answerFor(sessionId: string): ConnectAnswer {
  return {
    sdp: `v=0 answer ${sessionId}`,
    type: "answer",
    session_id: sessionId,
    avatar: "maya",
    tones: ["neutral"],
    ice_servers: [],
    limits: { max_session_length_seconds: 3600, idle_seconds: 300 },
  };
}
