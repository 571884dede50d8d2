import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { VaultKeys } from "../platform/env.ts";
import { open, seal, sealPrefix, type KeyOwner } from "./sealing.ts";

const newKey = () => crypto.getRandomValues(new Uint8Array(32));
const keys: VaultKeys = { current: newKey(), previous: null };
const owner: KeyOwner = { account: "ann@example.com", provider: "cartesia" };

test("what is sealed opens, whatever it is, and no two seals are alike", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "grapheme", maxLength: 500 }),
      fc.emailAddress(),
      fc.constantFrom("cartesia" as const, "elevenlabs" as const),
      async (plain, account, provider) => {
        const sealed = await seal(keys, { account, provider }, plain);
        expect(await open(keys, { account, provider }, sealed)).toEqual({ plain, stale: false });
        expect(await seal(keys, { account, provider }, plain)).not.toBe(sealed);
        if (plain.length > 3) expect(sealed).not.toContain(plain);
      },
    ),
    { numRuns: 100 },
  );
});

test("changing any one character of a sealed key keeps it shut", async () => {
  const sealed = await seal(keys, owner, "sk_0123456789");
  const anyCharacter = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
  await fc.assert(
    fc.asyncProperty(fc.nat(sealed.length - 1), anyCharacter, async (at, character) => {
      fc.pre(sealed[at] !== character);
      expect(await open(keys, owner, sealed.slice(0, at) + character + sealed.slice(at + 1))).toBeNull();
    }),
    { numRuns: 400 },
  );
  for (let at = 0; at < sealed.length; at++) {
    const other = sealed[at] === "0" ? "1" : "0";
    expect(await open(keys, owner, sealed.slice(0, at) + other + sealed.slice(at + 1))).toBeNull();
    expect(await open(keys, owner, sealed.slice(0, at) + sealed.slice(at + 1))).toBeNull();
  }
  for (const text of ["", "v1", "v1...", `${sealed}00`, `${sealed}.`, sealed.toUpperCase()]) {
    expect(await open(keys, owner, text)).toBeNull();
  }
});

test("a sealed key opens for its own account and provider only", async () => {
  const sealed = await seal(keys, owner, "sk_0123456789");
  expect(await open(keys, { ...owner, account: "bea@example.com" }, sealed)).toBeNull();
  expect(await open(keys, { ...owner, provider: "elevenlabs" }, sealed)).toBeNull();
});

test("a rotated vault opens what the previous key sealed, and says so", async () => {
  const sealed = await seal(keys, owner, "sk_0123456789");
  const rotated: VaultKeys = { current: newKey(), previous: keys.current };
  expect(await open(rotated, owner, sealed)).toEqual({ plain: "sk_0123456789", stale: true });
  expect(await open({ current: rotated.current, previous: null }, owner, sealed)).toBeNull();
  expect(await open({ current: newKey(), previous: newKey() }, owner, sealed)).toBeNull();
});

test("what a key sealed begins with the prefix of that key", async () => {
  expect((await seal(keys, owner, "x")).startsWith(await sealPrefix(keys.current))).toBe(true);
  expect(await sealPrefix(newKey())).not.toBe(await sealPrefix(keys.current));
});

test("nonces have 96 bits and never repeat", async () => {
  const nonces = new Set<string>();
  for (let i = 0; i < 500; i++) nonces.add((await seal(keys, owner, "x")).split(".")[2] ?? "");
  expect(nonces.size).toBe(500);
  for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{24}$/);
});
