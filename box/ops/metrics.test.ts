// What an operator sees at GET /metrics, and who is an operator.

import { get } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { statsSchema } from "../../contract/live.ts";
import { RecognitionError } from "../hearing/recogniser.ts";
import { otherKey, staticKey, startTestBox, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(() => box.close());

/** Without the headers that fetch adds of its own, as a scraper asks. */
function scrape(
  headers: Record<string, string> = {},
): Promise<{ status: number; type: string; text: string }> {
  return new Promise((resolve, reject) => {
    get(`${box.url}/metrics`, { headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", text }),
      );
    }).on("error", reject);
  });
}

/** The value of a series; undefined where there is none. */
async function valueOf(series: string): Promise<number | undefined> {
  const line = (await scrape()).text.split("\n").find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const until = async (done: () => Promise<boolean>) => {
  while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 5));
};

test("the machine itself and an operator's key read it; for everybody else there is no such path", async () => {
  const own = await scrape();
  expect(own).toMatchObject({ status: 200, type: expect.stringMatching(/^text\/plain; version=/) });
  expect(own.text).toContain("visavis_process_resident_memory_bytes ");
  for (const sign of ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "Origin"]) {
    const passedOn = { [sign]: sign === "Origin" ? "http://localhost" : "203.0.113.9" };
    const stranger = await scrape(passedOn);
    expect(stranger.status).toBe(404);
    expect(JSON.parse(stranger.text)).toMatchObject({ error: { code: "not_found" } });
    expect((await scrape({ ...passedOn, "X-Api-Key": "a-key-of-nobody" })).status).toBe(404);
    for (const key of [staticKey, otherKey])
      expect((await scrape({ ...passedOn, Authorization: `Bearer ${key}` })).status).toBe(200);
  }
});

test("on a box without keys only the machine itself reads it", async () => {
  await box.close();
  box = await startTestBox({ SERVICE_API_KEYS: "" });
  expect((await scrape()).status).toBe(200);
  expect((await scrape({ "X-Forwarded-For": "203.0.113.9" })).status).toBe(404);
  expect((await scrape({ "X-Forwarded-For": "203.0.113.9", "X-Api-Key": "anything" })).status).toBe(404);
});

test("a typed turn is counted and timed, and the stats tell the same", async () => {
  expect(await valueOf('visavis_session_state{state="free"}')).toBe(1);
  await box.connect();
  const socket = await box.socket();
  expect(await valueOf('visavis_session_state{state="busy"}')).toBe(1);
  expect(await valueOf('visavis_sockets_open{kind="control"}')).toBe(1);
  socket.send({ type: "message", content: "Hello." });
  await until(async () => (await valueOf("visavis_first_frame_ms_count")) === 1);
  await until(async () => (await valueOf('visavis_turns_total{source="typed",outcome="replied"}')) === 1);
  for (const stage of ["llm_ms", "tts_ms", "first_audio_ms"])
    expect(await valueOf(`visavis_${stage}_count`)).toBe(1);
  expect(await valueOf("visavis_end_of_speech_to_audio_ms_count")).toBe(0);
  const stats = statsSchema.strict().parse(await (await box.ask("/api/stats")).json());
  expect(stats.first_frame_ms.p50).toBe(await valueOf("visavis_first_frame_ms_sum"));
  expect(stats.llm_ms.p50).toBe(await valueOf("visavis_llm_ms_sum"));
  expect(stats.end_of_speech_ms).toEqual({ p50: 0, p95: 0, p99: 0 });
});

test("two boxes of one process count apart", async () => {
  const other = await startTestBox();
  await other.services.ears.listen({ language: "en", playback: null, onEvent: () => {} });
  other.services.metrics.recogniserFailed();
  expect(await valueOf("visavis_recogniser_failures_total")).toBe(0);
  await other.close();
});

