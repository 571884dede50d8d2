import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { erasureReceiptSchema, type ErasureReceipt } from "../../contract/library.ts";
import { cleanUp } from "../cleanup.ts";
import { envOf } from "../platform/env.ts";
import { recordingKey } from "../sessions/folders.ts";
import {
  agree,
  ann,
  archiveClip,
  askAsBox,
  bea,
  brokenMedia,
  clipReport,
  erase,
  ledger,
  libraryOf,
  loseLedger,
  nowSeconds,
  pendingOn,
  publicListOf,
  putFile,
  report,
  setVisibility,
  still,
  sweep,
  tellDone,
} from "../testing/avatars.ts";
import {
  bindings,
  bodyOf,
  db,
  makeKey,
  moveClock,
  signIn,
  withKey,
  type Browser,
} from "../testing/portal.ts";
import { eraseAvatar } from "./erasures.ts";

const env = envOf(bindings);
const media = bindings.MEDIA;
let owner: Browser;
let other: Browser;
beforeEach(async () => {
  [owner, other] = [await signIn(ann), await signIn(bea)];
});

async function receiptOf(response: Response): Promise<ErasureReceipt> {
  expect(response.status).toBe(202);
  return bodyOf(response, erasureReceiptSchema);
}
const pendingIn = async (response: Response) => (await receiptOf(response)).pending;
const keysIn = async () => (await media.list()).objects.map(({ key }) => key);
const countIn = async (database: D1Database, table: string) =>
  (await database.prepare(`SELECT count(*) AS n FROM ${table}`).first<{ n: number }>())?.n;

/** A recording of a session that the account had with an avatar. */
async function record(sessionId: string, { account = ann, avatarId = "mary-ann", stored = true } = {}) {
  const now = nowSeconds();
  await db.batch([
    db
      .prepare(
        "INSERT INTO sessions (id, account, box_id, kind, avatar_id, started_at, turns) " +
          "VALUES (?, ?, 'box-a', 'api', ?, ?, 0)",
      )
      .bind(sessionId, account, avatarId, now),
    db
      .prepare(
        "INSERT INTO recordings (session_id, account, content_type, size, sha256, terms_version, terms_digest, " +
          "agreed_at, granted_at, stored_at) VALUES (?, ?, 'video/mp4', 1, '', '1', '', ?, ?, ?)",
      )
      .bind(sessionId, account, now, now, stored ? now : null),
  ]);
  const key = recordingKey(sessionId);
  if (stored) await media.put(key, "x");
  return key;
}

async function makeWhole(): Promise<void> {
  await report({ consent_id: "c1" });
  await ledger
    .prepare("INSERT INTO upload_consents VALUES ('c1', ?, ?, 'photo', ?)")
    .bind(ann, "0".repeat(64), nowSeconds())
    .run();
  await agree();
  await setVisibility(owner, "public");
  await archiveClip();
  await askAsBox("avatars/clips", clipReport());
  await record("s1");
}

const allArtefacts = ["registry_record", "public_listing", "archived_media", "prepared_avatar"];

