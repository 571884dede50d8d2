import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import {
  publicationConsentSchema,
  publicationTermsSchema,
  type PublicationConsent,
} from "../../contract/consents.ts";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { cleanUp } from "../cleanup.ts";
import { envOf } from "../platform/env.ts";
import { callWith } from "../testing/altered.ts";
import {
  ann,
  bea,
  erase,
  ledger,
  libraryOf,
  loseLedger,
  publicListOf,
  report,
  setVisibility,
} from "../testing/avatars.ts";
import {
  bindings,
  bodyOf,
  call,
  captureLog,
  db,
  moveClock,
  post,
  signIn,
  type Browser,
} from "../testing/portal.ts";
import { agreeToPublish, withdrawPublication } from "./publication.ts";

const env = envOf(bindings);
const avatarId = "mary-ann";
const key = { account: ann, avatarId };

let owner: Browser;
let other: Browser;
let version: string;
beforeEach(async () => {
  [owner, other] = [await signIn(ann), await signIn(bea)];
  const answer = await call("/auth/avatars/publication-terms", { headers: owner });
  version = (await bodyOf(answer, publicationTermsSchema)).terms.version;
  await report();
});

const agree = (headers: Browser = owner, avatar = avatarId, terms = version) =>
  post("/auth/publication-consents", { avatar_id: avatar, terms_version: terms }, headers);
const withdraw = (headers: Browser = owner, avatar = avatarId) =>
  call(`/auth/publication-consents/${avatar}`, { method: "DELETE", headers });
const consentOf = async (response: Response): Promise<PublicationConsent> =>
  (await bodyOf(response, publicationConsentSchema)).publication_consent;
const refusalOf = async (response: Response) => [
  response.status,
  (await bodyOf(response, structuredErrorSchema)).error.code,
];
const unavailable = [503, "publication_consent_unavailable"];
const visibility = async () => (await libraryOf(owner)).map((avatar) => avatar.visibility);
const isAgreed = async () => {
  const standing =
    "SELECT count(*) AS n FROM publication_consents WHERE avatar_id = ? AND withdrawn_at IS NULL";
  return (await ledger.prepare(standing).bind(avatarId).first("n")) !== 0;
};

/** A database on which something else happens just before its first statement that begins with a verb. */
function interrupted(target: D1Database, verb: string, action: () => Promise<unknown>): D1Database {
  let waiting = true;
  const around = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get: (inner, name) => {
        if (name === "bind") return (...values: unknown[]) => around(inner.bind(...values));
        const value: unknown = Reflect.get(inner, name);
        if (typeof value !== "function") return value;
        return async (...values: unknown[]) => {
          if (waiting) {
            waiting = false;
            await action();
          }
          return value.apply(inner, values) as unknown;
        };
      },
    });
  return new Proxy(target, {
    get: (inner, name) => {
      const value: unknown = Reflect.get(inner, name);
      if (name !== "prepare") return typeof value === "function" ? value.bind(inner) : value;
      return (query: string) => {
        const statement = inner.prepare(query);
        return query.trim().toLowerCase().startsWith(verb) ? around(statement) : statement;
      };
    },
  });
}

describe("an agreement to publish", () => {
  test("names the avatar and the wording, and each call records a new one", async () => {
    const answer = await agree();
    expect(answer.status).toBe(201);
    const first = await consentOf(answer);
    const terms = await bodyOf(
      await call("/auth/avatars/publication-terms", { headers: owner }),
      publicationTermsSchema,
    );
    expect(first).toMatchObject({
      avatar_id: avatarId,
      terms_version: version,
      terms_sha256: terms.terms.sha256,
      withdrawn_at: null,
    });
    expect((await consentOf(await agree())).attestation_id).not.toBe(first.attestation_id);
    expect(JSON.stringify(first)).not.toContain("@");
    expect((await setVisibility(owner, "public")).status).toBe(200);
  });

  test("alone publishes nothing", async () => {
    await agree();
    expect(await visibility()).toEqual(["private"]);
    expect(await publicListOf(other)).toEqual([]);
  });

  test("under another wording is outdated, whoever's the avatar is", async () => {
    for (const avatar of [avatarId, "nobody"]) {
      expect(await refusalOf(await agree(owner, avatar, "2020-01-01"))).toEqual([409, "terms_outdated"]);
    }
    expect(await isAgreed()).toBe(false);
  });

  test("for somebody else's avatar is for none", async () => {
    const [theirs, none] = [await agree(other), await agree(other, "nobody")];
    expect([theirs.status, none.status]).toEqual([404, 404]);
    const text = await theirs.text();
    expect(text).toBe(await none.text());
    expect(text).toContain('"avatar_not_found"');
    const row = await ledger.prepare("SELECT count(*) AS n FROM publication_consents").first<{ n: number }>();
    expect(row?.n).toBe(0);
  });

  test.each([[{}], [{ avatar_id: avatarId }], [{ avatar_id: "", terms_version: "1" }]])(
    "of the shape %j is refused",
    async (body) => {
      const answer = await post("/auth/publication-consents", body, owner);
      expect(await refusalOf(answer)).toEqual([400, "invalid_body"]);
    },
  );

  test("for an avatar that is erased meanwhile leaves nothing behind", async () => {
    const erasing = interrupted(ledger, "insert", () => erase(owner));
    const outcome = await agreeToPublish({ ...env, ledger: erasing }, { ...key, termsVersion: version });
    expect(outcome).toMatchObject({ ok: false, failure: { code: "avatar_not_found" } });
    expect(await isAgreed()).toBe(false);
  });
});

