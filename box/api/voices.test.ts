import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limits } from "../../contract/limits.ts";
import { voiceCatalogueSchema, type VoiceGroup } from "../../contract/voices.ts";
import { WavReader } from "../voices/wav.ts";
import { cartesiaKey, katie, pierre } from "../testing/fake-cartesia.ts";
import { elevenlabsKey, refuse, sarah } from "../testing/fake-elevenlabs.ts";
import { portalKey } from "../testing/fake-portal.ts";
import { staticKey } from "../testing/test-box.ts";
import { VoiceParty } from "../testing/voice-party.ts";

let party: VoiceParty;

beforeEach(async () => {
  party = await VoiceParty.start();
  party.speaks({ engine: "cartesia", keys: both(), default_voice: pierre });
});
afterEach(async () => {
  await party.close();
  expect(party.cartesia.mistakes).toEqual([]);
  expect(party.elevenlabs.mistakes).toEqual([]);
});

const both = () => [
  { provider: "cartesia" as const, key: cartesiaKey },
  { provider: "elevenlabs" as const, key: elevenlabsKey },
];

async function catalogue(query = "", key = portalKey) {
  const response = await party.ask(`/api/voices${query}`, { key });
  expect(response.status).toBe(200);
  const text = await response.text();
  for (const secret of [cartesiaKey, elevenlabsKey]) expect(text).not.toContain(secret);
  return voiceCatalogueSchema.strict().parse(JSON.parse(text));
}

const statesOf = ({ groups }: { groups: VoiceGroup[] }) =>
  groups.map(({ provider, state, reason }) => [provider, state, reason === ""]);

async function samplesOf(response: Response): Promise<number> {
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "audio/wav"]);
  const pcm = new WavReader().push(Buffer.from(await response.arrayBuffer()));
  return pcm?.samples.length ?? 0;
}

