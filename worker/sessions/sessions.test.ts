import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { sessionAnswerSchema, sessionRowSchema, type SessionPatch } from "../../contract/sessions.ts";
import {
  bodyOf,
  call,
  db,
  makeKey,
  mintSession,
  mintToken,
  signIn,
  withKey,
  type Browser,
} from "../testing/portal.ts";
import {
  ann,
  askFor,
  bea,
  erase,
  patch,
  readDetail,
  readPage,
  reply,
  report,
  say,
  userLine,
} from "../testing/sessions.ts";
import { firstWords } from "./titles.ts";

let browser: Browser;
beforeEach(async () => {
  browser = await signIn(ann);
});

const codeOf = async (response: Response) => {
  const { error } = await bodyOf(response, structuredErrorSchema);
  return [response.status, error.code, error.message];
};
const editedRow = async (body: SessionPatch) =>
  (await bodyOf(await patch(browser, body), sessionAnswerSchema)).session;

describe("a row", () => {
  test("holds what the box reported and the account edited, and nothing more", async () => {
    const { started_at } = await report({ model: "rehearsal", voice: "en", persona: "You are Ada." });
    await say([userLine(0, "Good morning,\n  Ada!"), reply(1, "Good morning to you.")]);
    await report({ started_at, ended_at: started_at + 75, end_reason: "disconnected", turns: 1 });
    const { sessions } = await readPage(browser);
    expect(sessions).toEqual([
      {
        id: "s1",
        title: "Good morning, Ada!",
        preview: "Good morning, Ada!",
        avatar_id: "ada",
        started_at,
        ended_at: started_at + 75,
        duration_seconds: 75,
        turns: 1,
        has_recording: false,
        starred: false,
        tags: [],
        kind: "studio",
        end_reason: "disconnected",
        model: "rehearsal",
        voice: "en",
        persona: "You are Ada.",
        notes: "",
      },
    ]);
    expect(sessionRowSchema.strict().parse(sessions[0])).toEqual(sessions[0]);
  });

  test("of a live session has no end and no duration", async () => {
    await report();
    expect((await readDetail(browser)).session).toMatchObject({
      ended_at: null,
      duration_seconds: null,
      end_reason: null,
    });
  });

  test("is named after the avatar until the user speaks, and previews whoever spoke first", async () => {
    await report({ avatar_id: "mary-ann" });
    expect((await readDetail(browser)).session).toMatchObject({
      title: "Session with Mary ann",
      preview: "",
    });
    await db
      .prepare(
        "INSERT INTO avatars (account, avatar_id, name, source_kind, state, detail, prepared_in_region, " +
          "weights_volume, created_at, updated_at) VALUES (?, 'mary-ann', 'Mary', 'photo', 'ready', '', '', '', 1, 1)",
      )
      .bind(ann)
      .run();
    await say([reply(0, "Hello there.")]);
    expect((await readDetail(browser)).session).toMatchObject({
      title: "Session with Mary",
      preview: "Hello there.",
    });
    await say([userLine(1, "What is new?")]);
    expect((await readDetail(browser)).session).toMatchObject({
      title: "What is new?",
      preview: "Hello there.",
    });
  });

  test("shows no more than the first words, cut between them", () => {
    expect(firstWords("one two three", 13)).toBe("one two three");
    expect(firstWords("one two three", 12)).toBe("one two…");
    expect(firstWords("one two three", 8)).toBe("one two…");
    expect(firstWords("😀".repeat(9), 5)).toBe(`${"😀".repeat(4)}…`);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (text, most) => {
        const words = firstWords(text, most);
        expect(Array.from(words).length).toBeLessThanOrEqual(most);
        expect(words.isWellFormed()).toBe(true);
        expect(words).not.toMatch(/\n/);
      }),
    );
  });
});

