// Records what a viewer sees and hears while the avatar speaks, in real Chromium.

import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launchChromium } from "../../test/harness/chromium.ts";
import { goLive, openPage } from "../../test/harness/page.ts";
import { median } from "../report.ts";

export interface Recording {
  /** What the box said it handed to the voice, clause by clause. */
  clauses: string[];
  /** How far the browser itself says its sound is behind its picture, milliseconds on the sender's clock; median. */
  soundBehindMs: number;
  frames: { seconds: number; path: string }[];
  audio: Float32Array;
  audioRate: number;
}

const audioRate = 8000;

/** Goes live, has every text spoken as written, one after the other, and returns the decoded recording. */
export async function recordSpeech(options: {
  boxUrl: string;
  avatar: string;
  voice: string;
  texts: string[];
  folder: string;
}): Promise<Recording> {
  const browser = await launchChromium();
  try {
    const page = await openPage(browser, options.boxUrl);
    await goLive(page, { avatar: options.avatar, gather: false });
    const { webm, clauses, lags } = await page.evaluate(
      async ({ texts, voice }) => {
        const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/api/session/ws`);
        const clauses: string[] = [];
        let ended = () => {};
        socket.addEventListener("message", (message) => {
          const event = JSON.parse(message.data);
          if (event.type === "message_stream") clauses.push(event.content);
          if (event.type === "avatar_speech_ended") ended();
        });
        await new Promise((resolve) => {
          socket.addEventListener("open", resolve);
        });
        const wait = (ms: number) =>
          new Promise((resolve) => {
            setTimeout(resolve, ms);
          });
        await wait(1500);
        const recorder = new MediaRecorder(window.live.stream, {
          mimeType: "video/webm;codecs=vp8,opus",
          videoBitsPerSecond: 6_000_000,
          audioBitsPerSecond: 128_000,
        });
        const parts: Blob[] = [];
        recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
        recorder.start(500);
        const lags: number[] = [];
        const readClocks = setInterval(async () => {
          const playing: Record<string, number> = {};
          for (const entry of (await window.live.peer.getStats()).values()) {
            if (entry.type === "inbound-rtp") playing[entry.kind] = entry.estimatedPlayoutTimestamp;
          }
          if (playing.audio && playing.video) lags.push(playing.video - playing.audio);
        }, 500);
        await wait(1000);
        for (const content of texts) {
          const done = new Promise<void>((resolve) => {
            ended = resolve;
          });
          socket.send(JSON.stringify({ type: "talk", content, voice }));
          await done;
          await wait(400);
        }
        await wait(500);
        clearInterval(readClocks);
        await new Promise((resolve) => {
          recorder.addEventListener("stop", resolve);
          recorder.stop();
        });
        socket.close();
        const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
        let binary = "";
        for (let i = 0; i < bytes.length; i += 0x8000) {
          binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
        }
        return { webm: btoa(binary), clauses, lags };
      },
      { texts: options.texts, voice: options.voice },
    );
    const file = join(options.folder, "recording.webm");
    writeFileSync(file, Buffer.from(webm, "base64"));
    return { clauses, soundBehindMs: median(lags), ...(await decode(file, options.folder)) };
  } finally {
    await browser.close();
  }
}

/** Frames keep their own times; audio is padded so that its first sample is at time zero of the same clock. */
async function decode(file: string, folder: string): Promise<Omit<Recording, "clauses" | "soundBehindMs">> {
  const pattern = join(folder, "frame-%05d.png");
  const log = await ffmpeg([
    "-i",
    file,
    "-map",
    "0:v",
    "-copyts",
    "-vsync",
    "passthrough",
    "-vf",
    "showinfo",
    "-compression_level",
    "1",
    pattern,
  ]);
  const times = [...log.matchAll(/Parsed_showinfo.* pts_time:\s*([\d.]+)/g)].map((match) => Number(match[1]));
  const raw = join(folder, "audio.f32");
  await ffmpeg([
    "-i",
    file,
    "-map",
    "0:a",
    "-copyts",
    "-af",
    "aresample=async=1:first_pts=0",
    "-ac",
    "1",
    "-ar",
    String(audioRate),
    "-f",
    "f32le",
    raw,
  ]);
  const bytes = readFileSync(raw);
  const frames = times.map((seconds, i) => ({
    seconds,
    path: join(folder, `frame-${String(i + 1).padStart(5, "0")}.png`),
  }));
  const audio = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return { frames, audio, audioRate };
}

async function ffmpeg(args: string[]): Promise<string> {
  const child = spawn("ffmpeg", ["-hide_banner", "-y", ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  if (code !== 0) throw new Error(`ffmpeg failed:\n${log.slice(-2000)}`);
  return log;
}