describe("a withdrawal", () => {
  test("turns the avatar private and is noted on every agreement", async () => {
    await agree();
    moveClock(1);
    const newest = await consentOf(await agree());
    await setVisibility(owner, "public");
    const answer = await withdraw();
    expect(answer.status).toBe(200);
    const withdrawn = await consentOf(answer);
    expect(withdrawn.attestation_id).toBe(newest.attestation_id);
    expect(withdrawn.withdrawn_at).toBeGreaterThanOrEqual(newest.attested_at);
    expect(await visibility()).toEqual(["private"]);
    expect(await publicListOf(other)).toEqual([]);
    expect(await refusalOf(await setVisibility(owner, "public"))).toEqual([
      409,
      "publication_consent_required",
    ]);
    moveClock(60);
    expect(await consentOf(await withdraw())).toEqual(withdrawn);
    expect((await agree()).status).toBe(201);
    expect((await setVisibility(owner, "public")).status).toBe(200);
  });

  test("of what was never agreed, or by somebody else, finds nothing and moves nothing", async () => {
    expect(await refusalOf(await withdraw())).toEqual([404, "publication_consent_not_found"]);
    await agree();
    await setVisibility(owner, "public");
    const [theirs, none] = [await withdraw(other), await withdraw(other, "nobody")];
    expect([theirs.status, none.status]).toEqual([404, 404]);
    expect(await theirs.text()).toBe(await none.text());
    expect(await visibility()).toEqual(["public"]);
    expect(await isAgreed()).toBe(true);
  });

  test("takes effect while the ledger fails or is gone, and a repeat finishes it", async () => {
    for (const without of ["failing", "none"]) {
      await agree();
      await setVisibility(owner, "public");
      captureLog();
      if (without === "failing") {
        const giveBack = await loseLedger();
        expect(await refusalOf(await withdraw())).toEqual(unavailable);
        expect(await refusalOf(await agree())).toEqual(unavailable);
        await giveBack();
      } else {
        const changes = { LEDGER: undefined } as never;
        const path = `/auth/publication-consents/${avatarId}`;
        expect(await refusalOf(await callWith(changes, path, { method: "DELETE", headers: owner }))).toEqual(
          unavailable,
        );
        const body = { avatar_id: avatarId, terms_version: version };
        expect(
          await refusalOf(
            await callWith(changes, "/auth/publication-consents", { method: "POST", headers: owner, body }),
          ),
        ).toEqual(unavailable);
      }
      expect(await visibility()).toEqual(["private"]);
      expect(await publicListOf(other)).toEqual([]);
      expect((await consentOf(await withdraw())).withdrawn_at).not.toBeNull();
      expect(await isAgreed()).toBe(false);
    }
  });

  test("outlasts a publication that saw the agreement still standing", async () => {
    await agree();
    let publishedMeanwhile = 0;
    const slow = interrupted(ledger, "update", async () => {
      publishedMeanwhile = (await setVisibility(owner, "public")).status;
    });
    expect(await withdrawPublication({ ...env, ledger: slow }, key)).toMatchObject({ ok: true });
    expect(publishedMeanwhile).toBe(200);
    expect(await publicListOf(other)).toEqual([]);
    expect(await visibility()).toEqual(["private"]);
  });

  test("while the library fails leaves the agreement too, so that no avatar stays public without one", async () => {
    await agree();
    await setVisibility(owner, "public");
    captureLog();
    await db.prepare("ALTER TABLE public_avatars RENAME TO lost").run();
    expect(await refusalOf(await withdraw())).toEqual(unavailable);
    expect(await isAgreed()).toBe(true);
    await db.prepare("ALTER TABLE lost RENAME TO public_avatars").run();
    expect((await withdraw()).status).toBe(200);
    expect(await publicListOf(other)).toEqual([]);
  });
});

