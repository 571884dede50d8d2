// Which engine, account and voice a turn has, through a whole box: portal, providers and callers.

import { afterEach, beforeEach, expect, test } from "vitest";
import { chatStatusSchema } from "../../contract/chat.ts";
import { cartesiaKey, katie, pierre } from "../testing/fake-cartesia.ts";
import { elevenlabsKey, sarah } from "../testing/fake-elevenlabs.ts";
import { portalKey } from "../testing/fake-portal.ts";
import { VoiceParty } from "../testing/voice-party.ts";

let party: VoiceParty;

beforeEach(async () => {
  party = await VoiceParty.start();
});
afterEach(async () => {
  await party.close();
  expect(party.cartesia.mistakes).toEqual([]);
  expect(party.elevenlabs.mistakes).toEqual([]);
  expect(party.cartesia.connections).toBe(0);
  const logged = JSON.stringify(party.box.logged);
  for (const key of [cartesiaKey, elevenlabsKey]) expect(logged).not.toContain(key);
});

const cartesia = { engine: "cartesia", keys: [{ provider: "cartesia", key: cartesiaKey }] } as const;
const both = [
  { provider: "cartesia", key: cartesiaKey },
  { provider: "elevenlabs", key: elevenlabsKey },
] as const;
const voicesOf = () => party.cartesia.contexts.map(({ generation }) => generation.voice.id);
const statusOf = async () =>
  chatStatusSchema.strict().parse(await (await party.ask("/api/chat/status")).json());

test("the engine and the voice of the portal's page speak, on the caller's account", async () => {
  party.speaks({ ...cartesia, keys: [...cartesia.keys], default_voice: pierre });
  const { answer } = await party.chat();
  expect(answer).toMatchObject({ voice_notice: "", audio: expect.stringMatching(/\.wav$/) });
  expect(new Set(voicesOf())).toEqual(new Set([pierre]));
  expect(party.cartesia.contexts[0]?.generation.language).toBe("fr");
  expect(party.box.voice.spoken).toEqual([]);
  expect(await statusOf()).toMatchObject({
    ready: true,
    voice_origin: "user",
    voice_provider: "cartesia",
    voice_notice: "",
  });
});

test("the settings' slot comes after the portal's default, and the recommended voice after that", async () => {
  party.speaks({ ...cartesia, keys: [...cartesia.keys] });
  party.portal.settings = { tts_provider: "cartesia", voice_id_cartesia: pierre };
  await party.chat();
  expect(voicesOf().at(-1)).toBe(pierre);
  // A copy of the settings is good for some seconds; the other slot is another engine's.
  party.speaks({ engine: "elevenlabs", keys: [...both] });
  await party.chat({ voice_provider: "elevenlabs" });
  expect(party.elevenlabs.spoken.at(-1)?.voice).toBe(sarah);
});

test("a voice picked in the studio goes before the portal's, and a turn's before both", async () => {
  party.speaks({ ...cartesia, keys: [...both], default_voice: katie });
  await party.box.connect({ key: portalKey, body: { voice: sarah, voice_provider: "elevenlabs" } });
  await party.chat();
  expect(party.elevenlabs.spoken.length).toBeGreaterThan(0);
  expect(voicesOf()).toEqual([]);
  await party.chat({ voice: pierre, voice_provider: "cartesia" });
  expect(new Set(voicesOf())).toEqual(new Set([pierre]));
  await party.chat({ voice: "en-us+f1", voice_provider: "local" });
  expect(party.box.voice.spoken.at(-1)?.voice).toBe("en-us+f1");
});

test.each([
  ["elevenlabs", katie],
  ["cartesia", sarah],
  ["cartesia", "en-us+f2"],
  ["local", katie],
])("a voice id through %s's engine that is another's is a flat 400", async (voice_provider, voice) => {
  party.speaks({ engine: "local", keys: [...both] });
  const { status, answer } = await party.chat({ voice, voice_provider });
  expect([status, answer]).toEqual([400, { error: expect.stringContaining("voice_provider") }]);
});

