import { beforeEach, describe, expect, test, vi } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { cleanUp } from "../cleanup.ts";
import { envOf } from "../platform/env.ts";
import { callWith } from "../testing/altered.ts";
import {
  asBox,
  bindings,
  bodyOf,
  call,
  captureLog,
  db,
  makeKey,
  moveClock,
  post,
  signIn,
  withKey,
  type Browser,
} from "../testing/portal.ts";
import { speakTimeoutMs } from "./previews.ts";
import { ginny, rachel, serveProviders, troubles, type FakeProviders } from "./testing/providers.ts";
import { failing, put, putKey } from "./testing/vault.ts";
import { isWav, wavOfPcm } from "./wav.ts";

let ann: Browser;
let providers: FakeProviders;
beforeEach(async () => {
  providers = serveProviders();
  ann = await signIn("ann@example.com");
});

const codeOf = async (response: Response) => {
  const { error } = await bodyOf(response, structuredErrorSchema);
  return [response.status, error.code];
};
const sample = (query: string, headers: Record<string, string> = ann) =>
  call(`/auth/voices/preview${query}`, { headers });
const speak = (body: object, headers: Record<string, string> = ann) =>
  post("/auth/voices/preview", body, headers);
const spoken = () => providers.seen.filter((seen) => seen.method === "POST");

async function wavFrom(response: Response): Promise<Uint8Array> {
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("audio/wav");
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(isWav(bytes)).toBe(true);
  return bytes;
}
/** What the fake provider wrote into its samples. */
const wordsOf = async (response: Response) =>
  new TextDecoder().decode((await wavFrom(response)).subarray(44)).trim();

const noras = wavOfPcm(new Uint8Array(3200).fill(7), 16_000);
async function reportNora(): Promise<void> {
  const row = {
    provider: "local",
    id: "en-us+f2",
    name: "Nora",
    language: "en-us",
    gender: "female",
    description: "",
  };
  await post("/internal/voices/builtin", { voices: [{ ...row, recommended: true }] }, asBox("box-a"));
  await bindings.MEDIA.put("voices/builtin/en-us+f2.wav", noras);
}

