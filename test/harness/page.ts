// A bare page that goes live with plain browser calls: what any WebRTC client would do, without our SDK.

import type { Browser, Page } from "playwright-core";

declare global {
  interface Window {
    live: {
      peer: RTCPeerConnection;
      video: HTMLVideoElement;
      stream: MediaStream;
      /** performance.now() when `POST /connect` was sent, and when the first frame was decoded. */
      postedAt: number;
      firstFrameAt: number;
    };
  }
}

/** Opens a page of the box's own origin; nothing is connected yet. */
export async function openPage(browser: Browser, boxUrl: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${boxUrl}/health`);
  return page;
}

/**
 * Goes live in the page.
 * @param options.gather Wait for ICE gathering before the offer is posted, as simple WHEP clients do.
 * @returns Milliseconds from `POST /connect` to the first decoded frame.
 */
export function goLive(page: Page, options: { avatar?: string; gather: boolean }): Promise<number> {
  return page.evaluate(async ({ avatar, gather }) => {
    const peer = new RTCPeerConnection();
    const stream = new MediaStream();
    const video = document.createElement("video");
    video.autoplay = true;
    video.playsInline = true;
    video.srcObject = stream;
    document.body.append(video);
    peer.addTransceiver("audio", { direction: "recvonly" });
    peer.addTransceiver("video", { direction: "recvonly" });
    peer.addEventListener("track", (event) => stream.addTrack(event.track));
    await peer.setLocalDescription();
    if (gather && peer.iceGatheringState !== "complete") {
      await new Promise<void>((resolve) => {
        peer.addEventListener("icegatheringstatechange", () => {
          if (peer.iceGatheringState === "complete") resolve();
        });
      });
    }
    const firstFrame = new Promise<number>((resolve) => {
      video.requestVideoFrameCallback((now) => resolve(now));
    });
    const postedAt = performance.now();
    const response = await fetch("/connect", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ sdp: peer.localDescription?.sdp, type: "offer", avatar }),
    });
    if (!response.ok) throw new Error(`POST /connect answered ${response.status}: ${await response.text()}`);
    const answer = await response.json();
    await peer.setRemoteDescription({ type: "answer", sdp: answer.sdp });
    const firstFrameAt = await firstFrame;
    window.live = { peer, video, stream, postedAt, firstFrameAt };
    return firstFrameAt - postedAt;
  }, options);
}