test("without any voice to choose by itself an engine names the field that is missing", async () => {
  party.cartesia.voices = [{ id: pierre, name: "Pierre" }];
  party.speaks({ ...cartesia, keys: [...cartesia.keys] });
  const { status, answer } = await party.chat();
  expect([status, answer]).toEqual([400, { error: expect.stringMatching(/^voice:/) }]);
  expect(await statusOf()).toMatchObject({
    ready: false,
    tts: false,
    reason: expect.stringContaining("voice"),
  });
  expect((await party.chat({ voice: pierre })).status).toBe(200);
});

test.each([
  ["missing", { engine: "cartesia", keys: [] }, "No Cartesia key"],
  ["unreadable", { engine: "cartesia", keys: [], unreadable: ["cartesia"] }, "cannot be read"],
  ["elsewhere", { engine: "cartesia", keys: [both[1]] }, "No Cartesia key"],
] as const)("with the key %s the box's own voice speaks, and says so", async (_, account, why) => {
  party.speaks({
    ...account,
    keys: [...account.keys],
    unreadable: [...("unreadable" in account ? account.unreadable : [])],
  });
  const { answer } = await party.chat({ voice: katie });
  expect(answer["voice_notice"]).toContain(why);
  expect(party.box.voice.spoken.length).toBeGreaterThan(0);
  const status = await statusOf();
  expect(status).toMatchObject({ ready: true, voice_origin: "box", voice_provider: "local" });
  expect(status.voice_notice).toContain(why);
});

test("while the portal cannot say whose key it is, nobody else is billed", async () => {
  await party.close();
  party = await VoiceParty.start({ CARTESIA_API_KEY: cartesiaKey });
  party.speaks(null);
  party.portal.settings = { tts_provider: "cartesia" };
  expect((await party.chat()).answer["voice_notice"]).toContain("looked up");
  expect(voicesOf()).toEqual([]);
});

test("the box's own key speaks for callers who saved none, and is no reason for a notice", async () => {
  await party.close();
  party = await VoiceParty.start({ CARTESIA_API_KEY: cartesiaKey }, { alone: true });
  const ask = (path: string, body?: object) => party.box.ask(path, body ? { body } : {});
  await ask("/api/settings", { tts_provider: "cartesia", voice_id_cartesia: pierre });
  const reply = (await (await ask("/api/chat", { message: "Hi" })).json()) as Record<string, unknown>;
  expect(reply["voice_notice"]).toBe("");
  expect(voicesOf().at(-1)).toBe(pierre);
  expect(await (await ask("/api/chat/status")).json()).toMatchObject({
    voice_origin: "box",
    voice_provider: "cartesia",
    voice_notice: "",
  });
});

test("an account that turns out not to speak is stood in for within the turn, and told of at once", async () => {
  party.speaks({ ...cartesia, keys: [...cartesia.keys], default_voice: katie });
  await party.box.connect({ key: portalKey });
  const control = await party.box.socket({ key: portalKey });
  const microphone = await party.box.microphone({ key: portalKey });
  expect(await microphone.next("ready")).toMatchObject({ voice_origin: "user" });
  party.cartesia.onContext = (context) => context.fail(402, "quota_exceeded");
  const { status, answer } = await party.chat();
  expect(status).toBe(200);
  expect(answer["voice_notice"]).toContain("no credit");
  expect((await control.next("warning")).message).toContain("no credit");
  expect((await microphone.next("voice_notice")).notice).toContain("no credit");
  expect(party.box.voice.spoken.map(({ text }) => text).join(" ")).toBe(answer["reply"]);
  // From now on it is not even tried.
  const tried = party.cartesia.contexts.length;
  expect((await party.chat()).answer["voice_notice"]).toContain("no credit");
  expect(party.cartesia.contexts).toHaveLength(tried);
  // Somebody looks whether it is as before.
  party.cartesia.onContext = (context) => {
    context.chunk();
    context.done();
  };
  await party.ask("/api/voices?refresh=1");
  expect((await party.chat()).answer["voice_notice"]).toBe("");
  expect(party.cartesia.contexts.length).toBeGreaterThan(tried);
});

