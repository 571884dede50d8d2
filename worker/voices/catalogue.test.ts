import { beforeEach, describe, expect, test, vi } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import {
  byoEngines,
  voiceCatalogueSchema,
  type ByoEngine,
  type VoiceCatalogue,
} from "../../contract/voices.ts";
import {
  asBox,
  bindings,
  bodyOf,
  call,
  captureLog,
  db,
  makeKey,
  moveClock,
  post,
  signIn,
  withKey,
  type Browser,
} from "../testing/portal.ts";
import { listTimeoutMs } from "./catalogue.ts";
import {
  ginny,
  goodKeys,
  rachel,
  serveProviders,
  troubles,
  type FakeProviders,
} from "./testing/providers.ts";
import { callWith, failing, put, putKey } from "./testing/vault.ts";

let ann: Browser;
let providers: FakeProviders;
beforeEach(async () => {
  providers = serveProviders();
  ann = await signIn("ann@example.com");
});

const read = async (query = "", headers: Record<string, string> = ann): Promise<VoiceCatalogue> => {
  const answer = await call(`/auth/voices${query}`, { headers });
  expect(answer.status).toBe(200);
  return bodyOf(answer, voiceCatalogueSchema);
};
const groupOf = (catalogue: VoiceCatalogue, provider: string) => {
  const group = catalogue.groups.find((one) => one.provider === provider);
  if (!group) throw new Error(`No group of ${provider}.`);
  return group;
};
const builtin = (id: string, name: string, changes: object = {}) => ({
  provider: "local",
  id,
  name,
  language: "en-us",
  gender: "female",
  description: "",
  recommended: false,
  ...changes,
});
const report = (...voices: object[]) => post("/internal/voices/builtin", { voices }, asBox("box-a"));
const listings = (provider: ByoEngine) =>
  providers.seen.filter(
    (seen) => seen.provider === provider && !/(?:limit|page_size)=1$/.test(seen.url.search),
  );
const choose = (engine: string, voiceId: string) =>
  put("/auth/voice/default", { engine, voice_id: voiceId, display_name: "V" }, ann);

