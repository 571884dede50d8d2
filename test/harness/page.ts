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
      /** With `tapAudio`: every Opus packet that came in. */
      opus: { rtpTimestamp: number; data: ArrayBuffer }[];
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
 * @param options.tapAudio Keep a copy of the encoded audio (Chromium's encoded transform).
 * @param options.audio A sound file of the caller's (`POST /api/upload`) to speak as soon as the session is open.
 * @param options.gather Wait for ICE gathering before the offer is posted, as simple WHEP clients do.
 * @returns Milliseconds from `POST /connect` to the first decoded frame.
 */
export function goLive(
  page: Page,
  options: { avatar?: string; audio?: string; gather: boolean; tapAudio?: boolean },
): Promise<number> {
  return page.evaluate(async ({ avatar, audio, gather, tapAudio = false }) => {
    const peer = new RTCPeerConnection({ encodedInsertableStreams: tapAudio } as RTCConfiguration);
    const opus: Window["live"]["opus"] = [];
    interface EncodedFrame {
      data: ArrayBuffer;
      getMetadata(): { rtpTimestamp: number };
    }
    const tap = (receiver: RTCRtpReceiver, keep: boolean) => {
      const { readable, writable } = (
        receiver as unknown as {
          createEncodedStreams(): {
            readable: ReadableStream<EncodedFrame>;
            writable: WritableStream<EncodedFrame>;
          };
        }
      ).createEncodedStreams();
      const copy = new TransformStream<EncodedFrame, EncodedFrame>({
        transform(frame, controller) {
          if (keep) opus.push({ rtpTimestamp: frame.getMetadata().rtpTimestamp, data: frame.data.slice(0) });
          controller.enqueue(frame);
        },
      });
      void readable.pipeThrough(copy).pipeTo(writable);
    };
    const stream = new MediaStream();
    const video = document.createElement("video");
    video.autoplay = true;
    video.playsInline = true;
    video.srcObject = stream;
    document.body.append(video);
    peer.addTransceiver("audio", { direction: "recvonly" });
    peer.addTransceiver("video", { direction: "recvonly" });
    peer.addEventListener("track", (event) => {
      stream.addTrack(event.track);
      if (tapAudio) tap(event.receiver, event.track.kind === "audio");
    });
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
    const path = audio ? "/offer" : "/connect";
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ sdp: peer.localDescription?.sdp, type: "offer", avatar, audio }),
    });
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
    const answer = await response.json();
    await peer.setRemoteDescription({ type: "answer", sdp: answer.sdp });
    const firstFrameAt = await firstFrame;
    window.live = { peer, video, stream, postedAt, firstFrameAt, opus };
    return firstFrameAt - postedAt;
  }, options);
}