async function codeOf(response: Response): Promise<[number, string]> {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

test("three groups in their order, every row with its sample, the built-in voices first", async () => {
  const read = await catalogue();
  expect(statesOf(read)).toEqual([
    ["local", "ready", true],
    ["cartesia", "ready", true],
    ["elevenlabs", "ready", true],
  ]);
  const names = read.voices.filter(({ provider }) => provider !== "local").map(({ name }) => name);
  expect(names).toEqual(["Katie", "Pierre", "Sarah"]);
  expect(read.voices[0]?.provider).toBe("local");
  expect(read.voices.find(({ id }) => id === pierre)?.preview).toBe(
    `/api/voice/preview?provider=cartesia&voice=${pierre}`,
  );
  expect(read).toMatchObject({
    current: pierre,
    current_provider: "cartesia",
    portal_default: { provider: "cartesia", id: pierre },
    engine_ready: true,
    provider: "cartesia",
    provider_label: "Cartesia",
    requires_env: null,
    local: false,
    byo: true,
    voice_notice: "",
  });
  for (const { preview } of read.voices.slice(0, 2)) await samplesOf(await party.ask(preview));
});

test("what a reply would have now is what the catalogue says, live or not", async () => {
  await party.box.connect({ key: portalKey, body: { voice: sarah, voice_provider: "elevenlabs" } });
  expect(await catalogue()).toMatchObject({
    current: sarah,
    current_provider: "elevenlabs",
    portal_default: null,
  });
  await party.box.ask("/disconnect", { method: "POST", key: portalKey });
  party.speaks({ engine: "cartesia", keys: [] });
  const fallen = await catalogue();
  expect(fallen).toMatchObject({ current_provider: "local", local: true, portal_default: null });
  expect(fallen.voice_notice).toContain("No Cartesia key");
});

const page = (response: ServerResponse) =>
  response.writeHead(200, { "Content-Type": "text/html" }).end("<p>");
const groupTroubles: [string, (response: ServerResponse) => void, VoiceGroup["state"]][] = [
  ["500", (response) => response.writeHead(500).end(), "unreachable"],
  ["429", (response) => response.writeHead(429).end(), "refused"],
  ["402", (response) => response.writeHead(402).end(), "refused"],
  ["a page", page, "unreachable"],
  [
    "a list that breaks off",
    (response) => response.writeHead(200).write("{", () => response.destroy()),
    "unreachable",
  ],
  ["no voices", (response) => response.writeHead(200).end('{"data":[],"has_more":false}'), "empty"],
];

test.each(groupTroubles)("a provider that answers %s is a group with a reason", async (_, list, state) => {
  party.cartesia.list = list;
  const read = await catalogue();
  expect(statesOf(read)).toEqual([
    ["local", "ready", true],
    ["cartesia", state, false],
    ["elevenlabs", "ready", true],
  ]);
  // The choice is not taken back because its list could not be had.
  expect(read.current_provider).toBe("cartesia");
});

test("a provider that hangs does not hold the others up for long", async () => {
  party.elevenlabs.list = () => undefined;
  expect(statesOf(await catalogue())).toEqual([
    ["local", "ready", true],
    ["cartesia", "ready", true],
    ["elevenlabs", "timed_out", false],
  ]);
});

test("a key that is not one any more is a key problem", async () => {
  party.elevenlabs.keys.clear();
  party.speaks({ engine: "local", keys: both().slice(1) });
  expect(statesOf(await catalogue())).toEqual([
    ["local", "ready", true],
    ["cartesia", "key_problem", false],
    ["elevenlabs", "key_problem", false],
  ]);
});

test("lists are asked for once, for everybody who asks at once, and anew where that is wanted", async () => {
  await Promise.all(Array.from({ length: 5 }, () => catalogue()));
  await catalogue();
  expect([party.cartesia.lists, party.elevenlabs.lists]).toEqual([1, 1]);
  await catalogue("?refresh=1");
  expect([party.cartesia.lists, party.elevenlabs.lists]).toEqual([2, 2]);
  party.box.voice.available = false;
  expect((await catalogue()).groups[0]?.state).toBe("unreachable");
});

test("another caller has nothing of the first one's", async () => {
  party.portal.voices = null;
  const read = await catalogue("", staticKey);
  expect(read.voices.every(({ provider }) => provider === "local")).toBe(true);
});

test("a box alone names the variable that the chosen engine needs", async () => {
  await party.close();
  party = await VoiceParty.start({ ELEVENLABS_API_KEY: elevenlabsKey }, { alone: true });
  await party.box.ask("/api/settings", { body: { tts_provider: "cartesia" } });
  const read = await catalogue("", staticKey);
  expect(read).toMatchObject({ byo: false, provider: "local", requires_env: "CARTESIA_API_KEY" });
  expect(statesOf(read)[2]).toEqual(["elevenlabs", "ready", true]);
  const settings = await (await party.box.ask("/api/settings")).json();
  expect(settings).toMatchObject({
    tts_providers: [
      { id: "local", cloning: false, available: true },
      { id: "cartesia", byo: false, available: false },
      { id: "elevenlabs", byo: false, available: true },
    ],
  });
});

test("a sample is a WAV in the voice's language, made once", async () => {
  const asked = `/api/voice/preview?provider=cartesia&voice=${pierre}`;
  const made = await Promise.all(
    [party.ask(asked), party.ask(asked)].map(async (sent) => samplesOf(await sent)),
  );
  expect(made[0]).toBe(made[1]);
  await samplesOf(await party.ask("/api/voice/preview"));
  expect(party.cartesia.contexts).toHaveLength(1);
  expect(party.cartesia.contexts[0]?.generation).toMatchObject({
    transcript: expect.stringContaining("Bonjour"),
    language: "fr",
  });
  await samplesOf(await party.ask("/api/voice/preview?provider=local&voice=en-us%2Bf2"));
});

test.each([
  ["an engine that is none", "?provider=megaphone"],
  ["a voice that is none", "?provider=local&voice=nobody"],
  ["a voice of another engine", `?provider=elevenlabs&voice=${katie}`],
])("a sample of %s is a 404", async (_, query) => {
  expect(await codeOf(await party.ask(`/api/voice/preview${query}`))).toEqual([404, "unknown_voice"]);
});

test("a provider that the caller cannot use has no samples for them", async () => {
  party.speaks({ engine: "local", keys: [] });
  const asked = `/api/voice/preview?provider=cartesia&voice=${katie}`;
  expect(await codeOf(await party.ask(asked))).toEqual([404, "unknown_voice"]);
  party.box.voice.available = false;
  expect(await codeOf(await party.ask("/api/voice/preview"))).toEqual([503, "voice_unavailable"]);
});

test("a line of the caller's own is spoken on their account, not kept, and reported", async () => {
  const body = { provider: "elevenlabs", voice: sarah, text: "  How \n are you?  " };
  const samples = await samplesOf(await party.ask("/api/voice/preview", { body }));
  await samplesOf(await party.ask("/api/voice/preview", { body }));
  expect(party.elevenlabs.spoken.map((speech) => speech.body.text)).toEqual(["How are you?", "How are you?"]);
  await expect.poll(() => party.portal.usage.size).toBe(2);
  expect([...party.portal.usage.values()][0]).toMatchObject({
    kind: "preview",
    seconds: samples / 24_000,
    labels: { provider: "elevenlabs", voice: sarah },
  });
});

test.each([
  ["empty", " \n ", "preview_text_empty"],
  ["too long", "x".repeat(201), "preview_text_too_long"],
])("a line that is %s is refused and not counted", async (_, text, code) => {
  for (let time = 0; time < 15; time++)
    expect(await codeOf(await party.ask("/api/voice/preview", { body: { text } }))).toEqual([400, code]);
  await samplesOf(
    await party.ask("/api/voice/preview", { body: { provider: "local", text: "x".repeat(200) } }),
  );
});

test("the thirteenth line within a minute is refused, and other callers are not", async () => {
  const body = { provider: "local", text: "Hi" };
  for (let time = 0; time < 12; time++) await samplesOf(await party.ask("/api/voice/preview", { body }));
  const refused = await party.ask("/api/voice/preview", { body });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  expect(await codeOf(refused)).toEqual([429, "preview_rate_limited"]);
  await samplesOf(await party.ask("/api/voice/preview", { body, key: staticKey }));
});

test("a provider that fails on a line is a 502 in the box's own words", async () => {
  party.elevenlabs.speech = (response) => refuse(response, 500, "internal");
  const body = { provider: "elevenlabs", voice: sarah, text: "Hi" };
  const response = await party.ask("/api/voice/preview", { body });
  const text = await response.clone().text();
  expect(await codeOf(response)).toEqual([502, "voice_failed"]);
  expect(text).not.toContain(elevenlabsKey);
});

test.each([
  ["no JSON", "{", "invalid_body"],
  ["an unknown field", { text: "Hi", loud: true }, "invalid_body"],
  ["an engine that is none", { text: "Hi", provider: "megaphone" }, "invalid_body"],
])("a preview body with %s is refused", async (_, body, code) => {
  expect(await codeOf(await party.ask("/api/voice/preview", { method: "POST", body }))).toEqual([400, code]);
});

test.each(["\u{1F600} \u{1F389}", "***", "...", "\u200B"])(
  "a line that nobody could say, %j, is refused and not counted",
  async (text) => {
    for (let time = 0; time < 13; time++)
      expect(await codeOf(await party.ask("/api/voice/preview", { body: { text } }))).toEqual([
        400,
        "preview_text_empty",
      ]);
    await samplesOf(await party.ask("/api/voice/preview", { body: { provider: "local", text: "Hi" } }));
  },
);

test("a line for a voice that is none is not counted", async () => {
  const ask = (voice: string) =>
    party.ask("/api/voice/preview", { body: { provider: "local", voice, text: "Hi" } });
  for (let time = 0; time < 13; time++) expect((await ask("nobody")).status).toBe(404);
  await samplesOf(await ask("en-us+f2"));
});

test("samples that a provider makes are reported and limited, and those made before are free", async () => {
  const ids = Array.from(
    { length: limits.samplesPerHour + 1 },
    (_, index) => `0a11c1de-0000-4000-8000-${String(index).padStart(12, "0")}`,
  );
  party.cartesia.voices = ids.map((id) => ({ id, name: id, language: "en" }));
  party.cartesia.onContext = (context) => {
    context.chunk(24);
    context.done();
  };
  const ask = (id: string) => party.ask(`/api/voice/preview?provider=cartesia&voice=${id}`);
  for (const id of ids.slice(0, -1)) await samplesOf(await ask(id));
  const refused = await ask(ids.at(-1) ?? "");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await codeOf(refused)).toEqual([429, "preview_rate_limited"]);
  await samplesOf(await ask(ids[0] ?? ""));
  await samplesOf(await party.ask("/api/voice/preview?provider=local&voice=en-us%2Bf2"));
  expect(party.cartesia.contexts).toHaveLength(limits.samplesPerHour);
  await expect.poll(() => party.portal.usage.size).toBe(limits.samplesPerHour);
  expect([...party.portal.usage.values()][0]).toMatchObject({
    kind: "preview",
    seconds: 24 / 24_000,
    labels: { provider: "cartesia", voice: ids[0] },
  });
});

