// Interrupt sent → the last audible packet, at every stage of a turn.

import type { BoxProcess } from "../../test/harness/box.ts";
import { connectRtc, openControl } from "../../test/harness/rtc-client.ts";
import { report, type Row } from "../report.ts";
import { heardFor, silence, speechAfter, wait } from "./sound.ts";

const rounds = 5;
/** When after the first sound the interrupt is sent: early in a clause, at its border, late in the reply. */
const moments = [
  ["as soon as it is heard", 0],
  ["in the first clause", 350],
  ["between clauses", 1_200],
  ["in the second clause", 1_900],
  ["late in the reply", 4_000],
] as const;

export async function interrupts(box: BoxProcess): Promise<Row[]> {
  const client = await connectRtc(box.url);
  const control = await openControl(box.url);
  const rows: Row[] = [];
  try {
    for (const [name, afterMs] of moments) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        await silence(client, 200);
        const sentAtMs = performance.now();
        control.send({ type: "message", content: "Tell me a long story about yourself, please." });
        await speechAfter(client, sentAtMs);
        await wait(afterMs);
        const stoppedAtMs = performance.now();
        control.send({ type: "interrupt" });
        await wait(600);
        times.push(heardFor(client, stoppedAtMs));
      }
      rows.push(
        report({
          name: `interrupt ${name} → silence, slowest of ${rounds}`,
          value: Math.max(...times),
          unit: "ms",
          floor: { atMost: 150 },
        }),
      );
    }
    return rows;
  } finally {
    control.close();
    client.close();
    await fetch(`${box.url}/disconnect`, { method: "POST" });
  }
}
