// How long a person waits: for the first picture, the first word, and for silence.

import type { BoxProcess } from "../../test/harness/box.ts";
import { launchChromium } from "../../test/harness/chromium.ts";
import { goLive, openPage } from "../../test/harness/page.ts";
import { connectRtc, isSpeech, openControl, type RtcClient } from "../../test/harness/rtc-client.ts";
import { median, report, type Row } from "../report.ts";

const rounds = 7;

const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** `POST /connect` → first decoded frame, in Chromium with its defaults; every round in a fresh page. */
export async function firstFrame(box: BoxProcess): Promise<Row[]> {
  const browser = await launchChromium();
  try {
    const measure = async (gather: boolean) => {
      const times: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const page = await openPage(browser, box.url);
        times.push(await goLive(page, { gather }));
        await page.close();
      }
      return median(times);
    };
    return [
      report({
        name: "POST /connect → first decoded frame, candidates gathered first (.local on)",
        value: await measure(true),
        unit: "ms",
        floor: { atMost: 400 },
        peer: { name: "aiortc (published)", value: 1219 },
      }),
      report({
        name: "POST /connect → first decoded frame, offer posted at once",
        value: await measure(false),
        unit: "ms",
        floor: { atMost: 200 },
        peer: { name: "aiortc (published)", value: 98 },
      }),
    ];
  } finally {
    await browser.close();
  }
}

async function speechAfter(client: RtcClient, atMs: number): Promise<number> {
  const deadline = performance.now() + 5000;
  while (performance.now() < deadline) {
    const heard = client.audio.find((packet) => packet.atMs > atMs && isSpeech(packet));
    if (heard) return heard.atMs - atMs;
    await wait(5);
  }
  throw new Error("No speech came in five seconds.");
}

/** Message sent → first non-silent audio packet, and interrupt sent → the last one, outside any browser. */
export async function firstWord(box: BoxProcess): Promise<Row[]> {
  const client = await connectRtc(box.url);
  const control = await openControl(box.url);
  try {
    const toSpeech: number[] = [];
    const toSilence: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const sentAt = performance.now();
      control.send({ type: "message", content: "Tell me about yourself, please." });
      toSpeech.push(await speechAfter(client, sentAt));
      await wait(700);
      const interruptedAt = performance.now();
      control.send({ type: "interrupt" });
      await wait(1200);
      const last = client.audio.findLast((packet) => packet.atMs > interruptedAt && isSpeech(packet));
      toSilence.push(last ? last.atMs - interruptedAt : 0);
    }
    return [
      report({
        name: "message → first audible packet (rehearsal, espeak-ng)",
        value: median(toSpeech),
        unit: "ms",
        floor: { atMost: 300 },
        peer: { name: "Tavus (published)", value: 600 },
      }),
      report({ name: "slowest of those", value: Math.max(...toSpeech), unit: "ms", floor: { atMost: 300 } }),
      report({ name: "interrupt → silence", value: median(toSilence), unit: "ms", floor: { atMost: 150 } }),
      report({ name: "slowest of those", value: Math.max(...toSilence), unit: "ms", floor: { atMost: 150 } }),
    ];
  } finally {
    control.close();
    client.close();
  }
}
