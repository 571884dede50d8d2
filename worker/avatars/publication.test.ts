import * as fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { libraryAvatarAnswerSchema } from "../../contract/library.ts";
import { envOf } from "../platform/env.ts";
import {
  agree,
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
import { bindings, bodyOf, call, db, moveClock, signIn, type Browser } from "../testing/portal.ts";
import { publishAvatar } from "./publication.ts";

let owner: Browser;
let other: Browser;
beforeEach(async () => {
  [owner, other] = [await signIn(ann), await signIn(bea)];
});

const outcomeOf = async (response: Response) =>
  response.ok
    ? (await bodyOf(response, libraryAvatarAnswerSchema)).avatar.visibility
    : [response.status, (await bodyOf(response, structuredErrorSchema)).error.code];

test("a published avatar is everybody's to see, its owner's to recognise, and nobody's address is in it", async () => {
  await report();
  await agree();
  expect(await outcomeOf(await setVisibility(owner, "public"))).toBe("public");
  await report({ account: bea, avatar_id: "bert" });
  await agree({ account: bea, avatarId: "bert" });
  moveClock(1);
  await setVisibility(other, "public", "bert");
  expect((await publicListOf(owner)).map(({ avatar_id, mine }) => [avatar_id, mine])).toEqual([
    ["bert", false],
    ["mary-ann", true],
  ]);
  expect((await publicListOf(other)).map(({ avatar_id, mine }) => [avatar_id, mine])).toEqual([
    ["bert", true],
    ["mary-ann", false],
  ]);
  expect(await (await call("/auth/avatars/public", { headers: other })).text()).not.toContain("@");
});

test("another face under a published id is private until its owner publishes it", async () => {
  const face = (letter: string) => ({ source: { filename: "face.png", sha256: letter.repeat(64) } });
  await report(face("a"));
  await agree();
  await setVisibility(owner, "public");
  await report({ ...face("a"), state: "preparing" });
  expect(await publicListOf(other)).toHaveLength(1);
  await report({ ...face("b"), state: "preparing" });
  expect(await publicListOf(other)).toEqual([]);
  expect((await libraryOf(owner))[0]?.visibility).toBe("private");
});

describe("an agreement to publish one face", () => {
  const face = (letter: string) => ({ source: { filename: "face.png", sha256: letter.repeat(64) } });
  const refused = [409, "publication_consent_required"];

  test("publishes no other one under its id, and the first one again", async () => {
    await report(face("a"));
    await agree();
    expect(await outcomeOf(await setVisibility(owner, "public"))).toBe("public");
    moveClock(1);
    await report(face("b"));
    expect(await outcomeOf(await setVisibility(owner, "public"))).toEqual(refused);
    expect(await publicListOf(other)).toEqual([]);
    moveClock(1);
    await report(face("a"));
    expect(await outcomeOf(await setVisibility(owner, "public"))).toBe("public");
  });

  test("publishes no upload of which no digest is known, nor that once it is", async () => {
    await report(face("a"));
    await agree();
    await setVisibility(owner, "public");
    moveClock(1);
    await report({ state: "preparing" });
    expect(await publicListOf(other)).toEqual([]);
    expect(await outcomeOf(await setVisibility(owner, "public"))).toEqual(refused);
    await agree();
    expect(await outcomeOf(await setVisibility(owner, "public"))).toBe("public");
    await report(face("b"));
    expect(await publicListOf(other)).toEqual([]);
    expect(await outcomeOf(await setVisibility(owner, "public"))).toEqual(refused);
  });

  test("publishes none that comes in while it is being published", async () => {
    await report(face("a"));
    await agree();
    moveClock(1);
    const slow = new Proxy(db, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (name !== "batch") return typeof value === "function" ? value.bind(target) : value;
        return async (statements: D1PreparedStatement[]) => {
          await report(face("b"));
          return db.batch(statements);
        };
      },
    });
    expect(await publishAvatar({ ...envOf(bindings), db: slow }, ann, "mary-ann")).toMatchObject({
      failure: { code: "publication_consent_required" },
    });
    expect(await publicListOf(other)).toEqual([]);
  });
});

test("membership in the shared partition decides, not the mark on the record", async () => {
  await report();
  await db.prepare("UPDATE avatars SET visibility = 'public'").run();
  expect(await publicListOf(other)).toEqual([]);
});

test.each([
  [{}],
  [{ visibility: "shared" }],
  [{ visibility: null }],
  [{ visibility: "public", force: true }],
])("the body %j is refused", async (body) => {
  await report();
  const path = "/auth/avatars/mary-ann/visibility";
  const answer = await call(path, { method: "PUT", headers: owner, body });
  expect(await outcomeOf(answer)).toEqual([400, "invalid_visibility"]);
});

test("somebody else's avatar is no avatar, whichever way it is moved", async () => {
  await report();
  await agree();
  await agree({ account: bea });
  for (const visibility of ["public", "private"]) {
    const theirs = await setVisibility(other, visibility);
    const none = await setVisibility(other, visibility, "nobody");
    expect([theirs.status, none.status]).toEqual([404, 404]);
    expect(await theirs.text()).toBe(await none.text());
  }
  expect(await publicListOf(other)).toEqual([]);
});

