// What tests of the live studio do: go live, and listen to the face.

import type { Page } from "playwright-core";

export const liveVideo = (page: Page) => page.getByTestId("live-video");

/** Goes live with the face that is picked, and waits for its picture. */
export async function goLiveInStudio(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Go live", exact: true }).click();
  await page.locator(".stage-live").waitFor();
  await page.locator('[data-testid="connection-state"][data-state="connected"]').waitFor();
}

/** Ends the session and waits until the box knows; a browser closed before that would keep others out for half a minute. */
export async function endLive(page: Page): Promise<void> {
  await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname === "/disconnect"),
    page.getByRole("button", { name: "End", exact: true }).click(),
  ]);
}

/** The loudest sample of the page's live sound over a while, 0..1. */
export function loudest(page: Page, ms: number): Promise<number> {
  return liveVideo(page).evaluate(async (element, ms) => {
    const stream = (element as HTMLVideoElement).srcObject as MediaStream;
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(new MediaStream(stream.getAudioTracks())).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let peak = 0;
    const until = performance.now() + ms;
    while (performance.now() < until) {
      analyser.getFloatTimeDomainData(samples);
      for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
      await new Promise((resolve) => {
        setTimeout(resolve, 30);
      });
    }
    await context.close();
    return peak;
  }, ms);
}