describe("a sample", () => {
  test("of a built-in voice comes from storage", async () => {
    await reportNora();
    for (const query of [
      "?provider=local&voice=en-us%2Bf2",
      "?voice=en-us%2Bf2",
      "?provider=local",
      "",
      "?voice=&provider=",
    ]) {
      expect(await wavFrom(await sample(query))).toEqual(noras);
    }
    expect(spoken()).toEqual([]);
  });

  test.each([
    ["cartesia", ginny, `${ginny}|Bonjour. Voici ma voix quand nous parlons.`],
    ["elevenlabs", rachel, rachel],
  ] as const)("of %s is spoken on the caller's account, once", async (provider, voice, words) => {
    await putKey(ann, provider);
    await call("/auth/voices", { headers: ann });
    const query = `?provider=${provider}&voice=${voice}`;
    expect(await wordsOf(await sample(query))).toBe(words);
    await wavFrom(await sample(query));
    expect(spoken()).toHaveLength(1);
  });

  test("in a voice of unknown language is English", async () => {
    await putKey(ann, "cartesia");
    await sample(`?provider=cartesia&voice=${ginny}`);
    expect(spoken()[0]?.body).toMatchObject({ language: "en", transcript: expect.stringContaining("Hello") });
  });

  test("of what is not named is that of the session's current voice", async () => {
    await putKey(ann, "elevenlabs");
    await put("/auth/voice/default", { engine: "elevenlabs", voice_id: rachel, display_name: "R" }, ann);
    expect(await wordsOf(await sample(""))).toBe(rachel);
    await putKey(ann, "cartesia");
    await post("/auth/settings", { voice_id_cartesia: ginny }, ann);
    expect(await wordsOf(await sample("?provider=cartesia"))).toContain(ginny);
  });

  test("without a usable key is the built-in voice's", async () => {
    await reportNora();
    await post("/auth/settings", { tts_provider: "cartesia", voice_id_cartesia: ginny }, ann);
    expect(await wavFrom(await sample(""))).toEqual(noras);
  });

  test.each([
    ["an unknown provider", "?provider=megaphone&voice=x"],
    ["a provider without a key", `?provider=elevenlabs&voice=${rachel}`],
    ["an unknown built-in voice", "?provider=local&voice=nobody"],
    ["no built-in voice at all", ""],
    ["an unknown voice of Cartesia", "?provider=cartesia&voice=nobody"],
    ["a provider with no voice chosen", "?provider=cartesia"],
    ["a way out of storage's folder", "?provider=local&voice=..%2F..%2Fsecret"],
  ])("%s is no voice", async (_name, query) => {
    await putKey(ann, "cartesia");
    captureLog();
    expect(await codeOf(await sample(query))).toEqual([404, "unknown_voice"]);
  });

  test("an id that would leave its place in ElevenLabs' path is no voice and goes nowhere", async () => {
    await putKey(ann, "elevenlabs");
    captureLog();
    for (const voice of ["..", "../../v1/user", "a/b", "a?b=c", "%2e%2e"]) {
      const query = `?provider=elevenlabs&voice=${encodeURIComponent(voice)}`;
      expect(await codeOf(await sample(query))).toEqual([404, "unknown_voice"]);
    }
    expect(spoken()).toEqual([]);
  });

  test("somebody else's cached one is not handed over", async () => {
    await putKey(ann, "cartesia");
    const query = `?provider=cartesia&voice=${ginny}`;
    await wavFrom(await sample(query));
    const bea = await signIn("bea@example.com");
    expect(await codeOf(await sample(query, bea))).toEqual([404, "unknown_voice"]);
    await call("/auth/voice/key/cartesia", { method: "DELETE", headers: ann });
    expect(await codeOf(await sample(query))).toEqual([404, "unknown_voice"]);
  });

  test("opens for a full key", async () => {
    await putKey(ann, "cartesia");
    const key = withKey((await makeKey(ann)).secret);
    await wavFrom(await sample(`?provider=cartesia&voice=${ginny}`, key));
  });

  test("whose object is gone makes the next box bring it", async () => {
    await reportNora();
    await db.prepare("UPDATE builtin_voices SET sampled = 1").run();
    await bindings.MEDIA.delete("voices/builtin/en-us+f2.wav");
    expect(await codeOf(await sample("?provider=local&voice=en-us%2Bf2"))).toEqual([404, "unknown_voice"]);
    expect(await db.prepare("SELECT sampled FROM builtin_voices").first()).toEqual({ sampled: 0 });
  });

  test("needs no cache", async () => {
    await putKey(ann, "cartesia");
    const path = `/auth/voices/preview?provider=cartesia&voice=${ginny}`;
    await wavFrom(await callWith({ KV: failing<KVNamespace>() }, path, { headers: ann }));
  });

  test("from storage that fails is unavailable", async () => {
    captureLog();
    const down = { MEDIA: failing<R2Bucket>() };
    const answer = await callWith(down, "/auth/voices/preview?provider=local&voice=x", { headers: ann });
    expect(await codeOf(answer)).toEqual([503, "voice_unavailable"]);
  });
});

