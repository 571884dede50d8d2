import { beforeEach, describe, expect, test } from "vitest";
import { limits } from "../../contract/limits.ts";
import { byoEngines, voiceCatalogueSchema } from "../../contract/voices.ts";
import { callWith } from "../testing/altered.ts";
import { bindings, bodyOf, captureLog, moveClock, signIn, type Browser } from "../testing/portal.ts";
import { groupOf, listings, read } from "./testing/catalogue.ts";
import { goodKeys, serveProviders, type FakeProviders } from "./testing/providers.ts";
import { failing, putKey } from "./testing/vault.ts";

let ann: Browser;
let providers: FakeProviders;
beforeEach(async () => {
  providers = serveProviders();
  ann = await signIn("ann@example.com");
});

// Moving the clock, be it by nothing, stops it as well: a second that passes by itself would count too.
describe("the cache", () => {
  test("answers for five minutes, until it is told to refresh", async () => {
    moveClock(0);
    for (const provider of byoEngines) await putKey(ann, provider);
    const first = await read(ann);
    expect(await read(ann)).toEqual(first);
    for (const provider of byoEngines) expect(listings(providers, provider)).toHaveLength(1);
    await read(ann, "?refresh=1");
    for (const provider of byoEngines) expect(listings(providers, provider)).toHaveLength(2);
    moveClock(limits.voiceCatalogueSeconds - 1);
    await read(ann);
    for (const provider of byoEngines) expect(listings(providers, provider)).toHaveLength(2);
    moveClock(1);
    await read(ann);
    for (const provider of byoEngines) expect(listings(providers, provider)).toHaveLength(3);
  });

  test("answers for thirty seconds after a failure", async () => {
    moveClock(0);
    await putKey(ann, "cartesia");
    captureLog();
    providers.trouble.cartesia = () => new Response(null, { status: 500 });
    await read(ann);
    providers.trouble = {};
    moveClock(limits.voiceCatalogueFailedSeconds - 1);
    expect(groupOf(await read(ann), "cartesia").state).toBe("unreachable");
    moveClock(1);
    expect(groupOf(await read(ann), "cartesia").state).toBe("ready");
  });

  test("is each account's own, and a new key's", async () => {
    await putKey(ann, "cartesia");
    await read(ann);
    const bea = await signIn("bea@example.com");
    await putKey(bea, "cartesia");
    await read(bea);
    expect(listings(providers, "cartesia")).toHaveLength(2);
    await putKey(ann, "cartesia");
    await read(ann);
    expect(listings(providers, "cartesia")).toHaveLength(3);
  });

  test("holds no key and no address, neither in its names nor in its values", async () => {
    for (const provider of byoEngines) await putKey(ann, provider);
    await read(ann);
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
      await read(ann);
      for (const { name } of (await bindings.KV.list()).keys) await bindings.KV.put(name, text);
      expect(groupOf(await read(ann), "cartesia").state).toBe("ready");
      expect(listings(providers, "cartesia")).toHaveLength(2);
    },
  );

  test("that fails is ignored", async () => {
    await putKey(ann, "cartesia");
    const answer = await callWith({ KV: failing<KVNamespace>() }, "/auth/voices", { headers: ann });
    expect(groupOf(await bodyOf(answer, voiceCatalogueSchema), "cartesia").state).toBe("ready");
  });
});
