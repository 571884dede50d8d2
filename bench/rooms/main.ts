// A box as the avatar of an agent in a room, beside an avatar without a face in the same room server. Exits 1 when a floor is
// missed. LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET name a real server; without them it is the tests' own.

import { dispose } from "@livekit/rtc-node";
import { Agent } from "../../test/rooms/agent.ts";
import { Venue } from "../../test/rooms/meeting.ts";
import { until } from "../../test/rooms/until.ts";
import { describeRow, holds, median, report, type Row } from "../report.ts";
import { enterBareAvatar } from "./bare-avatar.ts";
import { turn, wait, type Turn } from "./latency.ts";

const rounds = 7;
const rows: Row[] = [];
const venue = await Venue.open();

async function turnsOf(agent: Agent, avatar: string): Promise<Turn[]> {
  // The first one warms both clients.
  await turn(agent, avatar);
  const turns: Turn[] = [];
  for (let round = 0; round < rounds; round += 1) {
    turns.push(await turn(agent, avatar));
    await wait(300);
  }
  return turns;
}

async function joins(): Promise<{ answerMs: number; pictureMs: number }[]> {
  const all: { answerMs: number; pictureMs: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const meeting = await venue.meet();
    const body = await meeting.joinBody();
    const askedAtMs = performance.now();
    const asked = venue.ask("POST", "/rtc/join", body);
    const picture = await until("picture", () => meeting.agent.visitor.seen(venue.avatar)[0]);
    const answer = await asked.then(({ status }) => ({ status, atMs: performance.now() }));
    if (answer.status !== 200) throw new Error(`The join was refused with ${answer.status}.`);
    all.push({ answerMs: answer.atMs - askedAtMs, pictureMs: picture.atMs - askedAtMs });
    await leaveAll();
  }
  return all;
}

async function leaveAll(): Promise<void> {
  await venue.ask("POST", "/rtc/leave");
  await venue.everybodyLeaves();
  for (;;) {
    if ((await venue.status()).body.state === "free") return;
    await wait(50);
  }
}

async function bare(): Promise<Turn[]> {
  const { service } = venue;
  const room = service.roomName();
  const token = await service.mint({ identity: "bare", room, kind: "agent" });
  const avatar = await enterBareAvatar(service.url, token);
  const agentToken = await service.mint({ identity: "agent", room, kind: "agent" });
  const agent = await Agent.enter(service.url, agentToken, "bare");
  try {
    await until("sound", () => agent.visitor.heard("bare").length > 0);
    return await turnsOf(agent, "bare");
  } finally {
    await agent.visitor.leave();
    await avatar.leave();
  }
}

try {
  const joined = await joins();
  const picture = joined.map(({ pictureMs }) => pictureMs);
  rows.push(
    report({
      name: "POST /rtc/join → first picture decoded at the agent",
      value: median(picture),
      unit: "ms",
      floor: { atMost: 2000 },
    }),
    report({ name: "slowest of those", value: Math.max(...picture), unit: "ms", floor: { atMost: 2000 } }),
    report({
      name: "POST /rtc/join → its answer",
      value: median(joined.map(({ answerMs }) => answerMs)),
      unit: "ms",
    }),
  );

  const meeting = await venue.meet();
  await meeting.join();
  await until("sound", () => meeting.heard().length > 0);
  const box = await turnsOf(meeting.agent, venue.avatar);
  await leaveAll();
  const peer = await bare();
  const speech = (turns: Turn[]) => turns.map(({ toSpeechMs }) => toSpeechMs);
  const silence = (turns: Turn[]) => turns.map(({ toSilenceMs }) => toSilenceMs);
  rows.push(
    report({
      name: "agent's audio in → avatar's audio heard",
      value: median(speech(box)),
      unit: "ms",
      floor: { atMost: 150 },
      peer: { name: "an avatar without a face", value: median(speech(peer)) },
    }),
    report({ name: "slowest of those", value: Math.max(...speech(box)), unit: "ms" }),
    report({
      name: "interruption → silence",
      value: median(silence(box)),
      unit: "ms",
      floor: { atMost: 150 },
      peer: { name: "an avatar without a face", value: median(silence(peer)) },
    }),
    report({ name: "slowest of those", value: Math.max(...silence(box)), unit: "ms" }),
  );
} finally {
  await venue.close();
  await dispose();
}
const missed = rows.filter((row) => !holds(row));
if (missed.length > 0) {
  console.error(`Missed:\n${missed.map((row) => `  ${describeRow(row)}`).join("\n")}`);
  process.exitCode = 1;
}