describe("a page", () => {
  test.each([
    ["", 20],
    ["?limit=7", 7],
    ["?limit=0", 1],
    ["?limit=-3", 1],
    ["?limit=51", 50],
    ["?limit=99999999999999999999", 50],
    ["?limit=", 20],
    ["?limit=ten", 20],
    ["?limit=2.5", 20],
    ["?limit=1e1", 20],
  ])("asked for with %j has %i rows", async (query, rows) => {
    const insert = db.prepare(
      "INSERT INTO sessions (id, account, box_id, kind, avatar_id, started_at, turns) VALUES (?, ?, 'b', 'api', 'a', ?, 0)",
    );
    await db.batch(
      Array.from({ length: limits.sessionPage.max + 1 }, (_, i) => insert.bind(`s${i}`, ann, i)),
    );
    const page = await readPage(browser, query);
    expect(page.sessions).toHaveLength(rows);
    expect(page.sessions[0]?.id).toBe("s50");
    expect(page.next).toBeTypeOf("string");
  });

  test("is empty, and the last one, for an account without sessions", async () => {
    await report({ account: bea });
    expect(await readPage(browser)).toEqual({ sessions: [] });
  });

  test("that is exactly full is the last one too", async () => {
    await report();
    await report({ session_id: "s2" });
    expect(await readPage(browser, "?limit=2")).not.toHaveProperty("next");
  });
});

describe("a detail", () => {
  test("has the transcript in order, whatever order it came in", async () => {
    await report();
    await say([reply(3, "Fine."), userLine(2, "And you?")]);
    await say([userLine(0, "Hi."), reply(1, "How are you?")]);
    const { transcript, recording, consent } = await readDetail(browser);
    expect(transcript.map(({ content }) => content)).toEqual(["Hi.", "How are you?", "And you?", "Fine."]);
    expect(transcript[1]).toEqual({
      role: "assistant",
      content: "How are you?",
      tone: "warm",
      at: 1_700_000_001,
    });
    expect([recording, consent]).toEqual([null, null]);
  });
});

