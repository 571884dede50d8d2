// The built-in voices and their samples, as boxes bring them.

import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import {
  builtinSampleAnswerSchema,
  builtinSampleBytes,
  builtinVoicesAnswerSchema,
} from "../../contract/internal/voices.ts";
import { voiceCatalogueSchema } from "../../contract/voices.ts";
import { asBox, bindings, bodyOf, call, captureLog, db, post, signIn } from "../testing/portal.ts";
import { failing } from "./testing/vault.ts";
import worker from "../index.ts";
import { isWav, wavOfPcm } from "./wav.ts";

const voice = (id: string, name = id) => ({
  provider: "local",
  id,
  name,
  language: "en-us",
  gender: "female",
  description: "",
  recommended: false,
});
const wav = wavOfPcm(new Uint8Array(3200).fill(5), 16_000);

const report = (...voices: object[]) => post("/internal/voices/builtin", { voices }, asBox("box-a"));
const wanted = async (...voices: object[]) =>
  (await bodyOf(await report(...voices), builtinVoicesAnswerSchema)).samples_wanted;
const samplePath = (id: string) => `/internal/voices/builtin/${encodeURIComponent(id)}/sample`;

/** A raw body goes to the Worker itself: the driver sends JSON and streams only. */
async function send(id: string, body: BodyInit, changes: object = {}): Promise<Response> {
  const context = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
  const request = new Request(`http://localhost:8787${samplePath(id)}`, {
    method: "PUT",
    headers: { ...asBox("box-a"), "Content-Type": "audio/wav" },
    body,
  });
  return worker.fetch(request as never, { ...bindings, ...changes }, context);
}
const codeOf = async (response: Response) => {
  const { error } = await bodyOf(response, structuredErrorSchema);
  return [response.status, error.code];
};
const idsOf = async () => {
  const answer = await call("/auth/voices", { headers: await signIn("ann@example.com") });
  return (await bodyOf(answer, voiceCatalogueSchema)).groups[0]?.voices.map((row) => row.id);
};

