// A minute live in real Chromium: decoded frames, freezes, sound, and what the box costs meanwhile.

import { launchChromium } from "../../test/harness/chromium.ts";
import type { BoxProcess } from "../../test/harness/box.ts";
import { goLive, openPage } from "../../test/harness/page.ts";
import { cpuSeconds, processTree } from "../../test/harness/process.ts";
import { report, type Row } from "../report.ts";

const speech =
  "I can keep talking for as long as you like. Every word you hear is made on this machine, and every frame you see " +
  "is drawn while I say it. People often ask what happens between two sentences. The answer is simple. I breathe, I " +
  "blink, and I wait for you.";

const treeCpu = (pid: number): number => processTree(pid).reduce((sum, one) => sum + cpuSeconds(one), 0);

/** Speaks about half of the time, as in a conversation, for `seconds`. */
export async function sustained(box: BoxProcess, seconds: number): Promise<Row[]> {
  const browser = await launchChromium();
  try {
    const page = await openPage(browser, box.url);
    await goLive(page, { gather: false });
    await page.waitForTimeout(3000);
    const cpuBefore = treeCpu(box.pid);
    const wallBefore = performance.now();
    const seen = await page.evaluate(
      async ({ seconds, speech }) => {
        const { video, stream, peer } = window.live;
        const times: number[] = [];
        const onFrame = (now: number) => {
          times.push(now);
          video.requestVideoFrameCallback(onFrame);
        };
        video.requestVideoFrameCallback(onFrame);
        const context = new AudioContext();
        const analyser = context.createAnalyser();
        context.createMediaStreamSource(new MediaStream(stream.getAudioTracks())).connect(analyser);
        const samples = new Float32Array(analyser.fftSize);
        let loudest = 0;
        const listen = setInterval(() => {
          analyser.getFloatTimeDomainData(samples);
          for (const sample of samples) loudest = Math.max(loudest, Math.abs(sample));
        }, 50);
        const talk = () =>
          fetch("/api/talk", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ text: speech }),
          });
        await talk();
        const again = setInterval(talk, 30_000);
        const inbound = async () => {
          for (const entry of (await peer.getStats()).values()) {
            if (entry.type === "inbound-rtp" && entry.kind === "video") return entry;
          }
          throw new Error("The page receives no video.");
        };
        const before = await inbound();
        const start = performance.now();
        await new Promise((resolve) => {
          setTimeout(resolve, seconds * 1000);
        });
        const after = await inbound();
        const elapsed = (performance.now() - start) / 1000;
        clearInterval(listen);
        clearInterval(again);
        const gaps = times.slice(1).map((time, i) => time - (times[i] ?? time));
        return {
          fps: (after.framesDecoded - before.framesDecoded) / elapsed,
          longestGapMs: Math.max(...gaps),
          freezes: after.freezeCount - before.freezeCount,
          width: after.frameWidth,
          loudest,
        };
      },
      { seconds, speech },
    );
    const cpuShare = (100 * (treeCpu(box.pid) - cpuBefore)) / ((performance.now() - wallBefore) / 1000);
    return [
      report({
        name: `decoded at ${seen.width} px wide`,
        value: seen.fps,
        unit: "fps",
        floor: { atLeast: 24.5 },
      }),
      report({
        name: "longest gap between frames",
        value: seen.longestGapMs,
        unit: "ms",
        floor: { atMost: 200 },
      }),
      report({ name: "freezes counted by the browser", value: seen.freezes, unit: "", floor: { atMost: 0 } }),
      report({ name: "loudest sample heard", value: seen.loudest, unit: "of 1", floor: { atLeast: 0.05 } }),
      report({
        name: "whole box, one core",
        value: cpuShare,
        unit: "%",
        floor: { atMost: 35 },
        peer: { name: "aiortc's H.264 server (published, encode alone)", value: 50 },
      }),
    ];
  } finally {
    await browser.close();
  }
}
