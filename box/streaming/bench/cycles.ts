// A hundred connections opened, fed and closed; threads, file descriptors and memory of the sending process after each ten.
// The receivers live in a child process, so that only the sender is measured. Usage: node box/streaming/bench/cycles.ts [cycles]

import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { MediaPeer } from "../peer.ts";
import { loopbackClient } from "./client.ts";
import type { LoopbackClient } from "./client.ts";
import { cannedMedia } from "./media.ts";
import { CannedStage } from "./stage.ts";

async function receive(): Promise<void> {
  let client: LoopbackClient | undefined;
  process.on("message", (message: { answerSdp?: string; close?: boolean }) => {
    void (async () => {
      if (message.answerSdp) client?.connection.setRemoteDescription(message.answerSdp, "answer");
      if (message.close) await client?.close();
      if (message.close || !client) {
        client = await loopbackClient();
        process.send?.({ offerSdp: client.offerSdp });
      }
    })();
  });
  client = await loopbackClient();
  process.send?.({ offerSdp: client.offerSdp });
}

function usage(): string {
  globalThis.gc?.();
  const status = readFileSync("/proc/self/status", "utf8");
  const threads = /Threads:\s+(\d+)/.exec(status)?.[1];
  const rssMiB = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  return `threads ${threads}, fds ${readdirSync("/proc/self/fd").length}, RSS ${rssMiB.toFixed(1)} MiB`;
}

async function measure(cycles: number): Promise<void> {
  const media = cannedMedia();
  const child = fork(process.argv[1] ?? "", ["receive"]);
  try {
    for (let cycle = 1; cycle <= cycles; cycle += 1) {
      const [{ offerSdp }] = (await once(child, "message")) as [{ offerSdp: string }];
      const connected = Promise.withResolvers<void>();
      const { peer, answerSdp } = await MediaPeer.answer({
        offerSdp,
        onState: (state) => state === "connected" && connected.resolve(),
      });
      child.send({ answerSdp });
      await connected.promise;
      const stage = new CannedStage(media, peer);
      await new Promise((resolve) => setTimeout(resolve, 200));
      stage.close();
      if (peer.stats().videoFramesSent === 0) throw new Error("No frame was sent.");
      await peer.close();
      child.send({ close: true });
      if (cycle % 10 === 0) console.log(`after ${cycle}: ${usage()}`);
    }
  } finally {
    child.kill();
  }
}

if (process.argv[2] === "receive") await receive();
else await measure(Number(process.argv[2] ?? 100));
