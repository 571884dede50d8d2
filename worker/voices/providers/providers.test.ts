// What the adapters say to the providers, word for word as the providers' documentation has it.

import { beforeEach, expect, test } from "vitest";
import { byoEngines } from "../../../contract/voices.ts";
import { envOf } from "../../platform/env.ts";
import { bindings } from "../../testing/portal.ts";
import { ginny, goodKeys, rachel, serveProviders, type FakeProviders } from "../testing/providers.ts";
import { isWav } from "../wav.ts";
import { ProviderFailure, type ProviderFailureKind } from "./provider.ts";
import { connect } from "./providers.ts";

let fake: FakeProviders;
beforeEach(() => {
  fake = serveProviders();
});

const env = envOf(bindings);
const connected = (provider: (typeof byoEngines)[number], key = goodKeys[provider]) =>
  connect(env, provider, key, 60_000);
const lastSeen = () => {
  const seen = fake.seen.at(-1);
  if (!seen) throw new Error("Nothing was asked.");
  return seen;
};
const failureOf = async (work: Promise<unknown>): Promise<ProviderFailureKind> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProviderFailure)) throw new Error("No ProviderFailure.", { cause: error });
  return error.kind;
};

test("Cartesia is asked under a bearer and a version", async () => {
  const { provider, access } = connected("cartesia");
  await provider.verify(access);
  const { url, method, headers } = lastSeen();
  expect([method, url.href]).toEqual(["GET", "https://api.cartesia.ai/voices?limit=1"]);
  expect(headers.get("Authorization")).toBe(`Bearer ${goodKeys.cartesia}`);
  expect(headers.get("Cartesia-Version")).toBe("2026-03-01");
});

test("ElevenLabs is asked under its own header", async () => {
  const { provider, access } = connected("elevenlabs");
  await provider.verify(access);
  const { url, method, headers } = lastSeen();
  expect([method, url.href]).toEqual(["GET", "https://api.elevenlabs.io/v2/voices?page_size=1"]);
  expect(headers.get("xi-api-key")).toBe(goodKeys.elevenlabs);
});

test("Cartesia's pages follow the last id", async () => {
  fake.cartesiaVoices = Array.from({ length: 101 }, (_, i) => ({ id: `c ${i}`, name: `V${i}` }));
  const { provider, access } = connected("cartesia");
  expect(await provider.listVoices(access)).toHaveLength(101);
  expect(fake.seen.map(({ url }) => url.search)).toEqual(["?limit=100", "?limit=100&starting_after=c%2099"]);
});

test("ElevenLabs' pages follow the token", async () => {
  fake.elevenlabsVoices = Array.from({ length: 101 }, (_, i) => ({ voice_id: `e${i}`, name: `V${i}` }));
  const { provider, access } = connected("elevenlabs");
  expect(await provider.listVoices(access)).toHaveLength(101);
  expect(fake.seen.map(({ url }) => url.search)).toEqual([
    "?page_size=100",
    "?page_size=100&next_page_token=100",
  ]);
});

test("ElevenLabs tells a language by its verified ones where no label does", async () => {
  fake.elevenlabsVoices = [{ voice_id: "e", name: "V", verified_languages: [{ language: "de" }] }];
  const { provider, access } = connected("elevenlabs");
  expect(await provider.listVoices(access)).toMatchObject([{ language: "de" }]);
});

test("Cartesia speaks raw samples, which become a WAV", async () => {
  const { provider, access } = connected("cartesia");
  const wav = await provider.speak(access, { voice: ginny, text: "Salut", language: "fr" });
  expect(isWav(wav)).toBe(true);
  expect(new DataView(wav.buffer).getUint32(24, true)).toBe(24_000);
  const { url, method, headers, body } = lastSeen();
  expect([method, url.href]).toEqual(["POST", "https://api.cartesia.ai/tts/bytes"]);
  expect(headers.get("Content-Type")).toBe("application/json");
  expect(body).toEqual({
    model_id: "sonic-3.5",
    transcript: "Salut",
    voice: { mode: "id", id: ginny },
    language: "fr",
    output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: 24_000 },
  });
});

test("ElevenLabs speaks raw samples, which become a WAV", async () => {
  const { provider, access } = connected("elevenlabs");
  expect(isWav(await provider.speak(access, { voice: rachel, text: "Hi", language: "en" }))).toBe(true);
  const { url, method, body } = lastSeen();
  expect(method).toBe("POST");
  expect(url.href).toBe(`https://api.elevenlabs.io/v1/text-to-speech/${rachel}?output_format=pcm_24000`);
  expect(body).toEqual({ text: "Hi", model_id: "eleven_flash_v2_5" });
});

test.each([
  ["http://127.0.0.1:9/proxy", "/proxy/voices"],
  ["http://127.0.0.1:9/proxy/", "/proxy/voices"],
  ["http://127.0.0.1:9/", "/voices"],
])("a configured address %s may have a path", (cartesiaUrl, path) => {
  const { access } = connect({ ...env, cartesiaUrl }, "cartesia", "k", 60_000);
  expect(new URL("voices", access.baseUrl).pathname).toBe(path);
});

const refusals: [(typeof byoEngines)[number], number, object, ProviderFailureKind][] = [
  ["cartesia", 400, { error_code: "voice_invalid" }, "voice"],
  ["cartesia", 400, { error_code: "transcript_empty" }, "denied"],
  ["cartesia", 400, { error_code: null }, "denied"],
  ["cartesia", 401, {}, "key"],
  ["cartesia", 402, {}, "denied"],
  ["cartesia", 403, {}, "key"],
  ["cartesia", 404, {}, "voice"],
  ["cartesia", 429, { error_code: "concurrency_limited" }, "busy"],
  ["cartesia", 500, {}, "unreachable"],
  ["elevenlabs", 400, { detail: { status: "voice_does_not_exist" } }, "voice"],
  ["elevenlabs", 400, { detail: { status: "max_character_limit_exceeded" } }, "denied"],
  ["elevenlabs", 401, { detail: { status: "invalid_api_key" } }, "key"],
  ["elevenlabs", 401, { detail: { status: "missing_permissions" } }, "denied"],
  ["elevenlabs", 401, { detail: { status: "quota_exceeded" } }, "denied"],
  ["elevenlabs", 401, { detail: "Unauthorized" }, "key"],
  ["elevenlabs", 402, { detail: { status: "payment_required" } }, "denied"],
  ["elevenlabs", 403, {}, "key"],
  ["elevenlabs", 404, {}, "voice"],
  ["elevenlabs", 422, { detail: [{ msg: "odd" }] }, "denied"],
  ["elevenlabs", 429, {}, "busy"],
  ["elevenlabs", 503, {}, "unreachable"],
];

test.each(refusals)("%s' %d %j is told apart", async (id, status, body, kind) => {
  fake.trouble[id] = () => Response.json(body, { status });
  const { provider, access } = connected(id);
  expect(await failureOf(provider.speak(access, { voice: "v", text: "Hi", language: null }))).toBe(kind);
});

test("a refusal without end is not read to its end", async () => {
  fake.trouble.cartesia = () => new Response(new Uint8Array(1024 * 1024), { status: 401 });
  const { provider, access } = connected("cartesia");
  expect(await failureOf(provider.verify(access))).toBe("key");
});
