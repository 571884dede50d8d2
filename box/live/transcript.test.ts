import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  sessionReportSchema,
  transcriptLimits,
  transcriptReportSchema,
} from "../../contract/internal/sessions.ts";
import { defaultSettings } from "../../contract/settings.ts";
import { modelCatalogue } from "../../contract/model-catalogue.ts";
import { settingsRead } from "../portal/standalone.ts";
import { HeldReply } from "../testing/fake-model.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";
import { factsOf } from "./facts.ts";
import { Transcript, type NumberedLine } from "./transcript.ts";

const models = modelCatalogue({ anthropic: false, residencyOptIn: [] });
const persona = `${"p".repeat(79)}😀 and more`;

let portal: Server;
let box: TestBox;
let told: { path: string; body: unknown }[];
/** Reports are answered with this status. */
let status: number;

beforeEach(async () => {
  told = [];
  status = 200;
  portal = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const path = request.url ?? "";
    told.push({ path, body: JSON.parse(text) });
    const settings = { ...defaultSettings(models), system_prompt: persona };
    const answers: Record<string, object> = {
      "/internal/settings/read": settingsRead(settings, models, true),
      "/internal/heartbeat": { drain: false, revoked: [], revocations_seen: 0 },
    };
    response.writeHead(answers[path] ? 200 : status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answers[path] ?? { ok: true }));
  });
  await new Promise<void>((resolve) => {
    portal.listen(0, "127.0.0.1", resolve);
  });
  const { port } = portal.address() as AddressInfo;
  box = await startTestBox({ PORTAL_URL: `http://127.0.0.1:${port}`, BOX_SECRET: "secret-of-this-box" });
});
afterEach(async () => {
  await box.close();
  portal.closeAllConnections();
  portal.close();
});

const toldTo = (path: string) => told.filter((one) => one.path === path).map(({ body }) => body);
const reports = () =>
  toldTo("/internal/sessions/transcript").map((body) => transcriptReportSchema.parse(body));
const lines = () => reports().flatMap((report) => report.lines);
const said = () => lines().map(({ index, role, content, tone }) => [index, role, content, tone]);
const chat = (message: string) => box.ask("/api/chat", { body: { message } });

test("both sides of a live turn reach the portal in order, each at its place", async () => {
  const { session_id } = await box.connect();
  box.model.reply = () => ["[warm] Good morning. ", "How are you?"];
  await chat("Hello!");
  box.model.reply = () => ["[sad] Oh no."];
  await chat("Not well.");
  await expect.poll(said).toEqual([
    [0, "user", "Hello!", null],
    [1, "assistant", "Good morning. How are you?", "warm"],
    [2, "user", "Not well.", null],
    [3, "assistant", "Oh no.", "sad"],
  ]);
  expect(new Set(reports().map((report) => report.session_id))).toEqual(new Set([session_id]));
  const times = lines().map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("an interrupted reply is kept as far as it was heard, before what interrupted it", async () => {
  box.media.held = true;
  await box.connect();
  box.media.stage.playedShare = 0.5;
  const reply = new HeldReply();
  box.model.reply = () => reply.stream();
  reply.write("[happy] Once upon a time there lived a king. He ");
  const turn = chat("Tell me a story.");
  await expect.poll(() => box.voice.spoken.length).toBe(1);
  box.model.reply = () => ["All right."];
  box.media.stage.held = false;
  await Promise.all([turn, chat("Stop.")]);
  await expect.poll(said).toEqual([
    [0, "user", "Tell me a story.", null],
    [1, "assistant", "Once upon a time", "happy"],
    [2, "user", "Stop.", null],
    [3, "assistant", "All right.", "neutral"],
  ]);
});

test("a reply nobody heard is no line", async () => {
  await box.connect();
  box.voice.stumblesOver = "Hello";
  await chat("Hello!");
  await box.ask("/disconnect", { method: "POST" });
  await expect.poll(() => toldTo("/internal/sessions/report").length).toBe(2);
  expect(said()).toEqual([[0, "user", "Hello!", null]]);
});

test("words spoken as given are the avatar's", async () => {
  await box.connect();
  await box.ask("/api/talk", { body: { text: "Welcome back. Shall we?", tone: "excited" } });
  await expect.poll(said).toEqual([[0, "assistant", "Welcome back. Shall we?", "excited"]]);
});

test("a turn in writing belongs to no session", async () => {
  await chat("Hello!");
  await box.connect();
  await box.ask("/disconnect", { method: "POST" });
  await expect.poll(() => toldTo("/internal/sessions/report").length).toBe(2);
  expect(said()).toEqual([]);
});

test("each session counts from the beginning", async () => {
  await box.connect();
  await chat("One.");
  const { session_id } = await box.connect();
  await chat("Two.");
  await expect.poll(() => reports().filter((report) => report.session_id === session_id).length).toBe(2);
  const ofSecond = reports().filter((report) => report.session_id === session_id);
  expect(ofSecond.map(({ lines: [line] }) => line?.index)).toEqual([0, 1]);
});

test("a portal that is down delays no turn, and hears everything once it is back", async () => {
  await box.connect();
  status = 503;
  expect((await chat("Hello!")).status).toBe(200);
  status = 200;
  await expect.poll(() => new Set(said().map(([index]) => index)).size).toBe(2);
});

test("the session's reports say how it was set up", async () => {
  await box.connect({ body: { voice: "en-us+m7" } });
  await box.ask("/disconnect", { method: "POST" });
  await expect.poll(() => toldTo("/internal/sessions/report").length).toBe(2);
  for (const body of toldTo("/internal/sessions/report")) {
    const report = sessionReportSchema.parse(body);
    expect(report).toMatchObject({ model: defaultSettings(models).live_model, voice: "en-us+m7" });
    expect(report.persona).toBe("p".repeat(79));
  }
});

test("a session that began without a voice names none", () => {
  const voices = box.services.voices.known("");
  const settings = { ...defaultSettings(models), system_prompt: "Be kind." };
  const wish = { voiceProvider: "nobody" };
  expect(factsOf({ voices, settings, wish, avatar: "maya" })).toMatchObject({
    voice: "",
    persona: "Be kind.",
  });
});

test("a transcript ends where the portal would take no more", () => {
  const kept: NumberedLine[] = [];
  const transcript = new Transcript((line) => kept.push(line));
  transcript.user(" ");
  transcript.user("x".repeat(transcriptLimits.lineChars + 1));
  for (let i = 0; i < transcriptLimits.lines; i++)
    transcript.assistant({ heard: "y", tone: "neutral", at: 1 });
  expect(kept).toHaveLength(transcriptLimits.lines);
  expect(kept[0]?.content).toHaveLength(transcriptLimits.lineChars);
  expect(kept.at(-1)?.index).toBe(transcriptLimits.lines - 1);
});
