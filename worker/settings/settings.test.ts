import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import {
  defaultSystemPrompt,
  settingsReadSchema,
  settingsRefusedSchema,
  settingsSavedSchema,
  type Settings,
} from "../../contract/settings.ts";
import { deploy } from "../testing/deployment.ts";
import {
  bodyOf,
  call,
  captureLog,
  db,
  makeKey,
  mintSession,
  post,
  signIn,
  withKey,
} from "../testing/portal.ts";

let key: Record<string, string>;
beforeEach(async () => {
  key = withKey((await makeKey(await signIn("ann@example.com"))).secret);
});

const save = (patch: unknown) => post("/auth/settings", patch, key);
const read = async () => bodyOf(await call("/auth/settings", { headers: key }), settingsReadSchema);

async function saved(patch: unknown): Promise<Settings> {
  const response = await save(patch);
  expect([response.status, patch]).toEqual([200, patch]);
  const body = await bodyOf(response, settingsSavedSchema);
  expect(body.saved).toBe(true);
  return body.settings;
}

async function refused(patch: unknown): Promise<string> {
  const before = await read();
  const response = await save(patch);
  expect([response.status, patch]).toEqual([400, patch]);
  const { error } = await bodyOf(response, settingsRefusedSchema);
  expect(await read()).toEqual(before);
  return error.message;
}

const tool = {
  name: "look_up",
  description: "Looks something up.",
  parameters: { type: "object", properties: {}, required: [] },
};

describe("reading", () => {
  test("costs one statement, whatever proves who is asking; a save costs two", async () => {
    const statements: string[] = [];
    const counted: D1Database = Object.assign(Object.create(db) as D1Database, {
      prepare(text: string) {
        statements.push(text);
        return db.prepare(text);
      },
    });
    const portal = deploy({ DB: counted });
    const browser = await signIn("ann@example.com");
    for (const headers of [key, { Cookie: browser.Cookie }]) {
      statements.length = 0;
      const response = await portal.call("/auth/settings", { headers });
      expect([response.status, statements.length]).toEqual([200, 1]);
    }
    statements.length = 0;
    const body = { max_tokens: 7 };
    const response = await portal.call("/auth/settings", { method: "POST", headers: key, body });
    expect([response.status, statements.length]).toEqual([200, 2]);
  });

  test("who saved nothing gets the defaults", async () => {
    const body = await read();
    expect(body).toMatchObject({
      persisted: true,
      effort_levels: ["low", "medium", "high", "xhigh", "max"],
      reasoning_levels: ["off", "low", "medium", "high"],
      settings: {
        provider: "builtin",
        model: "rehearsal",
        live_model: "rehearsal",
        system_prompt: defaultSystemPrompt,
        max_tokens: 1024,
        effort: "medium",
        reasoning: null,
        tts_provider: "local",
        emotion_responsive: true,
        tools: [],
        tool_phrases: {},
      },
    });
    expect(body.settings).not.toHaveProperty("avatar");
    expect(body.tts_providers.map((row) => row.id)).toEqual(["local", "cartesia", "elevenlabs"]);
    expect(body.models.find((row) => row.provider === "anthropic")).toMatchObject({
      residency: "global",
      selectable: false,
    });
  });

  test("the record is the account's, whatever credential asks", async () => {
    const browser = await signIn("ann@example.com");
    await saved({ max_tokens: 99 });
    for (const headers of [browser, withKey(await mintSession(browser))]) {
      const body = await bodyOf(await call("/auth/settings", { headers }), settingsReadSchema);
      expect(body.settings.max_tokens).toBe(99);
    }
    const bea = await bodyOf(
      await call("/auth/settings", { headers: await signIn("bea@example.com") }),
      settingsReadSchema,
    );
    expect(bea.settings.max_tokens).toBe(1024);
  });
});