describe("groups", () => {
  test("a new portal has one for each engine, the built-in one first, and no box has spoken yet", async () => {
    const catalogue = await read();
    expect(catalogue).toEqual({
      groups: [
        {
          provider: "local",
          label: "Built-in voice",
          state: "starting",
          reason: expect.stringMatching(/^[^\n]+\.$/),
          local: true,
          voices: [],
        },
        {
          provider: "cartesia",
          label: "Cartesia",
          state: "key_problem",
          reason: "No Cartesia key is saved.",
          local: false,
          voices: [],
        },
        {
          provider: "elevenlabs",
          label: "ElevenLabs",
          state: "key_problem",
          reason: "No ElevenLabs key is saved.",
          local: false,
          voices: [],
        },
      ],
      voices: [],
      current: null,
      current_provider: "local",
      portal_default: null,
      engine_ready: false,
      provider: "local",
      provider_label: "Built-in voice",
      requires_env: null,
      local: true,
      byo: true,
      voice_notice: "",
    });
    expect(providers.seen).toEqual([]);
  });

  test("hold each provider's voices under the row's own fields", async () => {
    await report(builtin("en-us+f2", "Nora", { recommended: true }));
    for (const provider of byoEngines) await putKey(ann, provider);
    const catalogue = await read();
    expect(catalogue.groups.map(({ state, reason }) => [state, reason])).toEqual([
      ["ready", ""],
      ["ready", ""],
      ["ready", ""],
    ]);
    expect(groupOf(catalogue, "local").voices).toEqual([
      {
        ...builtin("en-us+f2", "Nora", { recommended: true }),
        preview: "/auth/voices/preview?provider=local&voice=en-us%2Bf2",
      },
    ]);
    expect(groupOf(catalogue, "cartesia").voices).toEqual([
      {
        provider: "cartesia",
        id: ginny,
        name: "Ginny",
        language: "fr",
        gender: "feminine",
        description: "Clear and kind.",
        preview: `/auth/voices/preview?provider=cartesia&voice=${ginny}`,
        recommended: false,
      },
    ]);
    expect(groupOf(catalogue, "elevenlabs").voices).toMatchObject([
      { id: rachel, name: "Rachel", language: "en", gender: "female", description: "" },
    ]);
    expect(catalogue).toMatchObject({ engine_ready: true, byo: true, local: true });
  });

  test("rows flattened are the built-in ones first, then by name", async () => {
    await report(builtin("b", "Zoe"), builtin("a", "alba"));
    for (const provider of byoEngines) await putKey(ann, provider);
    providers.cartesiaVoices = [
      { id: "c2", name: "Yves" },
      { id: "c1", name: "Bruno" },
    ];
    providers.elevenlabsVoices = [
      { voice_id: "e1", name: "carla" },
      { voice_id: "e2", name: "Anna" },
    ];
    const names = (await read()).voices.map((row) => row.name);
    expect(names).toEqual(["alba", "Zoe", "Anna", "Bruno", "carla", "Yves"]);
  });

  test("have every page of a long list, and no row twice", async () => {
    for (const provider of byoEngines) await putKey(ann, provider);
    const many = Array.from({ length: 250 }, (_, i) => i);
    providers.cartesiaVoices = many.map((i) => ({ id: `c${i}`, name: `Voice ${i}` }));
    providers.elevenlabsVoices = many.map((i) => ({ voice_id: `e${i}`, name: `Voice ${i}` }));
    const catalogue = await read();
    for (const provider of byoEngines) {
      expect(new Set(groupOf(catalogue, provider).voices.map((row) => row.id)).size).toBe(250);
      expect(listings(provider)).toHaveLength(3);
    }
  });

  test("end with a provider whose pages never do", async () => {
    await putKey(ann, "cartesia");
    providers.trouble.cartesia = () => Response.json({ data: [{ id: "c", name: "Again" }], has_more: true });
    expect(groupOf(await read(), "cartesia").voices).toHaveLength(1);
    expect(listings("cartesia")).toHaveLength(2);
  });

  test("leave out rows that make no sense and keep the rest", async () => {
    for (const provider of byoEngines) await putKey(ann, provider);
    providers.cartesiaVoices = [null as never, { id: 7 }, { id: "", name: "x" }, { id: "c", name: " " }];
    providers.elevenlabsVoices = [{}, { voice_id: "e", name: null, labels: { gender: 5 } }];
    const catalogue = await read();
    expect(groupOf(catalogue, "cartesia").voices).toMatchObject([
      { id: "c", name: "c", language: "", gender: "" },
    ]);
    expect(groupOf(catalogue, "elevenlabs").voices).toMatchObject([{ id: "e", name: "e", gender: "" }]);
  });

  test("an account without voices is empty, and its words are cut to a length", async () => {
    for (const provider of byoEngines) await putKey(ann, provider);
    providers.cartesiaVoices = [];
    providers.elevenlabsVoices = [{ voice_id: "e", name: "n".repeat(999), description: "d".repeat(9999) }];
    const catalogue = await read();
    expect(groupOf(catalogue, "cartesia")).toMatchObject({
      state: "empty",
      reason: expect.stringMatching(/\.$/),
    });
    const [row] = groupOf(catalogue, "elevenlabs").voices;
    expect([row?.name.length, row?.description.length]).toEqual([200, 1000]);
  });
});

describe("a provider that fails", () => {
  const cases: [string, (provider: ByoEngine) => Response | Promise<Response>, string][] = [
    ...troubles.map(
      ([name, trouble]) =>
        [
          name,
          (provider: ByoEngine) => trouble({ provider } as never),
          name === "a timeout" ? "timed_out" : "unreachable",
        ] as [string, (provider: ByoEngine) => Response | Promise<Response>, string],
    ),
    ["401", () => new Response(null, { status: 401 }), "key_problem"],
    ["402", () => new Response(null, { status: 402 }), "refused"],
    ["429", () => new Response(null, { status: 429 }), "refused"],
    ["400", () => new Response(null, { status: 400 }), "refused"],
    ["404", () => new Response(null, { status: 404 }), "unreachable"],
  ];

  test.each(cases)("with %s yields its group's state, and the others stay", async (_name, trouble, state) => {
    await report(builtin("en-us+f2", "Nora"));
    for (const provider of byoEngines) await putKey(ann, provider);
    captureLog();
    for (const provider of byoEngines) {
      providers.trouble = { [provider]: () => trouble(provider) };
      const catalogue = await read("?refresh=1");
      expect(groupOf(catalogue, provider)).toMatchObject({
        state,
        reason: expect.stringMatching(/^[^\n]+\.$/),
        voices: [],
      });
      const others = catalogue.groups.filter((group) => group.provider !== provider);
      expect(others.map((group) => group.state)).toEqual(["ready", "ready"]);
    }
  });

  test("a permission that is missing at ElevenLabs is a refusal", async () => {
    await putKey(ann, "elevenlabs");
    captureLog();
    providers.trouble.elevenlabs = () =>
      Response.json({ detail: { status: "missing_permissions" } }, { status: 401 });
    expect(groupOf(await read(), "elevenlabs").state).toBe("refused");
  });

  test("each is given its own time, and all are asked at once", async () => {
    for (const provider of byoEngines) await putKey(ann, provider);
    const timeout = vi.spyOn(AbortSignal, "timeout");
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const waiting = new Set<string>();
    for (const provider of byoEngines) {
      providers.trouble[provider] = async () => {
        waiting.add(provider);
        if (waiting.size === 2) release();
        await both;
        return Response.json({ data: [], voices: [], has_more: false });
      };
    }
    await read();
    expect(timeout.mock.calls).toEqual([[listTimeoutMs], [listTimeoutMs]]);
  });

  test("a timer that runs out is told as such", async () => {
    await putKey(ann, "cartesia");
    captureLog();
    vi.spyOn(AbortSignal, "timeout").mockReturnValue(
      AbortSignal.abort(new DOMException("late", "TimeoutError")),
    );
    expect(groupOf(await read(), "cartesia").state).toBe("timed_out");
  });
});