test("publishing needs an agreement of this account for this avatar that was not withdrawn", async () => {
  await report();
  expect(await outcomeOf(await setVisibility(owner, "public"))).toEqual([
    409,
    "publication_consent_required",
  ]);
  await agree({ account: bea });
  await agree({ avatarId: "another" });
  await agree();
  await ledger.prepare("UPDATE publication_consents SET withdrawn_at = 1 WHERE avatar_id = 'mary-ann'").run();
  expect(await outcomeOf(await setVisibility(owner, "public"))).toEqual([
    409,
    "publication_consent_required",
  ]);
  expect(await libraryOf(owner)).toMatchObject([{ visibility: "private" }]);
  expect(await publicListOf(other)).toEqual([]);
});

test("without a ledger nothing is published, and withdrawing works all the same", async () => {
  await report();
  await agree();
  await setVisibility(owner, "public");
  const giveBack = await loseLedger();
  expect(await outcomeOf(await setVisibility(owner, "private"))).toBe("private");
  expect(await publicListOf(other)).toEqual([]);
  expect(await outcomeOf(await setVisibility(owner, "public"))).toEqual([
    503,
    "publication_consent_unavailable",
  ]);
  expect(await libraryOf(owner)).toMatchObject([{ visibility: "private" }]);
  await giveBack();
  expect(await outcomeOf(await setVisibility(owner, "public"))).toBe("public");
  const unconfigured = { ...envOf(bindings), ledger: null };
  expect(await publishAvatar(unconfigured, ann, "mary-ann")).toMatchObject({
    failure: { code: "publication_consent_unavailable" },
  });
});

test("an agreement that is withdrawn while the avatar is being published takes it back", async () => {
  await report();
  await agree();
  const env = envOf(bindings);
  const batch = vi.fn(async (statements: D1PreparedStatement[]) => {
    const results = await db.batch(statements);
    await ledger.prepare("UPDATE publication_consents SET withdrawn_at = 1").run();
    return results;
  });
  const slow = new Proxy(db, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      return name === "batch" ? batch : typeof value === "function" ? value.bind(target) : value;
    },
  });
  expect(await publishAvatar({ ...env, db: slow }, ann, "mary-ann")).toMatchObject({
    failure: { code: "publication_consent_required" },
  });
  expect(batch).toHaveBeenCalled();
  expect(await publicListOf(other)).toEqual([]);
  expect(await libraryOf(owner)).toMatchObject([{ visibility: "private" }]);
});

test("an agreement for an erased avatar publishes no other one of its id", async () => {
  await report();
  await agree();
  const giveBack = await loseLedger();
  expect((await erase(owner)).status).toBe(202);
  moveClock(1);
  await report();
  expect(await outcomeOf(await setVisibility(owner, "public"))).toEqual([
    503,
    "publication_consent_unavailable",
  ]);
  await giveBack();
  expect(await outcomeOf(await setVisibility(owner, "public"))).toEqual([
    409,
    "publication_consent_required",
  ]);
});

type Step = "publish" | "withdraw" | "revoke" | "agree" | "erase" | "make" | "lose" | "give back";

test("no sequence of moves leaves a private avatar in the shared list", async () => {
  const step = fc.constantFrom<Step>(
    "publish",
    "publish",
    "withdraw",
    "revoke",
    "agree",
    "agree",
    "erase",
    "make",
    "lose",
    "give back",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 8 }),
      async (rounds) => {
        let giveBack: (() => Promise<void>) | null = null;
        const take: Record<Step, () => Promise<unknown>> = {
          publish: () => setVisibility(owner, "public"),
          withdraw: () => setVisibility(owner, "private"),
          revoke: () => call("/auth/publication-consents/mary-ann", { method: "DELETE", headers: owner }),
          agree: () => (giveBack ? Promise.resolve() : agree()),
          erase: () => erase(owner),
          make: () => report(),
          lose: async () => {
            giveBack ??= await loseLedger();
          },
          "give back": async () => {
            await giveBack?.();
            giveBack = null;
          },
        };
        for (const move of ["make", "agree", "publish"] as const) await take[move]();
        const ledgerMoves = new Set<Step>(["lose", "give back", "agree"]);
        for (const round of rounds) {
          // What moves the ledger stands alone; everything else may happen at once.
          for (const move of round.filter((name) => ledgerMoves.has(name))) await take[move]();
          await Promise.all(round.filter((name) => !ledgerMoves.has(name)).map((name) => take[name]()));
          moveClock(1);
          const marked = (await libraryOf(owner)).filter(({ visibility }) => visibility === "public");
          const listed = await publicListOf(other);
          expect(listed.map(({ avatar_id }) => avatar_id)).toEqual(marked.map(({ avatar_id }) => avatar_id));
        }
        await take["give back"]();
        await setVisibility(owner, "private");
        expect(await publicListOf(other)).toEqual([]);
        await erase(owner);
      },
    ),
    { numRuns: 20 },
  );
}, 120_000);
