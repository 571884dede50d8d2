// End of speech → first audible packet of the reply, through the microphone socket and the built-in recogniser.

import { join } from "node:path";
import type { BoxProcess } from "../../test/harness/box.ts";
import { openMicrophone } from "../../test/harness/microphone.ts";
import { readWav, spoken } from "../../test/harness/speech.ts";
import { root } from "../../test/harness/process.ts";
import { connectRtc } from "../../test/harness/rtc-client.ts";
import { median, report, type Row } from "../report.ts";
import { percentile, silence, speechAfter, wait } from "./sound.ts";

const sentences = [
  "How are you today?",
  "What can you do?",
  "Tell me about yourself please.",
  "Is it going to rain tomorrow?",
  "Where do you come from?",
  "I would like to hear a story.",
  "What is your name?",
  "That is very good to hear.",
];
const rounds = 3;

export interface SpokenOptions {
  /** What answers, and when it begins to. */
  how: string;
  floorMs?: number;
}

export async function spokenTurns(box: BoxProcess, { how, floorMs }: SpokenOptions): Promise<Row[]> {
  const client = await connectRtc(box.url);
  const microphone = await openMicrophone(box.url);
  try {
    const toSound: number[] = [];
    // Made before the clock runs: a microphone sends without a break.
    const clips = sentences.map((sentence) => spoken(sentence));
    let early = 0;
    for (let round = 0; round < rounds; round += 1)
      for (const clip of clips) {
        await silence(client);
        const before = microphone.events.length;
        const saidAtMs = await microphone.speak(clip);
        toSound.push((await speechAfter(client, saidAtMs)).atMs - saidAtMs);
        const metric = await microphone.event("metric", before);
        if (metric.spec) early += 1;
        await fetch(`${box.url}/api/interrupt`, { method: "POST" });
        // Whoever goes on at once was cut off, for all that the ears can tell, and is given more time from then on.
        await wait(1_000);
      }
    const count = toSound.length;
    const peer = { name: "OpenAvatarChat (published)", value: 2200 };
    return [
      report({
        name: `end of speech → first audio of the reply, ${count} turns, ${how}`,
        value: median(toSound),
        unit: "ms",
        ...(floorMs === undefined ? {} : { floor: { atMost: floorMs } }),
        peer,
      }),
      report({ name: "95 % of them", value: percentile(toSound, 0.95), unit: "ms" }),
      report({ name: "replies begun early", value: (100 * early) / count, unit: "%" }),
    ];
  } finally {
    microphone.close();
    await microphone.closed;
    client.close();
    await fetch(`${box.url}/disconnect`, { method: "POST" });
  }
}

/** A recording with long rhetorical pauses, by a speaker who is new to the ears: each pause is a chance to answer too early. */
export async function recordedTurn(box: BoxProcess): Promise<Row[]> {
  const client = await connectRtc(box.url);
  const microphone = await openMicrophone(box.url);
  try {
    const saidAtMs = await microphone.speak(readWav(join(root, "test/data/jfk.wav")));
    const { atMs } = await speechAfter(client, saidAtMs);
    const finals = microphone.events.filter((event) => event.type === "final");
    console.log(finals.map((event) => `  heard: ${"text" in event ? event.text : ""}`).join("\n"));
    return [
      report({
        name: "jfk.wav: end of speech → first audio of the reply",
        value: atMs - saidAtMs,
        unit: "ms",
      }),
      report({
        name: "jfk.wav: turns settled before its end (pauses of 1.1, 1.0 and .3 s)",
        value: finals.filter((event) => event.atMs < saidAtMs).length,
        unit: "",
      }),
    ];
  } finally {
    microphone.close();
    await microphone.closed;
    client.close();
    await fetch(`${box.url}/disconnect`, { method: "POST" });
  }
}
