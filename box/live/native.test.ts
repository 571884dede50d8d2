// The turn machine on the real stage, with the real voice; only the WebRTC connection is replaced.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MediaPacket } from "../../native/binding/index.js";
import { openCaller } from "../access/caller.ts";
import { startBox, type RunningBox } from "../box.ts";
import { readConfig } from "../config.ts";
import { createLog } from "../ops/log.ts";
import { FakeFaces } from "../testing/fake-faces.ts";
import { FakePeer } from "../testing/fake-media.ts";
import { SocketClient } from "../testing/socket-client.ts";
import { EspeakVoice } from "../voices/espeak.ts";
import { openMedia } from "../media/open.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const installed =
  existsSync(path("../../native/build/Release/visavis.node")) &&
  spawnSync("espeak-ng", ["--version"]).status === 0;

const size = 256;

/** A plain picture with the landmarks of a portrait: what it shows does not matter here. */
async function buildFace(outDir: string): Promise<void> {
  const { buildAvatar } = await import("../../native/binding/index.js");
  const shares = (await readFile(path("../../native/test/stage/landmarks.txt"), "utf8")).trim().split(/\s+/);
  await buildAvatar({
    rgb: new Uint8Array(size * size * 3).fill(140),
    width: size,
    height: size,
    landmarks: Float32Array.from(shares, (share) => Number(share) * size),
    outputWidth: size,
    outputHeight: size,
    loopSeconds: 2,
    outDir,
  });
}

// `npm test` installs both before it runs this; only a bare `vitest` on an unprepared machine skips it.
describe.skipIf(!installed)("with the addon built and espeak-ng installed", () => {
  let stateDir: string;
  let box: RunningBox;
  let socket: SocketClient;
  const packets: MediaPacket[] = [];
  const speech = () => packets.filter((packet) => packet.kind === "audio" && packet.speech).length;

  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), "visavis-live-"));
    await buildFace(stateDir);
    const { Stage } = await import("../../native/binding/index.js");
    const faces = new FakeFaces();
    for (const entry of faces.entries) entry.dir = stateDir;
    box = await startBox({
      config: readConfig({ BOX_PORT: "0", VISAVIS_STATE: stateDir }),
      log: createLog("silent"),
      engines: [await EspeakVoice.open()],
      media: openMedia(),
      openFaces: () => Promise.resolve(faces),
      engine: {
        sizeOf: () => ({ width: 64, height: 64 }),
        answer: (options) => Promise.resolve({ peer: new FakePeer(options), answerSdp: "v=0\r\n" }),
        createStage: (options) =>
          new Stage({
            ...options,
            onPackets: (batch) => {
              packets.push(...batch);
              options.onPackets(batch);
            },
          }),
      },
    });
    const body = JSON.stringify({ sdp: "v=0\r\n", type: "offer" });
    expect((await fetch(`${box.url}/connect`, { method: "POST", body })).status).toBe(200);
    socket = await SocketClient.open(`${box.url.replace("http", "ws")}/api/session/ws`);
  });

  afterAll(async () => {
    socket.drop();
    await box.close();
    await rm(stateDir, { recursive: true, force: true });
  });

  test("a message is heard: speech between its two events, a metric, and both tracks", async () => {
    socket.send({ type: "message", content: "say: Hi there.", correlationId: "m1" });
    await socket.next("avatar_speech_started");
    expect(await socket.next("metric")).toMatchObject({ correlationId: "m1" });
    await socket.next("avatar_speech_ended");
    expect(speech()).toBeGreaterThan(10);
    expect(packets.filter((packet) => packet.kind === "video").length).toBeGreaterThan(10);
    expect(socket.events.filter(({ type }) => type === "message")).toMatchObject([{ content: "Hi there." }]);
  });

  test("an interrupt silences a long reply, and the next turn is heard", async () => {
    socket.send({ type: "talk", content: "One two three four five six seven eight nine ten. ".repeat(20) });
    await socket.next("avatar_speech_started");
    socket.send({ type: "interrupt" });
    await socket.next("avatar_speech_ended");
    await socket.next("interrupted");
    const before = speech();
    socket.send({ type: "talk", content: "Yes." });
    await socket.next("avatar_speech_started");
    await socket.next("avatar_speech_ended");
    expect(speech()).toBeGreaterThan(before);
  });

  test("a reply begun early is silent until it is wanted, and then heard at once", async () => {
    const { turns } = box.services;
    const request = { caller: openCaller, source: "spoken" as const, correlationId: "early" };
    const dropped = turns.speculate(await turns.prepare({ ...request, content: "say: Never heard." }));
    const before = speech();
    await new Promise((resolve) => setTimeout(resolve, 300));
    dropped.drop();
    const wanted = turns.speculate(await turns.prepare({ ...request, content: "say: Heard now." }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(speech()).toBe(before);
    const first = Promise.withResolvers<number>();
    await wanted.commit({ onFirstAudio: first.resolve });
    expect(await first.promise).toBeGreaterThanOrEqual(0);
    expect(await socket.next("metric")).toMatchObject({ correlationId: "early" });
    await socket.next("avatar_speech_ended");
    expect(speech()).toBeGreaterThan(before + 10);
  });

  test("what was heard of an interrupted reply is the beginning of it", async () => {
    const conversation = box.services.conversations.of("open");
    socket.send({ type: "message", content: `say: ${"Alpha beta gamma delta. ".repeat(30)}` });
    await socket.next("avatar_speech_started");
    const heardBefore = speech();
    await expect.poll(() => speech() - heardBefore).toBeGreaterThan(60);
    socket.send({ type: "interrupt" });
    await socket.next("interrupted");
    const last = conversation.messages().at(-1);
    expect(last?.role).toBe("assistant");
    expect("Alpha beta gamma delta. ".repeat(30).startsWith(last?.content ?? "-")).toBe(true);
    expect(last?.content.length).toBeLessThan(200);
  });
});