describe("saving", () => {
  test("leaves fields that were not sent alone, and answers the whole record", async () => {
    await saved({ system_prompt: "You are Ada.", temperature: 0.5, avatar: "ada" });
    const settings = await saved({ max_tokens: 8192 });
    expect(settings).toMatchObject({
      system_prompt: "You are Ada.",
      temperature: 0.5,
      avatar: "ada",
      max_tokens: 8192,
    });
    expect((await read()).settings).toEqual(settings);
  });

  test("null and empty values clear", async () => {
    await saved({ temperature: 0.5, voice_id: "v", voice_id_cartesia: "c", avatar: "ada", tools: [tool] });
    const settings = await saved({
      temperature: null,
      voice_id: null,
      voice_id_cartesia: null,
      avatar: "",
      tools: [],
    });
    expect(settings).toMatchObject({ temperature: null, voice_id: null, voice_id_cartesia: null, tools: [] });
    expect(settings).not.toHaveProperty("avatar");
    await saved({ avatar: "ada" });
    expect(await saved({ avatar: null })).not.toHaveProperty("avatar");
  });

  test.each([
    ["high", "high"],
    ["off", "off"],
    ["", null],
    [null, null],
    ["as much as it likes", null],
    [3, null],
    [{ level: "high" }, null],
  ])("the thinking level %j becomes %j", async (sent, kept) => {
    await saved({ reasoning: "low" });
    expect((await saved({ reasoning: sent })).reasoning).toBe(kept);
  });

  test("objects and lists are written whole", async () => {
    await saved({ tool_phrases: { look_up: { en: "One moment." }, book: { de: "Gern." } } });
    const settings = await saved({ tool_phrases: { look_up: { ja: "少々お待ちください。" } } });
    expect(settings.tool_phrases).toEqual({ look_up: { ja: "少々お待ちください。" } });
    const [kept] = (await saved({ tools: [{ ...tool, endpoint: "https://api.example.com/t" }] })).tools;
    expect(kept).toMatchObject({ mode: "await_result", timeout_seconds: 10, enabled: true });
  });

  test("an empty patch is a save of nothing", async () => {
    expect(await saved({})).toEqual((await read()).settings);
  });

  test("awkward text survives", async () => {
    const text = `"quotes" \\ back\u0000slash \u2028 '; DROP TABLE settings; -- $.model 👋`;
    expect((await saved({ system_prompt: text })).system_prompt).toBe(text);
    expect((await read()).settings.system_prompt).toBe(text);
  });

  test("the longest prompt fits", async () => {
    const prompt = "é".repeat(limits.systemPromptChars);
    expect((await saved({ system_prompt: prompt })).system_prompt).toBe(prompt);
  });

  test("saves at once lose no field", async () => {
    const patches = [
      { max_tokens: 11 },
      { system_prompt: "p" },
      { temperature: 0.25 },
      { top_p: 0.75 },
      { effort: "xhigh" },
      { reasoning: "low" },
      { voice_id: "a" },
      { voice_id_local: "b" },
      { voice_id_cartesia: "c" },
      { avatar: "ada" },
      { emotion_responsive: false },
      { tools: [{ ...tool, mode: "fire_and_forget", timeout_seconds: 5, enabled: false }] },
      { tool_phrases: { look_up: { en: "One moment." } } },
      { tts_provider: "cartesia" },
    ];
    const answers = await Promise.all(patches.map((patch) => save(patch)));
    expect(answers.map((answer) => answer.status)).toEqual(patches.map(() => 200));
    expect((await read()).settings).toMatchObject(Object.assign({}, ...patches));
  });
});

const nested = (levels: number): object => {
  let inner = {};
  for (let level = 1; level < levels; level += 1) inner = { items: inner };
  return inner;
};

describe("refusals save nothing and name what is wrong", () => {
  test.each<[string, unknown]>([
    ["nope", { max_tokens: 5, nope: 1 }],
    ["provider", { provider: "anthropic" }],
    ["voice_id_nobody", { voice_id_nobody: "x" }],
    ["__proto__", JSON.parse('{"max_tokens":5,"__proto__":{"x":1}}')],
    ["max_tokens", { system_prompt: "x", max_tokens: 0 }],
    ["max_tokens", { max_tokens: 8193 }],
    ["max_tokens", { max_tokens: 1.5 }],
    ["top_p", { top_p: 1.01 }],
    ["temperature", { temperature: -0.1 }],
    ["effort", { effort: "extreme" }],
    ["tts_provider", { tts_provider: "somebody" }],
    ["emotion_responsive", { emotion_responsive: "yes" }],
    ["system_prompt", { system_prompt: "x".repeat(limits.systemPromptChars + 1) }],
    ["tool_phrases", { tool_phrases: { skip_turn: { en: "Hm." } } }],
    ["tool_phrases", { tool_phrases: { look_up: { xx: "Hm." } } }],
    ["tool_phrases", { tool_phrases: { look_up: { en: "<b>Hm</b>" } } }],
    ["tool_phrases", { tool_phrases: { look_up: { en: "[warm] Hm" } } }],
    ["tool_phrases", { tool_phrases: { look_up: { en: "Sure. One moment." } } }],
    ["voice_id_elevenlabs", { voice_id_elevenlabs: "x" }],
    ["voice_id", { voice_id: 5 }],
    ["max_tokens", { max_tokens: null }],
    ["effort", { effort: null }],
    ["model", { model: null }],
    ["model", { model: "" }],
    ["avatar", { avatar: 5 }],
    ["parameters", { tools: [{ ...tool, parameters: { type: "string" } }] }],
    ["required", { tools: [{ ...tool, parameters: { type: "object", required: ["city"] } }] }],
    ["look_up", { tools: [{ ...tool, endpoint: "https://[::1]/x" }] }],
    ["tool_phrases", { tool_phrases: { look_up: { en: "x".repeat(161) } } }],
    [
      "tool_phrases",
      { tool_phrases: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`t${i}`, { en: "x" }])) },
    ],
    ["160 characters", { tool_phrases: { look_up: { en: ".".repeat(1_000_000) } } }],
    ["32 levels", { tools: [{ ...tool, parameters: { type: "object", items: nested(5_000) } }] }],
    ["password", { tools: [{ ...tool, endpoint: "https://:secret@api.example.com/x" }] }],
    ["look_up", { tools: [{ ...tool, endpoint: "https://localhost../x" }] }],
    ["tools", { tools: Array.from({ length: 11 }, (_, i) => ({ ...tool, name: `t${i}` })) }],
    ["tools", { tools: [{ ...tool, name: "Look Up" }] }],
    ["tools", { tools: [{ ...tool, timeout_seconds: 61 }] }],
    ["tools", { tools: [{ ...tool, colour: "red" }] }],
    ["look_up", { tools: [tool, tool] }],
    ["end_call", { tools: [{ ...tool, name: "end_call" }] }],
    ["tools", { tools: [{ ...tool, endpoint: "http://api.example.com" }] }],
    ["look_up", { tools: [{ ...tool, endpoint: "https://127.0.0.1/x" }] }],
    ["claude-nothing", { model: "claude-nothing" }],
    ["claude-opus-5-5", { max_tokens: 5, model: "claude-opus-5-5" }],
    ["live_model", { live_model: "claude-haiku-5-5" }],
  ])("%s", async (named, patch) => {
    expect(await refused(patch)).toContain(named);
  });

  test("the two reasons against a model differ", async () => {
    expect(await refused({ model: "claude-nothing" })).toContain("does not exist");
    expect(await refused({ model: "claude-opus-5-5" })).toContain("does not send data");
  });
});

