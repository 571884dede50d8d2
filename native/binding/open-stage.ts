// What tests of the binding do with a Stage.

import { Stage } from "./index.js";
import type { MediaPacket, StageEvent, StageOptions } from "./index.js";

/** A sine of 150 Hz. */
export function tone(seconds: number, sampleRate: number): Int16Array {
  return Int16Array.from({ length: seconds * sampleRate }, (_, i) =>
    Math.round(12_000 * Math.sin((2 * Math.PI * 150 * i) / sampleRate)),
  );
}

/** A Stage, what it sent, and a way to wait until it has sent something. */
export function openStageOf(options: Omit<StageOptions, "onPackets" | "onEvent"> & Partial<StageOptions>) {
  const packets: MediaPacket[] = [];
  const events: StageEvent[] = [];
  const waiting = new Set<() => void>();
  const changed = () => waiting.forEach((check) => check());
  const stage = new Stage({
    onPackets: (batch) => {
      packets.push(...batch);
      changed();
    },
    onEvent: (event) => {
      events.push(event);
      changed();
    },
    ...options,
  });
  const until = (done: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = () => {
        if (!done()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  const of = (kind: MediaPacket["kind"]) => packets.filter((packet) => packet.kind === kind);
  return { stage, packets, events, until, of };
}