test("a key that was rejected is told of before the turn, once the socket could not be opened", async () => {
  party.cartesia.keys.clear();
  party.speaks({ ...cartesia, keys: [...cartesia.keys], default_voice: katie });
  await party.box.connect({ key: portalKey });
  const { status, answer } = await party.chat();
  expect(status).toBe(200);
  expect(answer["voice_notice"]).toContain("does not accept your key");
  expect((await statusOf()).voice_origin).toBe("box");
});

test("an account that fails in the middle of a reply fails that reply, and only the next has another voice", async () => {
  party.speaks({ ...cartesia, keys: [...cartesia.keys], default_voice: katie });
  party.box.model.reply = () => ["First of all, this is said. ", "Then that is said as well. "];
  let clauses = 0;
  party.cartesia.onContext = (context) => {
    clauses++;
    if (clauses > 1) context.fail(401, "unauthorized");
    else {
      context.chunk();
      context.done();
    }
  };
  const { status, answer } = await party.chat();
  expect([status, Object.keys(answer)]).toEqual([502, ["error"]]);
  expect(party.box.voice.spoken).toEqual([]);
  expect((await party.chat()).answer["voice_notice"]).toContain("does not accept your key");
});

test("a provider that is down fails the turn, and is no reason to change whose account it is", async () => {
  party.speaks({ ...cartesia, keys: [...cartesia.keys], default_voice: katie });
  party.cartesia.onContext = (context) => context.fail(500, "internal");
  const { status, answer } = await party.chat();
  expect([status, answer]).toEqual([502, { error: expect.stringContaining("Cartesia") }]);
  expect(JSON.stringify(answer)).not.toContain(cartesiaKey);
  expect((await statusOf()).voice_notice).toBe("");
});

test("another key, another engine: a change on the portal holds from the next turn on", async () => {
  party.speaks({ ...cartesia, keys: [...cartesia.keys], default_voice: katie });
  await party.chat();
  party.cartesia.keys = new Set(["sk_car_the_new_key"]);
  party.speaks({
    engine: "cartesia",
    keys: [{ provider: "cartesia", key: "sk_car_the_new_key" }],
    default_voice: katie,
  });
  const before = party.cartesia.contexts.length;
  expect((await party.chat()).answer["voice_notice"]).toBe("");
  expect(party.cartesia.contexts.length).toBeGreaterThan(before);
  expect(party.cartesia.upgrades).toBe(2);
});

test("the account is looked up once for many turns, and ahead of them when a socket opens", async () => {
  party.speaks({ ...cartesia, keys: [...cartesia.keys], default_voice: katie });
  await party.box.socket({ key: portalKey });
  const asked = () => party.portal.asked.filter((path) => path === "/internal/voices/account").length;
  await expect.poll(asked).toBe(1);
  for (let turn = 0; turn < 3; turn++) await party.chat();
  expect(asked()).toBe(1);
});

test("whoever stands in for a voice of another language speaks that language, now and in later turns", async () => {
  party.speaks({ ...cartesia, keys: [...cartesia.keys], default_voice: pierre });
  await party.box.connect({ key: portalKey });
  party.cartesia.onContext = (context) => context.fail(402, "quota_exceeded");
  await party.chat();
  await party.chat();
  expect(party.cartesia.contexts).toHaveLength(1);
  const voices = new Set(party.box.voice.spoken.map(({ voice }) => voice));
  expect([...voices]).toEqual([expect.stringMatching(/^fr/)]);
});

test("a revocation elsewhere does not change whose voice a turn has", async () => {
  party.speaks({ ...cartesia, keys: [...cartesia.keys], default_voice: pierre });
  const chat = party.chat();
  const asked = () => party.portal.asked.filter((path) => path === "/internal/voices/account").length;
  await expect.poll(asked).toBe(1);
  party.box.services.voices.forget();
  expect((await chat).answer["voice_notice"]).toBe("");
});