test("a voice that the account does not list has no sample, however its id looks", async () => {
  const asked = "/api/voice/preview?provider=cartesia&voice=0a11c1de-0000-4000-8000-000000000099";
  expect(await codeOf(await party.ask(asked))).toEqual([404, "unknown_voice"]);
  expect(party.cartesia.contexts).toEqual([]);
});

test("an engine that needs a voice to be chosen is named all the same", async () => {
  party.cartesia.voices = [{ id: pierre, name: "Pierre", language: "fr" }];
  party.speaks({ engine: "cartesia", keys: both() });
  expect(await catalogue()).toMatchObject({
    current: null,
    current_provider: "cartesia",
    provider: "cartesia",
    provider_label: "Cartesia",
    requires_env: null,
    local: false,
    engine_ready: true,
  });
});

test("only turns open connections to a provider ahead", async () => {
  await catalogue();
  await party.ask("/api/chat/status");
  expect((await party.ask("/api/voice/preview?provider=local&voice=nobody")).status).toBe(404);
  await party.box.connect({ key: portalKey, body: { voice: pierre, voice_provider: "cartesia" } });
  expect(party.cartesia.upgrades).toBe(0);
  const opened = Promise.withResolvers<void>();
  party.box.model.reply = async function* () {
    await opened.promise;
    yield "Yes.";
  };
  const chat = party.chat();
  await expect.poll(() => party.cartesia.upgrades).toBe(1);
  expect(party.cartesia.contexts).toEqual([]);
  opened.resolve();
  await chat;
});

test.each(["application/json", "application/sdp"])("a blank voice_provider in %s is none", async (type) => {
  const blank = { voice: " ", voice_provider: " " };
  if (type === "application/json") await party.box.connect({ key: portalKey, body: blank });
  else {
    const query = new URLSearchParams(blank);
    const headers = { "Content-Type": type };
    expect((await party.ask(`/connect?${query}`, { body: "v=0\r\n", headers })).status).toBe(201);
  }
  await samplesOf(await party.ask("/api/voice/preview"));
});
