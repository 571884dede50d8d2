// End of speech → first audible packet of the reply, through the microphone socket and the built-in recogniser.

import { join } from "node:path";
import type { BoxProcess } from "../../test/harness/box.ts";
import { openMicrophone, readWav, spoken } from "../../test/harness/microphone.ts";
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

export async function spokenTurns(box: BoxProcess, how: string): Promise<Row[]> {
  const client = await connectRtc(box.url);
  const microphone = await openMicrophone(box.url);
  try {
    const toSound: number[] = [];
    let early = 0;
    for (let round = 0; round < rounds; round += 1)
      for (const sentence of sentences) {
        await silence(client);
        const before = microphone.events.length;
        const saidAtMs = await microphone.speak(spoken(sentence));
        toSound.push((await speechAfter(client, saidAtMs)).atMs - saidAtMs);
        const metric = await microphone.event("metric", before);
        if (metric.spec) early += 1;
        await fetch(`${box.url}/api/interrupt`, { method: "POST" });
        await wait(500);
      }
    const count = toSound.length;
    const jfk = await recording(client, microphone, join(root, "test/data/jfk.wav"));
    const peer = { name: "OpenAvatarChat (published)", value: 2200 };
    return [
      report({
        name: `end of speech → first audio of the reply, ${count} turns, ${how}`,
        value: median(toSound),
        unit: "ms",
        ...(early > 0 ? { floor: { atMost: 500 } } : {}),
        peer,
      }),
      report({ name: "95 % of them", value: percentile(toSound, 0.95), unit: "ms" }),
      report({ name: "replies begun early", value: (100 * early) / count, unit: "%" }),
      ...jfk,
    ];
  } finally {
    microphone.close();
    client.close();
    await fetch(`${box.url}/disconnect`, { method: "POST" });
  }
}

/** A recording with long rhetorical pauses: each of them is a chance to answer too early. */
async function recording(
  client: Awaited<ReturnType<typeof connectRtc>>,
  microphone: Awaited<ReturnType<typeof openMicrophone>>,
  path: string,
): Promise<Row[]> {
  await silence(client);
  const before = microphone.events.length;
  const saidAtMs = await microphone.speak(readWav(path));
  const { atMs } = await speechAfter(client, saidAtMs);
  const finals = microphone.events.slice(before).filter((event) => event.type === "final");
  console.log(finals.map((event) => `  heard: ${"text" in event ? event.text : ""}`).join("\n"));
  return [
    report({ name: "jfk.wav: end of speech → first audio of the reply", value: atMs - saidAtMs, unit: "ms" }),
    report({
      name: "jfk.wav: turns settled before its end (four pauses of .4 to 1.1 s)",
      value: finals.filter((event) => event.atMs < saidAtMs).length,
      unit: "",
    }),
  ];
}