test("the clean-up unpublishes what no agreement stands for, and nothing while the ledger fails", async () => {
  await agree();
  await setVisibility(owner, "public");
  await report({ account: bea, avatar_id: "bert" });
  await agree(other, "bert");
  await setVisibility(other, "public", "bert");
  await ledger
    .prepare("UPDATE publication_consents SET withdrawn_at = 1 WHERE avatar_id = ?")
    .bind(avatarId)
    .run();
  captureLog();
  const giveBack = await loseLedger();
  await expect(cleanUp(env)).rejects.toThrow("publications");
  expect(await publicListOf(other)).toHaveLength(2);
  await giveBack();
  await cleanUp(env);
  expect((await publicListOf(other)).map(({ avatar_id }) => avatar_id)).toEqual(["bert"]);
  expect(await visibility()).toEqual(["private"]);
});

test("the clean-up unpublishes a face that nobody agreed to publish", async () => {
  const face = (letter: string) => ({ source: { filename: "face.png", sha256: letter.repeat(64) } });
  await report(face("a"));
  expect((await agree()).status).toBe(201);
  await setVisibility(owner, "public");
  await cleanUp(env);
  expect(await visibility()).toEqual(["public"]);
  await db.prepare("UPDATE avatars SET source_sha256 = ?").bind("b".repeat(64)).run();
  await cleanUp(env);
  expect(await visibility()).toEqual(["private"]);
  expect(await publicListOf(other)).toEqual([]);
});

test("the clean-up unlists what the library holds no record of", async () => {
  await agree();
  await setVisibility(owner, "public");
  await db.prepare("DELETE FROM avatars").run();
  await cleanUp(env);
  expect(await db.prepare("SELECT count(*) AS n FROM public_avatars").first("n")).toBe(0);
});

type Step = "agree" | "withdraw" | "publish" | "unpublish" | "lose" | "give back";

test("whatever is done in whatever order, an avatar is public only while an agreement stands", async () => {
  const step = fc.constantFrom<Step>(
    "agree",
    "withdraw",
    "publish",
    "publish",
    "unpublish",
    "lose",
    "give back",
  );
  let published = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
      async (rounds) => {
        let giveBack: (() => Promise<void>) | null = null;
        const take: Record<Exclude<Step, "lose" | "give back">, () => Promise<Response>> = {
          agree: () => agree(),
          withdraw: () => withdraw(),
          publish: () => setVisibility(owner, "public"),
          unpublish: () => setVisibility(owner, "private"),
        };
        const restore = async () => {
          await giveBack?.();
          giveBack = null;
        };
        for (const round of rounds) {
          const moves = round.filter((name) => name !== "lose" && name !== "give back");
          if (round.includes("give back")) await restore();
          else if (round.includes("lose")) giveBack ??= await loseLedger();
          // Everything within a round happens at once.
          const answers = await Promise.all(moves.map((name) => take[name]()));
          for (const answer of answers) expect([200, 201, 404, 409, 503]).toContain(answer.status);
          const isPublic = (await publicListOf(other)).length > 0;
          expect(await visibility()).toEqual([isPublic ? "public" : "private"]);
          if (isPublic) {
            published += 1;
            const table = giveBack ? "lost_publication_consents" : "publication_consents";
            const standing = await ledger
              .prepare(`SELECT count(*) AS n FROM ${table} WHERE withdrawn_at IS NULL`)
              .first<{ n: number }>();
            expect(standing?.n).toBeGreaterThan(0);
          }
          if (moves.includes("withdraw") && !moves.includes("publish")) expect(isPublic).toBe(false);
        }
        await restore();
        expect((await withdrawPublication(env, key)).ok || !(await isAgreed())).toBe(true);
        expect(await publicListOf(other)).toEqual([]);
      },
    ),
    { numRuns: 25 },
  );
  expect(published).toBeGreaterThan(0);
}, 120_000);