describe("a record that cannot be read", () => {
  const broken = ["{", "[]", "null", '"text"', '{"max_tokens":"many"}', ""];

  test.each(broken)("%j is neither answered as defaults nor overwritten", async (record) => {
    await saved({ max_tokens: 5 });
    await db.prepare("UPDATE settings SET record = ?").bind(record).run();
    const lines = captureLog();
    for (const response of [await call("/auth/settings", { headers: key }), await save({ max_tokens: 6 })]) {
      expect(response.status).toBe(503);
      expect((await bodyOf(response, structuredErrorSchema)).error.code).toBe("settings_unavailable");
    }
    const kept = await db.prepare("SELECT record FROM settings").first<{ record: string }>();
    expect(kept?.record).toBe(record);
    expect(lines.filter((line) => line.includes('"event":"settings_unavailable"'))).toHaveLength(2);
  });

  test("nor is a store that fails", async () => {
    await db.exec("ALTER TABLE settings RENAME TO elsewhere");
    captureLog();
    for (const response of [await call("/auth/settings", { headers: key }), await save({ max_tokens: 6 })]) {
      expect(response.status).toBe(503);
      const { error } = await bodyOf(response, structuredErrorSchema);
      expect(error.code).toBe("settings_unavailable");
      expect(error.message).not.toMatch(/table|SQL/i);
    }
  });

  test("what is known of the models may be missing: the settings are answered all the same", async () => {
    await saved({ max_tokens: 5 });
    await db.exec("ALTER TABLE model_probes RENAME TO elsewhere");
    captureLog();
    expect((await read()).settings.max_tokens).toBe(5);
    expect((await saved({ max_tokens: 6 })).max_tokens).toBe(6);
  });

  test("and decides nobody's identity", async () => {
    await db.exec("ALTER TABLE settings RENAME TO elsewhere");
    captureLog();
    const stranger = withKey(`vv_live_${"x".repeat(43)}`);
    const strangers: Record<string, string>[] = [stranger, { Cookie: "vv_session=x" }, {}];
    for (const headers of strangers) {
      expect((await call("/auth/settings", { headers })).status).toBe(401);
    }
    const browser = { Cookie: (await signIn("ann@example.com")).Cookie };
    expect((await call("/auth/settings", { headers: browser })).status).toBe(503);
  });

  test("fields of another version stay where they are", async () => {
    await saved({ max_tokens: 5 });
    await db.prepare(`UPDATE settings SET record = '{"max_tokens":5,"from_the_future":1}'`).run();
    expect(await saved({ effort: "low" })).toMatchObject({ max_tokens: 5, effort: "low" });
    const kept = await db.prepare("SELECT record FROM settings").first<{ record: string }>();
    expect(JSON.parse(kept?.record ?? "")).toEqual({ max_tokens: 5, from_the_future: 1, effort: "low" });
  });

  test("a model that is no longer offered gives way to the default", async () => {
    await saved({ max_tokens: 5 });
    await db.prepare(`UPDATE settings SET record = '{"model":"claude-retired","max_tokens":5}'`).run();
    expect((await read()).settings).toMatchObject({ model: "rehearsal", provider: "builtin", max_tokens: 5 });
  });
});
