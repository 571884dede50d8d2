import { beforeEach, describe, expect, test } from "vitest";
import { voiceAccountSchema } from "../../contract/internal/voices.ts";
import { cleanUp } from "../cleanup.ts";
import { envOf } from "../platform/env.ts";
import { callWith } from "../testing/altered.ts";
import { asBox, bindings, bodyOf, db, signIn, type Browser } from "../testing/portal.ts";
import { goodKeys, serveProviders } from "./testing/providers.ts";
import { askAsBox, putKey, read } from "./testing/vault.ts";

let ann: Browser;
beforeEach(async () => {
  serveProviders();
  ann = await signIn("ann@example.com");
});

describe("the vault's keys", () => {
  const rotated = { VAULT_KEY: "cd".repeat(32), VAULT_KEY_PREVIOUS: "ab".repeat(32) };
  const retired = { VAULT_KEY: "cd".repeat(32) };
  const askOf = async (changes: object, account = "ann@example.com") =>
    bodyOf(
      await callWith(changes, "/internal/voices/account", {
        method: "POST",
        headers: asBox("box-a"),
        body: { account },
      }),
      voiceAccountSchema,
    );

  test("after a rotation, what is opened is sealed anew, and the old one can go", async () => {
    await putKey(ann, "cartesia");
    const keys = [{ provider: "cartesia", key: goodKeys.cartesia }];
    expect(await askOf(retired)).toMatchObject({ keys: [], unreadable: ["cartesia"] });
    expect((await askOf(rotated)).keys).toEqual(keys);
    expect((await askOf(retired)).keys).toEqual(keys);
  });

  test("the clean-up seals the rest anew, whoever they belong to", async () => {
    await putKey(ann, "cartesia");
    await putKey(await signIn("bea@example.com"), "elevenlabs");
    // One that cannot be opened holds up nobody.
    await db
      .prepare(
        "INSERT INTO voice_keys SELECT 'cy@example.com', provider, substr(sealed, 1, 60), last4, created_at, updated_at, validated, validated_at FROM voice_keys LIMIT 1",
      )
      .run();
    await cleanUp(envOf({ ...bindings, ...rotated }));
    expect((await askOf(retired)).keys).toHaveLength(1);
    expect((await askOf(retired, "bea@example.com")).keys).toEqual([
      { provider: "elevenlabs", key: goodKeys.elevenlabs },
    ]);
    expect((await askOf(retired, "cy@example.com")).unreadable).toHaveLength(1);
  });

  test("a sealed key in another's row or another provider's does not open", async () => {
    await putKey(ann, "cartesia");
    await db.prepare("UPDATE voice_keys SET account = 'bea@example.com'").run();
    expect(await askAsBox("bea@example.com")).toMatchObject({ keys: [], unreadable: ["cartesia"] });
    await db.prepare("UPDATE voice_keys SET account = 'ann@example.com', provider = 'elevenlabs'").run();
    expect(await askAsBox()).toMatchObject({ keys: [], unreadable: ["elevenlabs"] });
    await db.prepare("UPDATE voice_keys SET provider = 'cartesia'").run();
    expect((await askAsBox()).keys).toHaveLength(1);
  });

  test("saving a key over an unreadable one heals it", async () => {
    await putKey(ann, "cartesia");
    await db.prepare("UPDATE voice_keys SET sealed = 'v1.broken'").run();
    expect((await askAsBox()).unreadable).toEqual(["cartesia"]);
    expect((await read(ann)).keys).toHaveLength(1);
    await putKey(ann, "cartesia");
    expect((await askAsBox()).keys).toHaveLength(1);
  });
});