describe("an edit", () => {
  beforeEach(() => report());

  test("changes the fields it names and no other", async () => {
    await editedRow({ title: "  Breakfast  ", notes: "n", tags: ["a", " b "], starred: true });
    expect(await editedRow({ notes: "m" })).toMatchObject({
      title: "Breakfast",
      notes: "m",
      tags: ["a", "b"],
      starred: true,
    });
    expect(await editedRow({})).toMatchObject({ title: "Breakfast", notes: "m" });
    expect((await readPage(browser)).sessions[0]).toMatchObject({ title: "Breakfast", starred: true });
  });

  test("of the title to nothing brings the automatic one back", async () => {
    await editedRow({ title: "Breakfast" });
    expect((await editedRow({ title: " " })).title).toBe("Session with Ada");
  });

  test.each([["avatar_id"], ["id"], ["turns"], ["summary"], ["Title"]])(
    "of %s is refused by its name",
    async (field) => {
      const answer = await codeOf(await patch(browser, { title: "x", [field]: "y" }));
      expect(answer.slice(0, 2)).toEqual([400, "session_field_not_editable"]);
      expect(answer[2]).toContain(`"${field}"`);
      expect((await readDetail(browser)).session.title).toBe("Session with Ada");
    },
  );

  test.each<[string, unknown]>([
    ["a long title", { title: "x".repeat(limits.sessionTitleChars + 1) }],
    ["long notes", { notes: "x".repeat(limits.sessionNotesChars + 1) }],
    ["too many tags", { tags: Array.from({ length: limits.sessionTags + 1 }, String) }],
    ["a long tag", { tags: ["x".repeat(limits.sessionTagChars + 1)] }],
    ["a blank tag", { tags: [" "] }],
    ["tags that are no list", { tags: "a" }],
    ["a star that is no boolean", { starred: 1 }],
    ["a title that is null", { title: null }],
    ["a list", "[]"],
    ["what is no JSON", "{"],
  ])("with %s is refused", async (_label, body) => {
    expect((await codeOf(await patch(browser, body))).slice(0, 2)).toEqual([400, "invalid_body"]);
  });

  test("may be as long as the limits say", async () => {
    const full = {
      title: "x".repeat(limits.sessionTitleChars),
      notes: "n".repeat(limits.sessionNotesChars),
      tags: Array.from({ length: limits.sessionTags }, (_, i) => `${i}`.padEnd(limits.sessionTagChars, "t")),
    };
    expect(await editedRow(full)).toMatchObject(full);
  });

  test("after another equals a model of both", async () => {
    const text = (maxLength: number) => fc.string({ unit: "grapheme", maxLength });
    const edits = fc.array(
      fc.record(
        {
          title: text(20),
          notes: text(60),
          tags: fc.array(
            text(8).filter((tag) => tag.trim() !== ""),
            { maxLength: 5 },
          ),
          starred: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(edits, async (sequence) => {
        const blank = { title: "", notes: "", tags: [] as string[], starred: false };
        await editedRow(blank);
        let model = blank;
        for (const edit of sequence) {
          model = { ...model, ...edit };
          const row = await editedRow(edit);
          expect(row).toMatchObject({
            title: model.title.trim() || "Session with Ada",
            notes: model.notes,
            tags: model.tags.map((tag) => tag.trim()),
            starred: model.starred,
          });
        }
      }),
      { numRuns: 25 },
    );
  });

  test("at the same time as others loses none of them", async () => {
    const edits: SessionPatch[] = [{ title: "T" }, { notes: "N" }, { tags: ["x"] }, { starred: true }];
    await Promise.all(edits.map(editedRow));
    expect((await readDetail(browser)).session).toMatchObject(Object.assign({}, ...edits));
  });
});

describe("somebody else's session", () => {
  test.each([
    ["read", askFor],
    ["edited", (who: Browser, id?: string) => patch(who, { title: "mine" }, id)],
    ["erased", erase],
  ])("cannot be %s, and answers as an unknown one", async (_verb, act) => {
    await report({ account: bea, session_id: "theirs" });
    await say([userLine(0, "secret")], { account: bea, session_id: "theirs" });
    const [theirs, unknown] = [await act(browser, "theirs"), await act(browser, "nobodys")];
    expect([theirs.status, unknown.status]).toEqual([404, 404]);
    const body = await theirs.clone().text();
    expect(body).toBe(await unknown.text());
    expect((await codeOf(theirs))[1]).toBe("session_not_found");
    const { session, transcript } = await readDetail(await signIn(bea), "theirs");
    expect([session.title, transcript.length]).toEqual(["secret", 1]);
  });
});

test("only a signed-in person reads the history", async () => {
  const key = await makeKey(browser);
  const answerTo = async (headers: Record<string, string>) => {
    const response = await call("/auth/sessions", { headers });
    return [response.status, (await response.json<{ code: string }>()).code];
  };
  expect(await answerTo({})).toEqual([401, "missing_api_key"]);
  expect(await answerTo(withKey(key.secret))).toEqual([401, "invalid_api_key"]);
  expect(await answerTo(withKey(await mintSession(browser)))).toEqual([401, "invalid_api_key"]);
  expect(await answerTo(withKey(await mintToken(key.secret)))).toEqual([401, "insufficient_scope"]);
});

describe("a store that fails", () => {
  test.each<[string, () => Promise<Response>]>([
    ["the list", () => call("/auth/sessions", { headers: browser })],
    ["a read", () => askFor(browser)],
    ["an edit", () => patch(browser, { title: "x" })],
    ["an erasure", () => erase(browser)],
  ])("is sessions_unavailable to %s", async (_label, act) => {
    await report();
    await db.prepare("ALTER TABLE sessions RENAME TO out_of_reach").run();
    const [status, code, message] = await codeOf(await act());
    expect([status, code]).toEqual([503, "sessions_unavailable"]);
    expect(message).not.toMatch(/table|sql/i);
    await db.prepare("ALTER TABLE out_of_reach RENAME TO sessions").run();
    expect((await readDetail(browser)).session.id).toBe("s1");
  });
});
