// Message sent → first audible packet, outside any browser.

import type { BoxProcess } from "../../test/harness/box.ts";
import { connectRtc, openControl } from "../../test/harness/rtc-client.ts";
import { median, report, type Row } from "../report.ts";
import { percentile, silence, speechAfter, wait } from "./sound.ts";

const turns = 50;
const messages = [
  "Tell me about yourself, please.",
  "What can you do?",
  "How are you today?",
  "Is it going to rain tomorrow?",
  "Tell me a story.",
];

export async function typedTurns(box: BoxProcess): Promise<Row[]> {
  const client = await connectRtc(box.url);
  const control = await openControl(box.url);
  try {
    const times: number[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      await silence(client, 200);
      const sentAtMs = performance.now();
      control.send({ type: "message", content: messages[turn % messages.length] });
      times.push((await speechAfter(client, sentAtMs)).atMs - sentAtMs);
      await wait(250);
      control.send({ type: "interrupt" });
    }
    const peer = { name: "Tavus (published)", value: 600 };
    return [
      report({
        name: `message → first audio packet, ${turns} turns`,
        value: median(times),
        unit: "ms",
        floor: { atMost: 200 },
        peer,
      }),
      report({ name: "95 % of them", value: percentile(times, 0.95), unit: "ms", floor: { atMost: 300 } }),
    ];
  } finally {
    control.close();
    client.close();
    await fetch(`${box.url}/disconnect`, { method: "POST" });
  }
}