describe("a line of the caller's own", () => {
  test.each([
    ["cartesia", ginny],
    ["elevenlabs", rachel],
  ] as const)("is spoken by %s on the caller's account, each time anew", async (provider, voice) => {
    await putKey(ann, provider);
    for (let times = 0; times < 2; times++) {
      expect(await wordsOf(await speak({ provider, voice, text: "Good\n\n  day" }))).toContain(voice);
    }
    expect(spoken()).toHaveLength(2);
    const text = spoken()[0]?.body?.["transcript"] ?? spoken()[0]?.body?.["text"];
    expect(text).toBe("Good day");
  });

  test("is in the voice's language where that is known", async () => {
    await putKey(ann, "cartesia");
    await speak({ provider: "cartesia", voice: ginny, text: "Bonjour" });
    expect(spoken()[0]?.body).not.toHaveProperty("language");
    await call("/auth/voices", { headers: ann });
    await speak({ provider: "cartesia", voice: ginny, text: "Bonjour" });
    expect(spoken()[1]?.body).toMatchObject({ language: "fr" });
  });

  test("takes the session's voice where none is named", async () => {
    await putKey(ann, "elevenlabs");
    await put("/auth/voice/default", { engine: "elevenlabs", voice_id: rachel, display_name: "R" }, ann);
    expect(await wordsOf(await speak({ text: "Hello" }))).toBe(rachel);
  });

  test.each([
    ["", "preview_text_empty"],
    [" \n\t ", "preview_text_empty"],
    ["x".repeat(limits.previewTextChars + 1), "preview_text_too_long"],
    ["👋".repeat(limits.previewTextChars + 1), "preview_text_too_long"],
  ])("%j is refused and not counted", async (text, code) => {
    await putKey(ann, "cartesia");
    for (let times = 0; times <= limits.previewsPerMinute; times++) {
      expect(await codeOf(await speak({ provider: "cartesia", voice: ginny, text }))).toEqual([400, code]);
    }
    expect(spoken()).toEqual([]);
  });

  test("of 200 characters after collapsing is spoken whole", async () => {
    await putKey(ann, "cartesia");
    const text = "👋".repeat(100) + " ".repeat(50) + "é".repeat(99);
    await wavFrom(await speak({ provider: "cartesia", voice: ginny, text }));
    expect(Array.from(String(spoken()[0]?.body?.["transcript"]))).toHaveLength(200);
  });

  test.each([
    {},
    { text: 7 },
    { text: "Hi", provider: "megaphone" },
    { text: "Hi", voice: "" },
    { text: "Hi", tone: "sad" },
  ])("%j is no request", async (body) => {
    expect(await codeOf(await speak(body))).toEqual([400, "invalid_body"]);
  });

  test("by the built-in engine is a box's to speak", async () => {
    const answer = await speak({ provider: "local", text: "Hello" });
    const { error } = await bodyOf(answer.clone(), structuredErrorSchema);
    expect(error.message).toContain("/api/voice/preview");
    expect(await codeOf(answer)).toEqual([503, "voice_unavailable"]);
    expect(await codeOf(await speak({ text: "Hello" }))).toEqual([503, "voice_unavailable"]);
  });

  test("by a voice or provider the caller cannot use is no voice", async () => {
    await putKey(ann, "cartesia");
    captureLog();
    for (const wish of [
      { provider: "elevenlabs", voice: rachel },
      { provider: "cartesia", voice: "gone" },
      { provider: "cartesia" },
    ]) {
      expect(await codeOf(await speak({ ...wish, text: "Hello" }))).toEqual([404, "unknown_voice"]);
    }
  });

  test.each([
    ...troubles.filter(([name]) => !name.startsWith("200")),
    ["429", () => new Response(null, { status: 429 })] as const,
  ])("a provider with %s is told as failed", async (_name, trouble) => {
    captureLog();
    for (const [provider, voice] of [
      ["cartesia", ginny],
      ["elevenlabs", rachel],
    ] as const) {
      await putKey(ann, provider);
      providers.trouble[provider] = trouble;
      expect(await codeOf(await speak({ provider, voice, text: "Hello" }))).toEqual([502, "voice_failed"]);
      expect(await codeOf(await sample(`?provider=${provider}&voice=${voice}`))).toEqual([
        502,
        "voice_failed",
      ]);
    }
  });

  test.each([
    ["a page", () => new Response("<html></html>", { headers: { "Content-Type": "text/html" } })],
    ["JSON", () => Response.json({ ok: true })],
    ["nothing", () => new Response(null)],
    [
      "no end",
      () => new Response(new Uint8Array(9 * 1024 * 1024), { headers: { "Content-Type": "audio/pcm" } }),
    ],
    ["402", () => Response.json({ detail: { status: "payment_required" } }, { status: 402 })],
  ])("a provider that answers with %s has failed, and nothing of it is kept", async (_name, trouble) => {
    await putKey(ann, "elevenlabs");
    captureLog();
    providers.trouble.elevenlabs = trouble;
    const query = `?provider=elevenlabs&voice=${rachel}`;
    expect(await codeOf(await sample(query))).toEqual([502, "voice_failed"]);
    providers.trouble = {};
    expect(await wordsOf(await sample(query))).toBe(rachel);
  });

  test("waits for the provider so long and no longer", async () => {
    await putKey(ann, "cartesia");
    captureLog();
    const timeout = vi.spyOn(AbortSignal, "timeout");
    timeout.mockImplementation(() => AbortSignal.abort(new DOMException("late", "TimeoutError")));
    expect(await codeOf(await speak({ provider: "cartesia", voice: ginny, text: "Hi" }))).toEqual([
      502,
      "voice_failed",
    ]);
    expect(timeout).toHaveBeenCalledWith(speakTimeoutMs);
  });
});