test("speakers who cut in, spoken turns and recognisers that fail are counted", async () => {
  const { metrics, ears } = box.services;
  const playback = { speaking: true } as Parameters<typeof ears.listen>[0]["playback"];
  const heard: string[] = [];
  await ears.listen({ language: "en", playback, onEvent: (event) => heard.push(event.case) });
  const listener = box.ears.listener;
  listener.turn("What time is it?");
  metrics.answered(250);
  listener.tell({ case: "failed", message: "The recogniser is gone." });
  expect(heard).toEqual(["speech_started", "partial", "turn", "failed"]);
  expect(await valueOf("visavis_barge_ins_total")).toBe(1);
  expect(await valueOf("visavis_end_of_speech_to_audio_ms_count")).toBe(1);
  expect(await valueOf("visavis_end_of_speech_to_audio_ms_sum")).toBe(250);
  expect(await valueOf("visavis_recogniser_failures_total")).toBe(1);
  box.ears.refusal = new RecognitionError("It would not start.");
  const refused = ears.listen({ language: "en", playback: null, onEvent: () => {} });
  await expect(refused).rejects.toThrow("It would not start.");
  expect(await valueOf("visavis_recogniser_failures_total")).toBe(2);
});

test("a spoken turn is timed by its own reply, and by no other sound that comes after it", async () => {
  await box.connect();
  const microphone = await box.microphone();
  await microphone.next("ready");
  const socket = await box.socket();
  box.ears.listener.turn("…");
  socket.send({ type: "message", content: "Hello." });
  await until(async () => (await valueOf("visavis_first_audio_ms_count")) === 1);
  expect(await valueOf("visavis_end_of_speech_to_audio_ms_count")).toBe(0);
  box.ears.listener.turn("What time is it?");
  const { first_audio_ms } = await microphone.next("metric");
  expect(await valueOf("visavis_end_of_speech_to_audio_ms_count")).toBe(1);
  expect(await valueOf("visavis_end_of_speech_to_audio_ms_sum")).toBe(first_audio_ms);
});

test("a start that nobody waits for any longer has failed, once; one that a closing box ends has not", async () => {
  const { ears } = box.services;
  const failures = () => valueOf("visavis_recogniser_failures_total");
  const loading = Promise.withResolvers<void>();
  box.ears.loaded = loading.promise;
  box.ears.refusal = new RecognitionError("It would not start.");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const late = ears.listen({ language: "en", playback: null, onEvent: () => {} });
  vi.advanceTimersByTime(20_000);
  vi.useRealTimers();
  expect(await failures()).toBe(1);
  const waiting = ears.listen({ language: "en", playback: null, onEvent: () => {} });
  await ears.close();
  loading.resolve();
  await expect(late).rejects.toThrow("It would not start.");
  await expect(waiting).rejects.toThrow("It would not start.");
  expect(await failures()).toBe(1);
});

test("what an operator watches beside the turns: ended sessions, builds, failed voices, and what waits", async () => {
  expect(await valueOf('visavis_sessions_total{reason="disconnected"}')).toBe(0);
  await box.connect();
  await box.ask("/disconnect", { method: "POST" });
  expect(await valueOf('visavis_sessions_total{reason="disconnected"}')).toBe(1);
  expect(await valueOf('visavis_sessions_total{reason="lost"}')).toBe(0);

  const { operations } = box.services.metrics;
  operations.built("maya", { state: "preparing", finished_at: null });
  operations.built("maya", { state: "failed", finished_at: 1 });
  operations.built("maya", { state: "preparing", finished_at: null });
  for (let clip = 0; clip < 3; clip++) operations.built("maya", { state: "ready", finished_at: 2 });
  expect(await valueOf('visavis_avatar_builds_total{state="failed"}')).toBe(1);
  expect(await valueOf('visavis_avatar_builds_total{state="ready"}')).toBe(1);

  for (const gauge of ["reports_waiting", "recordings_waiting", "child_processes", "voice_failures_total"])
    expect([gauge, await valueOf(`visavis_${gauge}`)]).toEqual([gauge, 0]);
});
