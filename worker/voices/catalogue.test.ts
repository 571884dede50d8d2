import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { byoEngines, voiceCatalogueSchema } from "../../contract/voices.ts";
import { callWith } from "../testing/altered.ts";
import { bodyOf, call, captureLog, db, makeKey, signIn, withKey, type Browser } from "../testing/portal.ts";
import { builtin, groupOf, listings, read, report } from "./testing/catalogue.ts";
import { ginny, rachel, serveProviders, type FakeProviders } from "./testing/providers.ts";
import { putKey } from "./testing/vault.ts";

let ann: Browser;
let providers: FakeProviders;
beforeEach(async () => {
  providers = serveProviders();
  ann = await signIn("ann@example.com");
});

describe("groups", () => {
  test("a new portal has one for each engine, the built-in one first, and no box has spoken yet", async () => {
    const catalogue = await read(ann);
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
    const catalogue = await read(ann);
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
    const names = (await read(ann)).voices.map((row) => row.name);
    expect(names).toEqual(["alba", "Zoe", "Anna", "Bruno", "carla", "Yves"]);
  });

  test("have every page of a long list, and no row twice", async () => {
    for (const provider of byoEngines) await putKey(ann, provider);
    const many = Array.from({ length: 250 }, (_, i) => i);
    providers.cartesiaVoices = many.map((i) => ({ id: `c${i}`, name: `Voice ${i}` }));
    providers.elevenlabsVoices = many.map((i) => ({ voice_id: `e${i}`, name: `Voice ${i}` }));
    const catalogue = await read(ann);
    for (const provider of byoEngines) {
      expect(new Set(groupOf(catalogue, provider).voices.map((row) => row.id)).size).toBe(250);
      expect(listings(providers, provider)).toHaveLength(3);
    }
  });

  test("end with a provider whose pages never do", async () => {
    await putKey(ann, "cartesia");
    providers.trouble.cartesia = () => Response.json({ data: [{ id: "c", name: "Again" }], has_more: true });
    expect(groupOf(await read(ann), "cartesia").voices).toHaveLength(1);
    expect(listings(providers, "cartesia")).toHaveLength(2);
  });

  test("leave out rows that make no sense and keep the rest", async () => {
    for (const provider of byoEngines) await putKey(ann, provider);
    providers.cartesiaVoices = [null as never, { id: 7 }, { id: "", name: "x" }, { id: "c", name: " " }];
    providers.elevenlabsVoices = [{}, { voice_id: "e", name: null, labels: { gender: 5 } }];
    const catalogue = await read(ann);
    expect(groupOf(catalogue, "cartesia").voices).toMatchObject([
      { id: "c", name: "c", language: "", gender: "" },
    ]);
    expect(groupOf(catalogue, "elevenlabs").voices).toMatchObject([{ id: "e", name: "e", gender: "" }]);
  });

  test("an account without voices is empty, and its words are cut to a length", async () => {
    for (const provider of byoEngines) await putKey(ann, provider);
    providers.cartesiaVoices = [];
    providers.elevenlabsVoices = [{ voice_id: "e", name: "n".repeat(999), description: "d".repeat(9999) }];
    const catalogue = await read(ann);
    expect(groupOf(catalogue, "cartesia")).toMatchObject({
      state: "empty",
      reason: expect.stringMatching(/\.$/),
    });
    const [row] = groupOf(catalogue, "elevenlabs").voices;
    expect([row?.name.length, row?.description.length]).toEqual([200, 1000]);
  });
});

describe("access and faults", () => {
  test("a full key sees what its account's person sees", async () => {
    await putKey(ann, "cartesia");
    const key = withKey((await makeKey(ann)).secret);
    expect(await read(key)).toEqual(await read(ann));
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
    expect(groupOf(await read(ann), "local")).toMatchObject({ state: "unreachable" });
  });

  test("a vault that cannot be read is told as such", async () => {
    await db.exec("ALTER TABLE voice_keys RENAME TO elsewhere");
    captureLog();
    const answer = await call("/auth/voices", { headers: ann });
    expect(answer.status).toBe(503);
    expect((await bodyOf(answer, structuredErrorSchema)).error.code).toBe("vault_unavailable");
  });
});
