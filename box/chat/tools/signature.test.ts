import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keptSigningSecret, signatureOf, signingSecretFile } from "./signature.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "visavis-signature-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a signature that anybody can check who has the secret", () => {
  // printf '1700000000.{"tool":"x"}' | openssl dgst -sha256 -hmac secret-of-sixteen
  expect(signatureOf({ body: '{"tool":"x"}', secret: "secret-of-sixteen", nowMs: 1_700_000_000_999 })).toBe(
    "t=1700000000,v1=629f3c31b105a9ef52b8c057841c385b4e75861b3c0397c98dfaf255bf24071a",
  );
});

test("the secret is made once, and for its owner only", async () => {
  const state = join(folder, "not", "there", "yet");
  const secret = await keptSigningSecret(state);
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(await keptSigningSecret(state)).toBe(secret);
  const path = join(state, signingSecretFile);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(state)).toEqual([signingSecretFile]);
  // A copy that others can read is closed to them again.
  await chmod(path, 0o644);
  expect(await keptSigningSecret(state)).toBe(secret);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("boxes that start at once on one folder have one secret", async () => {
  const secrets = await Promise.all(Array.from({ length: 20 }, () => keptSigningSecret(folder)));
  expect(new Set(secrets).size).toBe(1);
  expect(await readdir(folder)).toEqual([signingSecretFile]);
});

test("a file cut short is replaced", async () => {
  const path = join(folder, signingSecretFile);
  await writeFile(path, "short\n");
  const secret = await keptSigningSecret(folder);
  expect(secret).toHaveLength(43);
  expect((await readFile(path, "utf8")).trim()).toBe(secret);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