// Moving the clock, be it by nothing, stops it as well: a second that passes by itself would count too.
describe("the cache", () => {
  test("answers for five minutes, until it is told to refresh", async () => {
    moveClock(0);
    for (const provider of byoEngines) await putKey(ann, provider);
    const first = await read();
    expect(await read()).toEqual(first);
    for (const provider of byoEngines) expect(listings(provider)).toHaveLength(1);
    await read("?refresh=1");
    for (const provider of byoEngines) expect(listings(provider)).toHaveLength(2);
    moveClock(limits.voiceCatalogueSeconds - 1);
    await read();
    for (const provider of byoEngines) expect(listings(provider)).toHaveLength(2);
    moveClock(1);
    await read();
    for (const provider of byoEngines) expect(listings(provider)).toHaveLength(3);
  });

  test("answers for thirty seconds after a failure", async () => {
    moveClock(0);
    await putKey(ann, "cartesia");
    captureLog();
    providers.trouble.cartesia = () => new Response(null, { status: 500 });
    await read();
    providers.trouble = {};
    moveClock(limits.voiceCatalogueFailedSeconds - 1);
    expect(groupOf(await read(), "cartesia").state).toBe("unreachable");
    moveClock(1);
    expect(groupOf(await read(), "cartesia").state).toBe("ready");
  });

  test("is each account's own, and a new key's", async () => {
    await putKey(ann, "cartesia");
    await read();
    const bea = await signIn("bea@example.com");
    await putKey(bea, "cartesia");
    await read("", bea);
    expect(listings("cartesia")).toHaveLength(2);
    await putKey(ann, "cartesia");
    await read();
    expect(listings("cartesia")).toHaveLength(3);
  });

  test("holds no key and no address, neither in its names nor in its values", async () => {
    for (const provider of byoEngines) await putKey(ann, provider);
    await read();
    const { keys } = await bindings.KV.list();
    expect(keys.length).toBe(2);
    for (const { name } of keys) {
      const entry = name + ((await bindings.KV.get(name)) ?? "");
      expect(entry).not.toContain("ann@example.com");
      for (const key of Object.values(goodKeys)) expect(entry).not.toContain(key);
    }
  });

  test.each(["{", "[]", '{"expires_at":9999999999,"value":{"state":"ready"}}', '{"expires_at":"x"}'])(
    "an entry that reads %s is passed over",
    async (text) => {
      await putKey(ann, "cartesia");
      await read();
      for (const { name } of (await bindings.KV.list()).keys) await bindings.KV.put(name, text);
      expect(groupOf(await read(), "cartesia").state).toBe("ready");
      expect(listings("cartesia")).toHaveLength(2);
    },
  );

  test("that fails is ignored", async () => {
    await putKey(ann, "cartesia");
    const answer = await callWith({ KV: failing<KVNamespace>() }, "/auth/voices", { headers: ann });
    expect(groupOf(await bodyOf(answer, voiceCatalogueSchema), "cartesia").state).toBe("ready");
  });
});

