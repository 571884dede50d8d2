// A key leaves the portal towards its provider and, on request, towards a box; nowhere else, whatever goes wrong.

import { expect, test } from "vitest";
import { byoEngines } from "../../contract/voices.ts";
import { cleanUp } from "../cleanup.ts";
import { envOf } from "../platform/env.ts";
import { asBox, bindings, call, captureLog, db, post, signIn } from "../testing/portal.ts";
import { ginny, goodKeys, rachel, serveProviders, troubles, type Trouble } from "./testing/providers.ts";
import { put, putKey } from "./testing/vault.ts";

const keys = Object.values(goodKeys);

/** Providers at their worst: they repeat the key they were sent. */
const parrot =
  (status: number): Trouble =>
  ({ headers }) =>
    Response.json(
      { detail: { status: keys.join(), message: [...headers].join() }, error_code: keys.join() },
      { status, headers: { "X-Echo": keys.join(), Location: `https://x.test/?key=${keys.join()}` } },
    );
const throwing: Trouble = ({ headers }) => Promise.reject(new Error(`could not send ${[...headers].join()}`));

test("no key is in any answer, log line or address, whatever goes wrong", async () => {
  const providers = serveProviders();
  const lines = captureLog();
  const ann = await signIn("ann@example.com");
  const answers: string[] = [];
  const note = async (answer: Response | Promise<Response>) => {
    const response = await answer;
    answers.push(`${response.status} ${[...response.headers].join()} ${await response.text()}`);
  };
  const visit = async () => {
    for (const provider of byoEngines) {
      await note(putKey(ann, provider));
      await note(put("/auth/voice/engine", { engine: provider }, ann));
      const voice = provider === "cartesia" ? ginny : rachel;
      await note(call(`/auth/voices/preview?provider=${provider}&voice=${voice}`, { headers: ann }));
      await note(post("/auth/voices/preview", { provider, voice, text: "Hello" }, ann));
      await note(put("/auth/voice/key", { provider, key: `${goodKeys[provider]} ` }, ann));
      await note(put("/auth/voice/key", { provider, key: `${goodKeys[provider]}\u0007` }, ann));
      await note(put("/auth/voice/key", { provider, key: goodKeys[provider].repeat(30) }, ann));
      await note(put("/auth/voice/key", `{"provider":"${provider}","key":"${goodKeys[provider]}"`, ann));
    }
    await note(call("/auth/voices?refresh=1", { headers: ann }));
    await note(call("/auth/voice/settings", { headers: ann }));
    await note(call("/auth/settings", { headers: ann }));
  };

  await visit();
  const statuses = [301, 400, 401, 403, 404, 429, 500];
  for (const trouble of [...statuses.map(parrot), throwing, ...troubles.map(([, one]) => one)]) {
    for (const provider of byoEngines) providers.trouble[provider] = trouble;
    await visit();
  }
  providers.trouble = {};
  await cleanUp(envOf({ ...bindings, VAULT_KEY: "cd".repeat(32), VAULT_KEY_PREVIOUS: "ab".repeat(32) }));
  await db.exec(
    "CREATE TRIGGER full BEFORE UPDATE ON voice_keys BEGIN SELECT RAISE(ABORT, 'disk full'); END",
  );
  await visit();
  await db.exec("DROP TRIGGER full");
  await db.exec("ALTER TABLE voice_keys RENAME TO elsewhere");
  await visit();

  expect(answers.length).toBeGreaterThan(300);
  for (const key of keys) {
    for (const answer of answers) expect(answer).not.toContain(key);
    for (const line of lines) expect(line).not.toContain(key);
    for (const { url } of providers.seen) expect(url.href).not.toContain(key);
  }
  expect(lines.length).toBeGreaterThan(300);
  await db.exec("ALTER TABLE elsewhere RENAME TO voice_keys");
});

test("a box gets the keys of the account it names, and only of that one", async () => {
  serveProviders();
  const lines = captureLog();
  await putKey(await signIn("ann@example.com"), "cartesia");
  await putKey(await signIn("bea@example.com"), "elevenlabs");
  const answer = await post("/internal/voices/account", { account: "ann@example.com" }, asBox("box-a"));
  expect(answer.headers.get("Cache-Control")).toBe("no-store");
  expect(await answer.json()).toEqual({
    engine: "local",
    default_voice: null,
    keys: [{ provider: "cartesia", key: goodKeys.cartesia }],
    unreadable: [],
  });
  for (const line of lines) for (const key of keys) expect(line).not.toContain(key);
});
