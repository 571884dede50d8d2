// Offer → first decoded frame, and half a minute of decoding, in Chromium and in aiortc; canned media, no renderer.
// Usage: node box/streaming/bench/receivers.ts [seconds] [port]

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { chromium } from "playwright-core";
import { MediaPeer } from "../peer.ts";
import { cannedMedia } from "./media.ts";
import { CannedStage } from "./stage.ts";

const seconds = Number(process.argv[2] ?? 30);
const port = Number(process.argv[3] ?? 21080);
const rounds = 7;
const media = cannedMedia();
const open = new Set<{ peer: MediaPeer; stage: CannedStage }>();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "POST") {
    response
      .setHeader("content-type", "text/html")
      .end("<!doctype html><video autoplay playsinline></video>");
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const session: { stage?: CannedStage } = {};
  const { peer, answerSdp } = await MediaPeer.answer({
    offerSdp: Buffer.concat(chunks).toString(),
    onKeyframeRequest: () => session.stage?.requestKeyframe(),
    onState(state) {
      if (state === "failed" || state === "disconnected") void peer.close();
      if (state === "closed") session.stage?.close();
    },
  });
  session.stage = new CannedStage(media, peer);
  open.add({ peer, stage: session.stage });
  response.setHeader("content-type", "application/sdp").end(answerSdp);
}

function median(values: number[]): string {
  return (
    values
      .toSorted((a, b) => a - b)
      .at(Math.floor(values.length / 2))
      ?.toFixed(0) ?? "none"
  );
}

/** Runs in the page: connects and resolves with milliseconds from the start of the negotiation to the first frame. */
async function connectInPage({ gather, watchMs }: { gather: boolean; watchMs: number }) {
  const page = globalThis as any;
  const peer = new page.RTCPeerConnection();
  const video = page.document.querySelector("video");
  const stream = new page.MediaStream();
  peer.ontrack = (event: any) => stream.addTrack(event.track);
  peer.addTransceiver("video", { direction: "recvonly" });
  peer.addTransceiver("audio", { direction: "recvonly" });
  video.srcObject = stream;
  const first = new Promise<void>((resolve) => video.requestVideoFrameCallback(() => resolve()));
  const startedAt = performance.now();
  await peer.setLocalDescription();
  if (gather) {
    await new Promise<void>((resolve) => {
      if (peer.iceGatheringState === "complete") resolve();
      peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && resolve();
    });
  }
  const offeredAt = performance.now();
  const response = await fetch("/", { method: "POST", body: peer.localDescription.sdp });
  await peer.setRemoteDescription({ type: "answer", sdp: await response.text() });
  await first;
  const firstFrameAt = performance.now();
  const read = async () => {
    const report: any[] = [...(await peer.getStats()).values()];
    const inbound = (kind: string) =>
      report.find((entry) => entry.type === "inbound-rtp" && entry.kind === kind);
    return { video: inbound("video"), audio: inbound("audio") };
  };
  const before = await read();
  await new Promise((resolve) => setTimeout(resolve, watchMs));
  const after = await read();
  peer.close();
  return {
    fromOfferMs: firstFrameAt - offeredAt,
    inAllMs: firstFrameAt - startedAt,
    offerHadCandidates: /a=candidate/.test(peer.localDescription?.sdp ?? ""),
    fps:
      ((after.video.framesDecoded - before.video.framesDecoded) * 1000) /
      (after.video.timestamp - before.video.timestamp),
    freezes: after.video.freezeCount,
    lostPackets: after.video.packetsLost,
    audioEnergy: after.audio.totalAudioEnergy - before.audio.totalAudioEnergy,
    audioLatenessMs:
      after.audio.estimatedPlayoutTimestamp && after.video.estimatedPlayoutTimestamp
        ? after.audio.estimatedPlayoutTimestamp - after.video.estimatedPlayoutTimestamp
        : null,
    concealed: after.audio.concealedSamples - before.audio.concealedSamples,
  };
}

async function measureChromium(): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: "--autoplay-policy=no-user-gesture-required --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(
      " ",
    ),
  });
  try {
    const run = async (options: { gather: boolean; watchMs: number }) => {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${port}/`);
      const result = await page.evaluate(connectInPage, options);
      await page.close();
      return result;
    };
    await run({ gather: false, watchMs: 0 });
    for (const gather of [true, false]) {
      const results: Awaited<ReturnType<typeof run>>[] = [];
      for (let round = 0; round < rounds; round += 1) results.push(await run({ gather, watchMs: 0 }));
      console.log(
        `Chromium, ${gather ? "waiting for its own gathering" : "offer posted at once"}: offer → first frame ` +
          `${median(results.map((result) => result.fromOfferMs))} ms, with the page's own work ${median(results.map((result) => result.inAllMs))} ms`,
      );
    }
    console.log("Chromium, sustained:", await run({ gather: false, watchMs: seconds * 1000 }));
  } finally {
    await browser.close();
  }
}

const AIORTC = `
import asyncio, sys, time, urllib.request
from aiortc import RTCPeerConnection, RTCSessionDescription

async def main():
    peer = RTCPeerConnection()
    peer.addTransceiver("video", direction="recvonly")
    peer.addTransceiver("audio", direction="recvonly")
    tracks = {}
    peer.on("track", lambda track: tracks.__setitem__(track.kind, track))
    await peer.setLocalDescription(await peer.createOffer())
    started = time.monotonic()
    request = urllib.request.Request(sys.argv[1], data=peer.localDescription.sdp.encode(), method="POST")
    answer = await asyncio.to_thread(lambda: urllib.request.urlopen(request).read().decode())
    await peer.setRemoteDescription(RTCSessionDescription(answer, "answer"))
    frame = await tracks["video"].recv()
    first = time.monotonic()
    frames = 0
    samples = 0
    async def listen():
        nonlocal samples
        while True:
            samples += (await tracks["audio"].recv()).samples
    listener = asyncio.create_task(listen())
    while time.monotonic() - first < float(sys.argv[2]):
        frame = await tracks["video"].recv()
        frames += 1
    listener.cancel()
    print("aiortc: offer -> first frame %.0f ms, %dx%d, %.2f fps, %.2f s of audio" % ((first - started) * 1000,
          frame.width, frame.height, frames / (time.monotonic() - first), samples / 48000))
    await peer.close()

asyncio.run(main())
`;

async function measureAiortc(): Promise<void> {
  const child = spawn(
    "/usr/bin/python3",
    ["-c", AIORTC, `http://127.0.0.1:${port}/`, String(Math.min(seconds, 10))],
    {
      stdio: "inherit",
    },
  );
  await new Promise((resolve) => child.once("close", resolve));
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    response.statusCode = 400;
    response.end(String(error));
  });
});
await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
try {
  await measureChromium();
  await measureAiortc();
} finally {
  for (const { peer, stage } of open) {
    stage.close();
    await peer.close();
  }
  server.close();
}