describe("the current voice", () => {
  const nora = builtin("en-us+f2", "Nora", { recommended: true });
  const hanna = builtin("de+f2", "Hanna", { language: "de", recommended: true });
  beforeEach(() => report(builtin("aa", "Aaron"), hanna, nora));

  test("is the recommended English one where nothing was chosen", async () => {
    expect(await read()).toMatchObject({
      current: "en-us+f2",
      current_provider: "local",
      portal_default: null,
    });
  });

  test("is the settings' slot of the engine, where one is saved", async () => {
    await post("/auth/settings", { voice_id_local: "de+f2", voice_id_cartesia: "c", voice_id: "e" }, ann);
    expect(await read()).toMatchObject({ current: "de+f2", portal_default: null });
    await putKey(ann, "cartesia");
    await post("/auth/settings", { tts_provider: "cartesia" }, ann);
    expect(await read()).toMatchObject({ current: "c", current_provider: "cartesia" });
    await putKey(ann, "elevenlabs");
    await post("/auth/settings", { tts_provider: "elevenlabs" }, ann);
    expect(await read()).toMatchObject({ current: "e", current_provider: "elevenlabs" });
  });

  test("is the default that was chosen, before the slot", async () => {
    await post("/auth/settings", { voice_id_local: "en-us+f2" }, ann);
    await choose("local", "de+f2");
    expect(await read()).toMatchObject({
      current: "de+f2",
      portal_default: { provider: "local", id: "de+f2" },
    });
    await putKey(ann, "cartesia");
    await choose("cartesia", ginny);
    expect(await read()).toMatchObject({
      current: ginny,
      current_provider: "cartesia",
      portal_default: { provider: "cartesia", id: ginny },
      provider: "cartesia",
      provider_label: "Cartesia",
      local: false,
      engine_ready: true,
      voice_notice: "",
    });
  });

  test("is not a default of another engine, nor one that is not listed", async () => {
    await choose("local", "de+f2");
    await putKey(ann, "cartesia");
    await post("/auth/settings", { tts_provider: "cartesia" }, ann);
    expect(await read()).toMatchObject({ current: null, current_provider: "cartesia", portal_default: null });
    await choose("cartesia", "gone");
    expect(await read()).toMatchObject({ current: null, portal_default: null });
  });

  test("stays the default while its provider cannot be asked", async () => {
    await putKey(ann, "cartesia");
    await choose("cartesia", ginny);
    captureLog();
    providers.trouble.cartesia = () => new Response(null, { status: 500 });
    expect(await read()).toMatchObject({
      current: ginny,
      current_provider: "cartesia",
      portal_default: null,
      voice_notice: "",
    });
  });

  test.each([
    ["no key is saved", async () => void (await post("/auth/settings", { tts_provider: "cartesia" }, ann))],
    [
      "the key cannot be read",
      async () => {
        await putKey(ann, "cartesia");
        await choose("cartesia", ginny);
        await db.prepare("UPDATE voice_keys SET sealed = 'v1.broken'").run();
      },
    ],
    [
      "the provider knows the key no more",
      async () => {
        await putKey(ann, "cartesia");
        await choose("cartesia", ginny);
        providers.trouble.cartesia = () => new Response(null, { status: 401 });
      },
    ],
  ])("is a built-in one with a notice when %s", async (_name, prepare) => {
    await prepare();
    captureLog();
    const catalogue = await read();
    expect(catalogue).toMatchObject({
      current: "en-us+f2",
      current_provider: "local",
      provider: "local",
      portal_default: null,
      local: true,
    });
    expect(catalogue.voice_notice).toMatch(/Cartesia.+\. The built-in voice speaks instead\.$/);
  });
});

describe("access and faults", () => {
  test("a full key sees what its account's person sees", async () => {
    await putKey(ann, "cartesia");
    const key = withKey((await makeKey(ann)).secret);
    expect(await read("", key)).toEqual(await read());
  });

  test("without a vault nobody's keys are resolved", async () => {
    await putKey(ann, "cartesia");
    const answer = await callWith({ VAULT_KEY: "" }, "/auth/voices", { headers: ann });
    const catalogue = await bodyOf(answer, voiceCatalogueSchema);
    expect(catalogue.byo).toBe(false);
    expect(groupOf(catalogue, "cartesia").state).toBe("key_problem");
  });

  test("built-in voices that cannot be read are a state of their group", async () => {
    await db.exec("ALTER TABLE builtin_voices RENAME TO elsewhere");
    captureLog();
    expect(groupOf(await read(), "local")).toMatchObject({ state: "unreachable" });
  });

  test("a vault that cannot be read is told as such", async () => {
    await db.exec("ALTER TABLE voice_keys RENAME TO elsewhere");
    captureLog();
    const answer = await call("/auth/voices", { headers: ann });
    expect(answer.status).toBe(503);
    expect((await bodyOf(answer, structuredErrorSchema)).error.code).toBe("vault_unavailable");
  });
});
