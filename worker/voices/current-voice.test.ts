import { beforeEach, describe, expect, test } from "vitest";
import { captureLog, db, post, signIn, type Browser } from "../testing/portal.ts";
import { builtin, choose, read, report } from "./testing/catalogue.ts";
import { ginny, serveProviders, type FakeProviders } from "./testing/providers.ts";
import { putKey } from "./testing/vault.ts";

let ann: Browser;
let providers: FakeProviders;
beforeEach(async () => {
  providers = serveProviders();
  ann = await signIn("ann@example.com");
});

describe("the current voice", () => {
  const nora = builtin("en-us+f2", "Nora", { recommended: true });
  const hanna = builtin("de+f2", "Hanna", { language: "de", recommended: true });
  beforeEach(() => report(builtin("aa", "Aaron"), hanna, nora));

  test("is the recommended English one where nothing was chosen", async () => {
    expect(await read(ann)).toMatchObject({
      current: "en-us+f2",
      current_provider: "local",
      portal_default: null,
    });
  });

  test("is the settings' slot of the engine, where one is saved", async () => {
    await post("/auth/settings", { voice_id_local: "de+f2", voice_id_cartesia: "c", voice_id: "e" }, ann);
    expect(await read(ann)).toMatchObject({ current: "de+f2", portal_default: null });
    await putKey(ann, "cartesia");
    await post("/auth/settings", { tts_provider: "cartesia" }, ann);
    expect(await read(ann)).toMatchObject({ current: "c", current_provider: "cartesia" });
    await putKey(ann, "elevenlabs");
    await post("/auth/settings", { tts_provider: "elevenlabs" }, ann);
    expect(await read(ann)).toMatchObject({ current: "e", current_provider: "elevenlabs" });
  });

  test("is the default that was chosen, before the slot", async () => {
    await post("/auth/settings", { voice_id_local: "en-us+f2" }, ann);
    await choose(ann, "local", "de+f2");
    expect(await read(ann)).toMatchObject({
      current: "de+f2",
      portal_default: { provider: "local", id: "de+f2" },
    });
    await putKey(ann, "cartesia");
    await choose(ann, "cartesia", ginny);
    expect(await read(ann)).toMatchObject({
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
    await choose(ann, "local", "de+f2");
    await putKey(ann, "cartesia");
    await post("/auth/settings", { tts_provider: "cartesia" }, ann);
    expect(await read(ann)).toMatchObject({
      current: null,
      current_provider: "cartesia",
      portal_default: null,
    });
    await choose(ann, "cartesia", "gone");
    expect(await read(ann)).toMatchObject({ current: null, portal_default: null });
  });

  test("stays the default while its provider cannot be asked", async () => {
    await putKey(ann, "cartesia");
    await choose(ann, "cartesia", ginny);
    captureLog();
    providers.trouble.cartesia = () => new Response(null, { status: 500 });
    expect(await read(ann)).toMatchObject({
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
        await choose(ann, "cartesia", ginny);
        await db.prepare("UPDATE voice_keys SET sealed = 'v1.broken'").run();
      },
    ],
    [
      "the provider knows the key no more",
      async () => {
        await putKey(ann, "cartesia");
        await choose(ann, "cartesia", ginny);
        providers.trouble.cartesia = () => new Response(null, { status: 401 });
      },
    ],
  ])("is a built-in one with a notice when %s", async (_name, prepare) => {
    await prepare();
    captureLog();
    const catalogue = await read(ann);
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
