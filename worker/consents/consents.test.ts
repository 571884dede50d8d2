import { beforeEach, describe, expect, test } from "vitest";
import {
  consentCreatedSchema,
  consentListSchema,
  publicationTermsSchema,
  recordingTermsSchema,
} from "../../contract/consents.ts";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { consentCheckAnswerSchema } from "../../contract/internal/avatars.ts";
import { sha256Hex } from "../platform/digest.ts";
import { callWith } from "../testing/altered.ts";
import { askAsBox, ledger, loseLedger } from "../testing/avatars.ts";
import {
  asBox,
  bodyOf,
  call,
  captureLog,
  makeKey,
  mintSession,
  moveClock,
  post,
  signIn,
  withKey,
  type Browser,
} from "../testing/portal.ts";
import { eraseConsents } from "./agreements.ts";

const account = "ann@example.com";
let ann: Browser;
beforeEach(async () => {
  ann = await signIn(account);
});

const digest = "ab".repeat(32);
const body = { sha256: digest, source_kind: "photo", attested: true };
const attest = (changes: object = {}, headers: Record<string, string> = ann) =>
  post("/auth/consents", { ...body, ...changes }, headers);
const consentOf = async (response: Response) => (await bodyOf(response, consentCreatedSchema)).consent;
const listOf = async (headers: Record<string, string> = ann) =>
  (await bodyOf(await call("/auth/consents", { headers }), consentListSchema)).consents;
const refusalOf = async (response: Response) => [
  response.status,
  (await bodyOf(response, structuredErrorSchema)).error.code,
];

describe("an upload consent", () => {
  test("names the digest, the kind and the time, and nobody", async () => {
    const answer = await attest();
    expect(answer.status).toBe(201);
    const consent = await consentOf(answer);
    expect(consent).toMatchObject({ sha256: digest, source_kind: "photo" });
    expect(consent.consent_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(Math.abs(consent.attested_at - Date.now() / 1000)).toBeLessThan(10);
    expect(JSON.stringify(consent)).not.toContain("ann");
  });

  test("is listed for its account alone, newest first, each call's own", async () => {
    const first = await consentOf(await attest());
    moveClock(5);
    const second = await consentOf(await attest({ source_kind: "video" }));
    expect(second.consent_id).not.toBe(first.consent_id);
    expect(await listOf()).toEqual([second, first]);
    expect(await listOf(await signIn("bea@example.com"))).toEqual([]);
  });

  test("may be given under a full key and a session credential as well", async () => {
    const { secret } = await makeKey(ann);
    for (const one of [secret, await mintSession(ann)]) {
      expect((await attest({}, withKey(one))).status).toBe(201);
      expect(await listOf(withKey(one))).toEqual(await listOf());
    }
  });

  test.each([
    ["a digest in capitals", { sha256: "AB".repeat(32) }],
    ["a digest that is too short", { sha256: "ab" }],
    ["another kind", { source_kind: "unknown" }],
    ["a no", { attested: false }],
    ["no word of agreement", { attested: undefined }],
    ["an owner", { account: "bea@example.com" }],
  ])("with %s is refused", async (_label, changes) => {
    expect(await refusalOf(await attest(changes))).toEqual([400, "invalid_body"]);
    expect(await listOf()).toEqual([]);
  });
});

const check = (changes: object) => askAsBox("consents/check", { account, sha256: digest, ...changes });
const isAgreed = async (changes: object) =>
  (await bodyOf(await check(changes), consentCheckAnswerSchema)).agreed;

test("a box hears that a token stands for exactly this account and these bytes", async () => {
  const { consent_id: token } = await consentOf(await attest());
  expect(await isAgreed({ consent_token: token })).toBe(true);
  expect(await isAgreed({ consent_token: token, account: "bea@example.com" })).toBe(false);
  expect(await isAgreed({ consent_token: token, sha256: "cd".repeat(32) })).toBe(false);
  expect(await isAgreed({ consent_token: "nobody" })).toBe(false);
  const erasure = { account, avatarId: "mary-ann", consentId: token, until: 0 };
  expect(await eraseConsents(ledger, { ...erasure, account: "bea@example.com" })).toBe(true);
  expect(await isAgreed({ consent_token: token })).toBe(true);
  expect(await eraseConsents(ledger, erasure)).toBe(true);
  expect(await isAgreed({ consent_token: token })).toBe(false);
});

describe("consents_unavailable", () => {
  const asked = () =>
    [
      ["/auth/consents", { method: "POST", headers: ann, body }],
      ["/auth/consents", { headers: ann }],
      [
        "/internal/consents/check",
        {
          method: "POST",
          headers: asBox("box-a"),
          body: { account, sha256: digest, consent_token: "nobody" },
        },
      ],
    ] as const;

  test("is the answer while the ledger fails, and what it held is there afterwards", async () => {
    const consent = await consentOf(await attest());
    const lines = captureLog();
    const giveBack = await loseLedger();
    for (const [path, how] of asked()) {
      expect(await refusalOf(await call(path, how))).toEqual([503, "consents_unavailable"]);
    }
    expect(await eraseConsents(ledger, { account, avatarId: "a", consentId: null, until: 0 })).toBe(false);
    await giveBack();
    expect(await listOf()).toEqual([consent]);
    expect(lines.join("\n")).not.toContain(digest);
  });

  test("is the answer where there is no ledger", async () => {
    for (const [path, how] of asked()) {
      expect(await refusalOf(await callWith({ LEDGER: undefined } as never, path, how))).toEqual([
        503,
        "consents_unavailable",
      ]);
    }
    expect(await eraseConsents(null, { account, avatarId: "a", consentId: null, until: 0 })).toBe(false);
  });
});

describe("terms", () => {
  test("of publication are shown to whoever is signed in, with the digest of their very words", async () => {
    const answer = await call("/auth/avatars/publication-terms", { headers: ann });
    const { terms } = await bodyOf(answer, publicationTermsSchema);
    expect(terms.sha256).toBe(await sha256Hex(terms.text));
    expect(terms.version).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect((await call("/auth/avatars/publication-terms")).status).toBe(401);
  });

  test("of recordings are shown to anybody, with the digest of their very words", async () => {
    const terms = await bodyOf(await call("/auth/recordings/terms"), recordingTermsSchema);
    expect(terms.digest).toBe(await sha256Hex(terms.text));
    expect(terms.version).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  test("keep the wording that their version stands for", async () => {
    const asked = await call("/auth/avatars/publication-terms", { headers: ann });
    const { terms } = await bodyOf(asked, publicationTermsSchema);
    const recording = await bodyOf(await call("/auth/recordings/terms"), recordingTermsSchema);
    expect([terms.version, terms.sha256]).toEqual([
      "2026-11-20",
      "dfb6ebedfec0d6ff20eb6683a5cf2d226dc10d56e9fbdcf7d75bf64170e65759",
    ]);
    expect([recording.version, recording.digest]).toEqual([
      "2026-11-20",
      "9c46f117ba003aca47181027248aaca7fce4502a770ffe270a6ebb407bc4bf5d",
    ]);
  });
});