describe("twelve previews a minute", () => {
  const hello = { provider: "cartesia", voice: ginny, text: "Hello" };
  beforeEach(async () => {
    await putKey(ann, "cartesia");
  });

  test("the thirteenth waits until the first is a minute old", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Math.ceil(Date.now() / 1000) * 1000 });
    await wavFrom(await speak(hello));
    moveClock(20);
    for (let times = 1; times < limits.previewsPerMinute; times++) await wavFrom(await speak(hello));
    const refused = await speak(hello);
    expect(refused.headers.get("Retry-After")).toBe("40");
    expect(await codeOf(refused)).toEqual([429, "preview_rate_limited"]);
    moveClock(39);
    expect((await speak(hello)).headers.get("Retry-After")).toBe("1");
    moveClock(1);
    await wavFrom(await speak(hello));
    expect((await speak(hello)).headers.get("Retry-After")).toBe("20");
    expect(spoken()).toHaveLength(limits.previewsPerMinute + 1);
  });

  test("fifty at once never let a thirteenth through", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => speak(hello)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(limits.previewsPerMinute);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(50 - limits.previewsPerMinute);
    expect(spoken()).toHaveLength(limits.previewsPerMinute);
    for (const answer of answers) await answer.body?.cancel();
  });

  test("are counted by account, whatever credential and engine", async () => {
    const key = withKey((await makeKey(ann)).secret);
    for (let times = 0; times < limits.previewsPerMinute / 2; times++) {
      await wavFrom(await speak(hello, key));
      expect((await speak({ provider: "local", text: "Hello" })).status).toBe(503);
    }
    expect((await speak(hello)).status).toBe(429);
    expect((await speak({ text: "Hello" }, await signIn("bea@example.com"))).status).toBe(503);
    expect((await sample(`?provider=cartesia&voice=${ginny}`)).status).toBe(200);
  });

  test("are forgotten by the clean-up once they no longer count", async () => {
    await wavFrom(await speak(hello));
    const count = () => db.prepare("SELECT count(*) AS calls FROM preview_calls").first("calls");
    await cleanUp(envOf(bindings));
    expect(await count()).toBe(1);
    moveClock(60);
    await cleanUp(envOf(bindings));
    expect(await count()).toBe(0);
  });

  test("that cannot be counted are not spoken", async () => {
    await db.exec("ALTER TABLE preview_calls RENAME TO elsewhere");
    captureLog();
    expect(await codeOf(await speak(hello))).toEqual([503, "vault_unavailable"]);
    expect(spoken()).toEqual([]);
  });
});
