// When an avatar is heard, and when no longer, from the packets of its audio track.

import { isSpeech, type ReceivedPacket, type RtcClient } from "../../test/harness/rtc-client.ts";

export const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const patienceMs = 10_000;

/** The first packet with speech after a moment. */
export async function speechAfter(client: RtcClient, atMs: number): Promise<ReceivedPacket> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const heard = client.audio.find((packet) => packet.atMs > atMs && isSpeech(packet));
    if (heard) return heard;
    await wait(3);
  }
  throw new Error(`No speech came in ${patienceMs / 1000} seconds.`);
}

/** Resolves once nothing has been heard for a while. */
export async function silence(client: RtcClient, forMs = 500): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const last = client.audio.findLast(isSpeech);
    if (!last || performance.now() - last.atMs > forMs) return;
    if (performance.now() > deadline) throw new Error("The avatar never stopped speaking.");
    await wait(20);
  }
}

/** How long after a moment something was still heard, in milliseconds; 0 when nothing was. */
export function heardFor(client: RtcClient, atMs: number): number {
  const last = client.audio.findLast(isSpeech);
  return last ? Math.max(0, last.atMs - atMs) : 0;
}

/** The nearest-rank percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