describe("a report", () => {
  test("lists the voices and asks for the samples that are missing", async () => {
    expect(await wanted(voice("b"), voice("a"))).toEqual(["a", "b"]);
    expect(await idsOf()).toEqual(["a", "b"]);
    expect(await bodyOf(await send("a", wav), builtinSampleAnswerSchema)).toEqual({ ok: true });
    expect(await wanted(voice("b"), voice("a"))).toEqual(["b"]);
  });

  test("replaces the list; what is gone takes its sample along", async () => {
    await wanted(voice("a"), voice("b"));
    await send("a", wav);
    expect(await wanted(voice("b", "Bertha"), voice("c"))).toEqual(["b", "c"]);
    expect(await idsOf()).toEqual(["b", "c"]);
    expect(await bindings.MEDIA.head("voices/builtin/a.wav")).toBeNull();
    expect(await wanted(voice("a"))).toEqual(["a"]);
  });

  test("of a thousand voices is taken whole, a longer one is not", async () => {
    const many = Array.from({ length: 1001 }, (_, i) =>
      voice(`v${i}`, `'); DROP TABLE builtin_voices; -- ${i}`),
    );
    expect(await wanted(...many.slice(0, 1000))).toHaveLength(1000);
    expect(await codeOf(await report(...many))).toEqual([400, "invalid_body"]);
    expect(await idsOf()).toHaveLength(1000);
  });

  test.each([
    ["a row with a path", { ...voice("a"), preview: "/x" }],
    ["a row with a field more", { ...voice("a"), mood: "good" }],
    ["a row without a name", { ...voice("a"), name: undefined }],
    ["a row of an unknown engine", { ...voice("a"), provider: "megaphone" }],
  ])("with %s is refused", async (_name, row) => {
    expect(await codeOf(await report(row))).toEqual([400, "invalid_body"]);
  });

  test("that names one voice twice keeps the last", async () => {
    await wanted(voice("a", "First"), voice("a", "Last"));
    expect(await idsOf()).toEqual(["a"]);
  });

  test("to a database that fails is told so, and the list stays", async () => {
    await wanted(voice("a"));
    await db.exec(
      "CREATE TRIGGER full BEFORE INSERT ON builtin_voices BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    captureLog();
    expect(await codeOf(await report(voice("b")))).toEqual([503, "voice_unavailable"]);
    await db.exec("DROP TRIGGER full");
    expect(await idsOf()).toEqual(["a"]);
  });
});

describe("a sample", () => {
  beforeEach(() => report(voice("en-us+f2"), voice("odd/../id")));

  test("is stored under its voice's id and served as it came", async () => {
    await send("en-us+f2", wav);
    const object = await bindings.MEDIA.get("voices/builtin/en-us+f2.wav");
    expect(object?.httpMetadata?.contentType).toBe("audio/wav");
    expect(new Uint8Array((await object?.arrayBuffer()) ?? [])).toEqual(wav);
    const headers = await signIn("ann@example.com");
    const answer = await call("/auth/voices/preview?provider=local&voice=en-us%2Bf2", { headers });
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(wav);
  });

  test("of an odd id stays inside its folder", async () => {
    expect((await send("odd/../id", wav)).status).toBe(200);
    const { objects } = await bindings.MEDIA.list();
    expect(objects.map(({ key }) => key)).toEqual(["voices/builtin/odd%2F..%2Fid.wav"]);
  });

  test("of a voice nobody reported is refused and not stored", async () => {
    expect(await codeOf(await send("nobody", wav))).toEqual([404, "unknown_voice"]);
    expect((await bindings.MEDIA.list()).objects).toEqual([]);
  });

  test("of a mebibyte is taken, of a byte more is not", async () => {
    const largest = wavOfPcm(new Uint8Array(builtinSampleBytes - 44), 16_000);
    expect(largest.length).toBe(builtinSampleBytes);
    expect((await send("en-us+f2", largest)).status).toBe(200);
    const larger = new Uint8Array(builtinSampleBytes + 1);
    larger.set(largest);
    expect(await codeOf(await send("en-us+f2", larger))).toEqual([413, "body_too_large"]);
    const chunked = new Blob([larger]).stream();
    expect(await codeOf(await send("en-us+f2", chunked))).toEqual([413, "body_too_large"]);
  });

  test("to storage that fails is told so, and is asked for again", async () => {
    captureLog();
    const answer = await send("en-us+f2", wav, { MEDIA: failing<R2Bucket>() });
    expect(await codeOf(answer)).toEqual([503, "voice_unavailable"]);
    expect(await wanted(voice("en-us+f2"))).toEqual(["en-us+f2"]);
  });

  const text = (words: string) => new Uint8Array(new TextEncoder().encode(words.padEnd(100)));
  const changed = (at: number, ...bytes: number[]) => {
    const copy = wav.slice();
    copy.set(bytes, at);
    return copy;
  };
  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ["nothing", new Uint8Array()],
    ["a header cut short", wav.slice(0, 40)],
    ["text", text("Hello")],
    ["an Ogg", text("OggS")],
    ["a RIFF that is no WAVE", changed(8, 65, 86, 73, 32)],
    ["a WAVE without a format", changed(12, 76, 73, 83, 84)],
    ["a WAVE of floats", changed(20, 3)],
    ["a WAVE of 8 bits", changed(34, 8)],
    ["a WAVE with no samples", wavOfPcm(new Uint8Array(), 16_000)],
    ["a WAVE whose data is not there", wav.slice(0, 44)],
    ["a format that is too short", changed(16, 4)],
  ])("that is %s is refused", async (_name, bytes) => {
    expect(await codeOf(await send("en-us+f2", bytes))).toEqual([400, "invalid_body"]);
  });
});

describe("WAV files", () => {
  test("may hold other chunks before their samples, padded to an even length", () => {
    const info = new Uint8Array([...new TextEncoder().encode("LIST"), 3, 0, 0, 0, 1, 2, 3, 0]);
    const file = new Uint8Array(wav.length + info.length);
    file.set(wav.subarray(0, 12));
    file.set(info, 12);
    file.set(wav.subarray(12), 12 + info.length);
    expect(isWav(file)).toBe(true);
    expect(isWav(file.subarray(0, 20))).toBe(false);
  });

  test("end where a chunk's size would lead out of them", () => {
    const huge = wav.slice();
    huge.set([0xff, 0xff, 0xff, 0xff], 16);
    expect(isWav(huge)).toBe(false);
  });

  test("are made of whole samples", () => {
    const file = wavOfPcm(new Uint8Array([1, 2, 3]), 24_000);
    const view = new DataView(file.buffer);
    expect([file.length, view.getUint32(4, true), view.getUint32(40, true)]).toEqual([46, 38, 2]);
    expect([view.getUint32(24, true), view.getUint32(28, true)]).toEqual([24_000, 48_000]);
  });
});
