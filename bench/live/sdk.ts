// Our own browser client, bundled as a page would bundle it, timed from its POST to the first frame it shows.

import { join } from "node:path";
import { build, type Rolldown } from "vite";
import type { BoxProcess } from "../../test/harness/box.ts";
import { launchChromium } from "../../test/harness/chromium.ts";
import { openPage } from "../../test/harness/page.ts";
import { root } from "../../test/harness/process.ts";
import type { createClient } from "../../web/sdk/index.ts";
import { median, report, type Row } from "../report.ts";

const rounds = 7;

async function bundleSdk(): Promise<string> {
  const result = (await build({
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      lib: { entry: join(root, "web/sdk/index.ts"), formats: ["iife"], name: "visavis" },
    },
  })) as Rolldown.RolldownOutput[];
  const chunk = result[0]?.output[0];
  if (chunk?.type !== "chunk") throw new Error("The SDK could not be bundled.");
  return chunk.code;
}

/** `POST /connect` → first frame shown, through `web/sdk`; every round in a fresh page. */
export async function firstFrameThroughSdk(box: BoxProcess): Promise<Row[]> {
  const code = await bundleSdk();
  const browser = await launchChromium();
  try {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const page = await openPage(browser, box.url);
      await page.addScriptTag({ content: code });
      times.push(
        await page.evaluate(async () => {
          const { createClient: create } = (
            window as unknown as { visavis: { createClient: typeof createClient } }
          ).visavis;
          const video = document.createElement("video");
          document.body.append(video);
          // A box alone is open to its own machine: any credential will do.
          const client = create({ baseUrl: location.origin, credential: "none" });
          client.streamToVideoElement(video);
          const shown = new Promise<number>((resolve) => {
            video.requestVideoFrameCallback((now) => resolve(now));
          });
          await client.connect();
          const shownAt = await shown;
          const posted = performance
            .getEntriesByType("resource")
            .findLast((entry) => entry.name.endsWith("/connect"));
          await client.disconnect();
          return shownAt - (posted?.startTime ?? Number.NaN);
        }),
      );
      await page.close();
    }
    return [
      report({
        name: "POST /connect → first decoded frame, through our SDK",
        value: median(times),
        unit: "ms",
        floor: { atMost: 200 },
        peer: { name: "aiortc (published)", value: 98 },
      }),
    ];
  } finally {
    await browser.close();
  }
}
