// Both providers' APIs as their documentation has them, in the place of the network.

import { vi } from "vitest";
import type { ByoEngine } from "../../../contract/voices.ts";

export const goodKeys: Record<ByoEngine, string> = {
  cartesia: "sk_car_GoodKeyOfCartesia_7a7a",
  elevenlabs: "sk_GoodKeyOfElevenLabs_9c9c",
};

export const ginny = "f786b574-daa5-4673-aa0c-cbe3e8534c02";
export const rachel = "21m00Tcm4TlvDq8ikWAM";

/** What came in. */
export interface Seen {
  provider: ByoEngine;
  method: string;
  url: URL;
  headers: Headers;
  body: Record<string, unknown> | null;
}

/** What a test makes a provider do instead of its work. */
export type Trouble = (request: Seen) => Response | Promise<Response>;

export interface FakeProviders {
  seen: Seen[];
  trouble: Partial<Record<ByoEngine, Trouble>>;
  cartesiaVoices: object[];
  elevenlabsVoices: object[];
}

const hosts: Record<string, ByoEngine> = {
  "api.cartesia.ai": "cartesia",
  "api.elevenlabs.io": "elevenlabs",
};

/** Samples whose bytes say which request made them. */
function speech(marker: string): Response {
  const bytes = new TextEncoder().encode(marker.padEnd(256, " "));
  return new Response(bytes, { headers: { "Content-Type": "audio/pcm" } });
}

function cartesia({ url, headers, body }: Seen, { cartesiaVoices }: FakeProviders): Response {
  if (headers.get("Authorization") !== `Bearer ${goodKeys.cartesia}`) {
    return Response.json({ error_code: null, title: "Unauthorized", message: "Bad key." }, { status: 401 });
  }
  if (url.pathname === "/tts/bytes") {
    const { id } = (body?.["voice"] ?? {}) as { id?: string };
    const known = cartesiaVoices.some((voice) => (voice as { id?: string }).id === id);
    return known
      ? speech(`${id}|${String(body?.["transcript"])}`)
      : Response.json({ error_code: "voice_not_found", title: "Not found" }, { status: 404 });
  }
  const limit = Number(url.searchParams.get("limit") ?? 10);
  const after = url.searchParams.get("starting_after");
  const from = after ? cartesiaVoices.findIndex((voice) => (voice as { id?: string }).id === after) + 1 : 0;
  const data = cartesiaVoices.slice(from, from + limit);
  return Response.json({ data, has_more: from + limit < cartesiaVoices.length, next_page: null });
}

function elevenlabs({ url, headers }: Seen, { elevenlabsVoices }: FakeProviders): Response {
  if (headers.get("xi-api-key") !== goodKeys.elevenlabs) {
    const detail = { status: "invalid_api_key", message: "Invalid API key" };
    return Response.json({ detail }, { status: 401 });
  }
  const spoken = /^\/v1\/text-to-speech\/([^/]+)$/.exec(url.pathname)?.[1];
  if (spoken !== undefined) {
    const known = elevenlabsVoices.some((voice) => (voice as { voice_id?: string }).voice_id === spoken);
    const detail = { status: "voice_not_found", message: "Not found." };
    return known ? speech(spoken) : Response.json({ detail }, { status: 404 });
  }
  const size = Number(url.searchParams.get("page_size") ?? 10);
  const from = Number(url.searchParams.get("next_page_token") ?? 0);
  const more = from + size < elevenlabsVoices.length;
  return Response.json({
    voices: elevenlabsVoices.slice(from, from + size),
    has_more: more,
    total_count: elevenlabsVoices.length,
    next_page_token: more ? String(from + size) : null,
  });
}

/** Answers the portal's fetches of both providers until the test ends; all others go where they went. */
export function serveProviders(): FakeProviders {
  const fake: FakeProviders = {
    seen: [],
    trouble: {},
    cartesiaVoices: [
      {
        id: ginny,
        name: "Ginny",
        description: "Clear and kind.",
        language: "fr",
        gender: "feminine",
        is_owner: false,
        is_public: true,
        created_at: "2026-01-01T00:00:00Z",
      },
    ],
    elevenlabsVoices: [
      {
        voice_id: rachel,
        name: "Rachel",
        category: "premade",
        description: null,
        labels: { gender: "Female", language: "en", accent: "american" },
      },
    ],
  };
  const original = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    const provider = hosts[url.host];
    if (!provider) return original(input, init);
    const seen: Seen = {
      provider,
      method: init?.method ?? "GET",
      url,
      headers: new Headers(init?.headers),
      body: typeof init?.body === "string" ? JSON.parse(init.body) : null,
    };
    fake.seen.push(seen);
    init?.signal?.throwIfAborted();
    const trouble = fake.trouble[provider];
    if (trouble) return trouble(seen);
    return provider === "cartesia" ? cartesia(seen, fake) : elevenlabs(seen, fake);
  });
  return fake;
}

/** What every trouble that leaves a provider unasked looks like. */
export const troubles: [name: string, trouble: Trouble][] = [
  ["a network that fails", () => Promise.reject(new TypeError("Network connection lost."))],
  ["a timeout", () => Promise.reject(new DOMException("The operation timed out.", "TimeoutError"))],
  ["500", () => new Response("boom", { status: 500 })],
  ["503 with JSON", () => Response.json({ detail: { status: "down" } }, { status: 503 })],
  ["a redirect", () => new Response(null, { status: 302, headers: { Location: "https://elsewhere.test/" } })],
  ["200 with a page", () => new Response("<html>", { headers: { "Content-Type": "text/html" } })],
  ["200 with other JSON", () => Response.json({ data: "none", voices: 7 })],
  [
    "an answer that breaks off",
    () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.error(new Error("reset")),
        }),
      ),
  ],
];
