// Message to first audible packet, and interrupt to silence, over a real control socket with the real stage, the
// rehearsal model and espeak-ng; only the WebRTC connection is left out.
//
//   node box/live/bench/latency.ts <avatar folder> [turns]

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Stage } from "../../../native/binding/index.js";
import { startBox } from "../../box.ts";
import { readConfig } from "../../config.ts";
import { createLog } from "../../ops/log.ts";
import { Percentiles } from "../../ops/percentiles.ts";
import { FakeFaces } from "../../testing/fake-faces.ts";
import { FakePeer } from "../../testing/fake-media.ts";
import { SocketClient } from "../../testing/socket-client.ts";
import { EspeakVoice } from "../../voices/espeak.ts";

const messages = [
  "Hello!",
  "Tell me a story",
  "How are you?",
  "What can you do?",
  "Count to five",
  "Really?",
];

const [avatarDir, turnsText = "50"] = process.argv.slice(2);
if (!avatarDir) throw new Error("usage: node box/live/bench/latency.ts <avatar folder> [turns]");
const turns = Number(turnsText);

const stateDir = await mkdtemp(join(tmpdir(), "visavis-latency-"));
const faces = new FakeFaces();
for (const entry of faces.entries) entry.dir = avatarDir;

let heard: (speech: boolean) => void = () => undefined;
const box = await startBox({
  config: readConfig({ BOX_PORT: "0", VISAVIS_STATE: stateDir }),
  log: createLog("warn"),
  engine: {
    answer: (options) => Promise.resolve({ peer: new FakePeer(options), answerSdp: "v=0\r\n" }),
    createStage: (options) =>
      new Stage({
        ...options,
        onPackets: (packets) => {
          for (const packet of packets) if (packet.kind === "audio") heard(packet.speech);
          options.onPackets(packets);
        },
      }),
  },
  engines: [await EspeakVoice.open()],
  openFaces: () => Promise.resolve(faces),
});

/** Resolves with the time of the first audio packet that holds speech, or holds none. */
const packet = (speech: boolean) =>
  new Promise<number>((resolve) => {
    heard = (is) => is === speech && resolve(performance.now());
  });

await fetch(`${box.url}/connect`, {
  method: "POST",
  body: JSON.stringify({ sdp: "v=0\r\n", type: "offer" }),
});
const socket = await SocketClient.open(`${box.url.replace("http", "ws")}/api/session/ws`);
const firstAudio = new Percentiles(turns);
const silence = new Percentiles(turns);
let slowest = 0;
for (let turn = 0; turn < turns; turn++) {
  const speech = packet(true);
  const sentAtMs = performance.now();
  socket.send({ type: "message", content: messages[turn % messages.length] });
  const spokenAtMs = await speech;
  firstAudio.add(spokenAtMs - sentAtMs);
  slowest = Math.max(slowest, spokenAtMs - sentAtMs);
  await new Promise((resolve) => setTimeout(resolve, 400));
  const quiet = packet(false);
  const interruptedAtMs = performance.now();
  socket.send({ type: "interrupt" });
  silence.add((await quiet) - interruptedAtMs);
  await socket.next("interrupted");
  await new Promise((resolve) => setTimeout(resolve, 100));
}

const row = (name: string, { p50, p95, p99 }: ReturnType<Percentiles["read"]>, floor: number) =>
  `${name.padEnd(34)} p50 ${p50.toFixed(1).padStart(6)}  p95 ${p95.toFixed(1).padStart(6)}  p99 ${p99.toFixed(1).padStart(6)} ms  (floor ${floor})`;
console.log(row("message to first audible packet", firstAudio.read(), 300));
console.log(row("interrupt to first silent packet", silence.read(), 150));
socket.drop();
await box.close();
await rm(stateDir, { recursive: true, force: true });
