import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { bodyOf, call, db, signIn } from "../testing/portal.ts";
import { ann, bea, readPage } from "../testing/sessions.ts";
import { readCursor, writeCursor } from "./cursor.ts";

const position = fc.record({
  startedAt: fc.nat(4_000_000_000),
  id: fc.oneof(fc.uuid(), fc.stringMatching(/^[\w-]{1,100}$/)),
});

describe("a cursor", () => {
  test("reads back for its account, and for no other", async () => {
    await fc.assert(
      fc.asyncProperty(position, fc.emailAddress(), fc.emailAddress(), async (at, account, other) => {
        fc.pre(account !== other);
        const cursor = await writeCursor(account, at);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(await readCursor(account, cursor)).toEqual(at);
        expect(await readCursor(other, cursor)).toBeNull();
      }),
    );
  });

  test("that is cut, stretched or altered anywhere is none", async () => {
    await fc.assert(
      fc.asyncProperty(position, fc.nat(), fc.string({ maxLength: 3 }), async (at, seed, inserted) => {
        const cursor = await writeCursor(ann, at);
        const spot = seed % cursor.length;
        const altered = [
          cursor.slice(0, spot),
          cursor.slice(spot + 1),
          cursor.slice(0, spot) + inserted + cursor.slice(spot + 1),
          cursor.slice(0, spot) + inserted + cursor.slice(spot),
          `${cursor}=`,
        ];
        for (const other of altered) {
          if (other !== cursor) expect([other, await readCursor(ann, other)]).toEqual([other, null]);
        }
      }),
    );
  });

  test("is never anything that somebody made up", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.base64String()), async (text) => {
        expect(await readCursor(ann, text)).toBeNull();
      }),
    );
  });
});

interface Stored {
  id: string;
  startedAt: number;
}

async function insert(account: string, rows: Stored[]): Promise<void> {
  const statement = db.prepare(
    "INSERT INTO sessions (id, account, box_id, kind, avatar_id, started_at, turns) VALUES (?, ?, 'b', 'api', 'a', ?, 0)",
  );
  if (rows.length > 0)
    await db.batch(rows.map(({ id, startedAt }) => statement.bind(id, account, startedAt)));
}

const newestFirst = (a: Stored, b: Stored) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1);

test("paging shows each session once, newest first, while others come and go", async () => {
  const browser = await signIn(ann);
  // Few distinct times, so that many sessions share one.
  const rows = fc.uniqueArray(fc.record({ id: fc.uuid(), startedAt: fc.nat(5) }), {
    selector: ({ id }) => id,
    maxLength: 25,
  });
  const turn = fc.record({
    limit: fc.integer({ min: 1, max: 9 }),
    added: rows,
    removed: fc.array(fc.nat(), { maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(rows, fc.array(turn, { minLength: 1 }), rows, async (initial, turns, foreign) => {
      await db.prepare("DELETE FROM sessions").run();
      await insert(ann, initial);
      await insert(
        bea,
        foreign.map(({ id, startedAt }) => ({ id: `b-${id}`, startedAt })),
      );
      const stored = new Map(initial.map((row) => [row.id, row]));
      const everStored = new Map(stored);
      const removed = new Set<string>();
      const seen: Stored[] = [];
      let cursor: string | undefined;
      for (let page = 0; ; page++) {
        const {
          limit,
          added,
          removed: picks,
        } = turns[page % turns.length] ?? { limit: 5, added: [], removed: [] };
        const answer = await readPage(browser, `?limit=${limit}${cursor ? `&cursor=${cursor}` : ""}`);
        seen.push(...answer.sessions.map(({ id, started_at }) => ({ id, startedAt: started_at })));
        cursor = answer.next;
        if (!cursor) break;
        expect(answer.sessions).toHaveLength(limit);
        const fresh = page < turns.length ? added.filter(({ id }) => !everStored.has(id)) : [];
        await insert(ann, fresh);
        for (const row of fresh) {
          stored.set(row.id, row);
          everStored.set(row.id, row);
        }
        for (const pick of page < turns.length ? picks : []) {
          const id = [...stored.keys()][pick % Math.max(1, stored.size)];
          if (id === undefined) continue;
          await db.prepare("DELETE FROM sessions WHERE id = ?").bind(id).run();
          stored.delete(id);
          removed.add(id);
        }
      }
      expect(seen).toEqual(seen.toSorted(newestFirst));
      const ids = seen.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      // Whatever was there from the first page to the last was shown.
      const lasting = initial.map(({ id }) => id).filter((id) => !removed.has(id));
      expect(ids).toEqual(expect.arrayContaining(lasting));
      expect(ids.every((id) => everStored.has(id))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("any cursor but the caller's own is refused", async () => {
  const [browser, other] = [await signIn(ann), await signIn(bea)];
  for (const account of [ann, bea]) {
    await insert(
      account,
      [1, 2, 3].map((n) => ({ id: `${account.slice(0, 3)}-${n}`, startedAt: n })),
    );
  }
  const { next = "" } = await readPage(other, "?limit=1");
  expect((await readPage(other, `?cursor=${next}`)).sessions.map(({ id }) => id)).toEqual(["bea-2", "bea-1"]);
  const forged = btoa(`${"0".repeat(32)}2.bea-2`);
  const query = ["", "x", next, next.slice(0, -1), `${next}a`, forged, "%00", "null", `x&cursor=y`];
  for (const cursor of query) {
    const response = await call(`/auth/sessions?cursor=${cursor}`, { headers: browser });
    const { error } = await bodyOf(response, structuredErrorSchema);
    expect([cursor, response.status, error.code]).toEqual([cursor, 400, "invalid_cursor"]);
  }
});