describe("an erasure", () => {
  test("takes rows, media, recordings and agreements at once, and waits for the box's volume", async () => {
    await makeWhole();
    expect(await receiptOf(await erase(owner))).toEqual({
      avatar_id: "mary-ann",
      status: "pending",
      erased: ["registry_record", "public_listing", "archived_media"],
      pending: ["prepared_avatar"],
    });
    expect(await libraryOf(owner)).toEqual([]);
    expect(await publicListOf(other)).toEqual([]);
    expect(await keysIn()).toEqual([]);
    for (const table of [
      "avatars",
      "public_avatars",
      "avatar_files",
      "clips",
      "avatar_volumes",
      "recordings",
    ]) {
      expect([table, await countIn(db, table)]).toEqual([table, 0]);
    }
    for (const table of ["publication_consents", "upload_consents"]) {
      expect([table, await countIn(ledger, table)]).toEqual([table, 0]);
    }
    // What was said stays; only the recording is the avatar's.
    expect(await countIn(db, "sessions")).toBe(1);
    expect(await pendingOn("another volume")).toEqual([]);
    await sweep("v1");
    const complete = { avatar_id: "mary-ann", status: "complete", erased: allArtefacts, pending: [] };
    expect(await receiptOf(await erase(owner))).toEqual(complete);
    expect(await receiptOf(await erase(withKey((await makeKey(owner)).secret)))).toEqual(complete);
  });

  test("leaves what is another avatar's or another account's alone", async () => {
    await report();
    await report({ avatar_id: "other", consent_id: "shared" });
    await report({ consent_id: "shared" });
    await ledger.prepare("INSERT INTO upload_consents VALUES ('shared', ?, '', 'photo', 1)").bind(ann).run();
    await report({ account: bea });
    await agree({ account: bea });
    await agree({ avatarId: "other" });
    await setVisibility(other, "public");
    const kept = [
      await archiveClip({ account: bea }),
      await archiveClip({ avatarId: "other" }),
      await record("s2", { account: bea }),
      await record("s3", { avatarId: "other" }),
    ];
    await archiveClip();
    await erase(owner);
    expect(await keysIn()).toEqual(kept.toSorted());
    expect(await countIn(ledger, "publication_consents")).toBe(2);
    expect(await countIn(ledger, "upload_consents")).toBe(1);
    expect((await publicListOf(owner)).map(({ avatar_id }) => avatar_id)).toEqual(["mary-ann"]);
    expect((await libraryOf(owner)).map(({ avatar_id }) => avatar_id)).toEqual(["other"]);
  });

  test("of somebody else's avatar is that of none", async () => {
    await makeWhole();
    const [theirs, none] = [await erase(other), await erase(other, "nobody")];
    expect([theirs.status, none.status]).toEqual([404, 404]);
    const body = await theirs.clone().json();
    expect(structuredErrorSchema.parse(body).error.code).toBe("avatar_not_found");
    expect(await theirs.text()).toBe(await none.text());
    expect(await libraryOf(owner)).toHaveLength(1);
    expect(await keysIn()).toHaveLength(2);
  });

  test.each(["tones", "public", "publication-terms"])("of an avatar called %s is refused", async (id) => {
    await report({ avatar_id: id });
    expect((await erase(owner, id)).status).toBe(404);
    expect(await libraryOf(owner)).toHaveLength(1);
  });

  test("that cannot reach the ledger keeps the record pending until a repeat or the clean-up", async () => {
    for (const repair of [() => erase(owner), () => cleanUp(env)]) {
      await report({ consent_id: "c1" });
      await agree();
      const giveBack = await loseLedger();
      expect(await pendingIn(await erase(owner))).toEqual(["registry_record", "prepared_avatar"]);
      expect(await pendingIn(await erase(owner))).toContain("registry_record");
      await giveBack();
      expect(await countIn(ledger, "publication_consents")).toBe(1);
      await repair();
      expect(await countIn(ledger, "publication_consents")).toBe(0);
      expect(await pendingIn(await erase(owner))).toEqual(["prepared_avatar"]);
      moveClock(1);
    }
  });

  test("that cannot reach storage keeps the media pending until a repeat or the clean-up", async () => {
    for (const repair of [() => erase(owner), () => cleanUp(env)]) {
      await report();
      await archiveClip();
      const outcome = await eraseAvatar({ ...env, media: brokenMedia }, ann, "mary-ann");
      expect(outcome).toMatchObject({ value: { pending: ["archived_media", "prepared_avatar"] } });
      expect(await keysIn()).toHaveLength(1);
      await repair();
      expect(await keysIn()).toEqual([]);
      expect(await pendingIn(await erase(owner))).toEqual(["prepared_avatar"]);
      moveClock(1);
    }
  });

  test("of many recordings empties them over several requests", async () => {
    await report();
    await archiveClip();
    for (let i = 0; i < 45; i++) await record(`s${i}`);
    const left: number[] = [];
    for (const media of [["archived_media"], ["archived_media"], []]) {
      expect(await pendingIn(await erase(owner))).toEqual([...media, "prepared_avatar"]);
      left.push((await keysIn()).length);
    }
    expect(left).toEqual([26, 6, 0]);
  });

  test("that the database refuses has changed nothing", async () => {
    await makeWhole();
    await db.exec(
      "CREATE TRIGGER refuse BEFORE DELETE ON avatars BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    const answer = await erase(owner);
    expect(answer.status).toBe(500);
    expect((await bodyOf(answer, structuredErrorSchema)).error).toMatchObject({ code: "internal" });
    await db.exec("DROP TRIGGER refuse");
    expect(await keysIn()).toHaveLength(2);
    expect(await publicListOf(other)).toHaveLength(1);
    expect(await pendingIn(await erase(owner))).toEqual(["prepared_avatar"]);
  });

  test("without a ledger has no agreements to wait for", async () => {
    await report();
    const outcome = await eraseAvatar({ ...env, ledger: null }, ann, "mary-ann");
    expect(outcome).toMatchObject({ value: { pending: ["prepared_avatar"] } });
  });

  test("empties what a grant that was still open let in afterwards", async () => {
    await report();
    const file = await still();
    const key = await putFile(file, "a picture");
    const recording = await record("s1", { stored: false });
    await erase(owner);
    expect(await keysIn()).toEqual([]);
    await Promise.all([key, recording].map((late) => media.put(late, "late")));
    expect((await tellDone(file)).status).toBe(404);
    await cleanUp(env);
    expect(await keysIn()).toHaveLength(2);
    moveClock(1800);
    await cleanUp(env);
    expect(await keysIn()).toEqual([]);
    expect(await countIn(db, "erasure_media")).toBe(0);
  });
});

describe("prepared avatars", () => {
  test("stay pending until every volume that had one confirms", async () => {
    await report({ weights_volume: "v1" });
    await report({ weights_volume: "v2" });
    const [erased] = [nowSeconds()];
    await erase(owner);
    expect(await pendingOn("v1")).toMatchObject([{ account: ann, avatar_id: "mary-ann" }]);
    expect((await pendingOn("v2"))[0]?.erased_at).toBeGreaterThanOrEqual(erased);
    await sweep("v3");
    await sweep("v1");
    expect(await pendingIn(await erase(owner))).toEqual(["prepared_avatar"]);
    expect(await pendingOn("v1")).toEqual([]);
    await sweep("v2");
    expect((await receiptOf(await erase(owner))).status).toBe("complete");
  });

  test("on a volume without a name are looked for on every one", async () => {
    await report({ weights_volume: "" });
    await erase(owner);
    expect(await pendingOn("v7")).toHaveLength(1);
    await sweep("v7");
    expect((await receiptOf(await erase(owner))).status).toBe("complete");
  });

  test("cannot be confirmed for another volume", async () => {
    await report();
    await erase(owner);
    const ids = (await pendingOn("v1")).map(({ erasure_id }) => erasure_id);
    await askAsBox("erasures/done", { weights_volume: "v2", erasure_ids: ids });
    expect(await pendingOn("v1")).toHaveLength(1);
  });
});

describe("after an erasure", () => {
  test("no report of what was made before it brings the avatar back", async () => {
    const madeAt = nowSeconds();
    await report({ state: "preparing", made_at: madeAt });
    moveClock(3);
    await erase(owner);
    const build = { step: "done", progress: 1, detail: "", started_at: madeAt, finished_at: madeAt } as const;
    for (const stale of [
      { made_at: madeAt },
      { made_at: nowSeconds() },
      { made_at: undefined, build: { ...build, state: "ready" as const } },
      // A build that begins again after it is still one of the erased photograph.
      { made_at: madeAt, build: { ...build, state: "ready" as const, started_at: madeAt + 60 } },
      { made_at: undefined },
    ]) {
      expect(await report(stale)).toBe("This avatar was erased.");
    }
    expect(await libraryOf(owner)).toEqual([]);
  });

  test("an avatar made again under the id is another one, with an archive of its own", async () => {
    await makeWhole();
    const [before] = await keysIn();
    await erase(owner);
    moveClock(2);
    expect(await report()).toBe("");
    expect(await libraryOf(owner)).toMatchObject([{ avatar_id: "mary-ann", visibility: "private" }]);
    const key = await archiveClip();
    expect(key).not.toBe(before);
    // The clean-up after the first is none of the second's business.
    moveClock(1800);
    await cleanUp(env);
    await sweep("v1");
    expect(await keysIn()).toEqual([key]);
    expect(await libraryOf(owner)).toHaveLength(1);
    expect(await pendingIn(await erase(owner))).toEqual(["prepared_avatar"]);
    expect(await keysIn()).toEqual([]);
  });

  test("an older upload's report moves no later one", async () => {
    const first = nowSeconds();
    await report({ made_at: first + 10, name: "Second" });
    await report({ made_at: first, name: "First", state: "failed", weights_volume: "v2" });
    expect(await libraryOf(owner)).toMatchObject([{ name: "Second", state: "ready" }]);
    await erase(owner);
    expect(await pendingOn("v2")).toHaveLength(1);
  });
});

type Step =
  | "make"
  | "build"
  | "archive"
  | "publish"
  | "record"
  | "erase"
  | "sweep"
  | "clean up"
  | "break"
  | "mend";

test("an erasure can be repeated in any order of things and ends complete", async () => {
  const step = fc.constantFrom<Step>(
    "make",
    "build",
    "archive",
    "publish",
    "record",
    "erase",
    "erase",
    "sweep",
    "clean up",
    "break",
    "mend",
  );
  const round = fc.array(step, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(round, { maxLength: 7 }), async (rounds) => {
      for (const table of ["erasures", "erasure_volumes", "erasure_media", "avatars"]) {
        await db.exec(`DELETE FROM ${table}`);
      }
      let giveBack: (() => Promise<void>) | null = null;
      let madeAt = nowSeconds();
      let sessionCount = 0;
      const erased: number[] = [];
      const take: Record<Step, () => Promise<unknown>> = {
        make: () => {
          madeAt = nowSeconds();
          return report({ state: "preparing", made_at: madeAt });
        },
        build: () => report({ made_at: madeAt, weights_volume: `v${sessionCount % 3}` }),
        archive: () => archiveClip({ madeAt }).catch(() => undefined),
        publish: () => setVisibility(owner, "public"),
        record: () => record(crypto.randomUUID()),
        erase: async () => {
          const broken = giveBack !== null;
          const at = nowSeconds();
          const outcome = await eraseAvatar(broken ? { ...env, media: brokenMedia } : env, ann, "mary-ann");
          if (outcome.ok) erased.push(at);
          else expect(outcome.failure.code).toBe("avatar_not_found");
        },
        sweep: async () => {
          for (const volume of ["v0", "v1", "v2"]) await sweep(volume);
        },
        "clean up": () => cleanUp(giveBack ? { ...env, media: brokenMedia } : env).catch(() => undefined),
        break: async () => {
          giveBack ??= await loseLedger();
        },
        mend: async () => {
          await giveBack?.();
          giveBack = null;
        },
      };
      const alone = new Set<Step>(["break", "mend"]);
      for (const moves of rounds) {
        for (const move of moves.filter((name) => alone.has(name))) await take[move]();
        await Promise.all(moves.filter((name) => !alone.has(name)).map((name) => take[name]()));
        sessionCount += 1;
        moveClock(1);
        // What was made before an erasure is never seen again.
        const [there] = (await db.prepare("SELECT made_at FROM avatars").all<{ made_at: number }>()).results;
        const last = Math.max(0, ...erased.filter((at) => at < nowSeconds() - 1));
        if (there && erased.length > 0) expect(there.made_at).toBeGreaterThan(last - 1);
      }
      await take.mend();
      await take.make();
      await take.archive();
      moveClock(1);
      const first = await receiptOf(await erase(owner));
      expect(first.erased).toEqual(
        expect.arrayContaining(["registry_record", "public_listing", "archived_media"]),
      );
      await take.sweep();
      const last = await receiptOf(await erase(owner));
      expect(last).toEqual({ avatar_id: "mary-ann", status: "complete", erased: allArtefacts, pending: [] });
      expect(await receiptOf(await erase(owner))).toEqual(last);
      moveClock(1800);
      await cleanUp(env);
      expect(await keysIn()).toEqual([]);
      expect(await libraryOf(owner)).toEqual([]);
      expect(await publicListOf(other)).toEqual([]);
      expect(await countIn(ledger, "publication_consents")).toBe(0);
    }),
    { numRuns: 15 },
  );
}, 120_000);
