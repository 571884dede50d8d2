// Records what a viewer sees and hears while the avatar speaks, in real Chromium: every picture it shows and every sound
// packet it decodes, each with its RTP timestamp, and by how much the browser plays one behind the other. (Recorders that
// stamp on arrival, MediaRecorder and Web Audio among them, add some 45 ms of their own between sound and picture.)

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { launchChromium } from "../../test/harness/chromium.ts";
import { goLive, openPage } from "../../test/harness/page.ts";
import { median } from "../report.ts";

export interface Recording {
  /** What the box said it handed to the voice, clause by clause. */
  clauses: string[];
  /** When on the sender's clock; from zero on, as is the audio. */
  frames: { seconds: number; path: string }[];
  audio: Float32Array;
  audioRate: number;
  /** How far the browser itself says its sound is behind its picture, milliseconds on the sender's clock; median. */
  soundBehindMs: number;
}

/** Enough to find a clause again; a sixth of the Opus clock. */
const audioRate = 8000;
/** RTP clocks (RFC 6184, RFC 7587). */
const videoClock = 90_000;
const audioClock = 48_000;

/** Goes live, has every text spoken as written, one after the other, and returns what was seen and heard. */
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
    await goLive(page, { avatar: options.avatar, gather: false, tapAudio: true });
    const heard = await page.evaluate(
      async ({ texts, voice, audioClock }) => {
        const { video, peer, opus } = window.live;
        const wait = (ms: number) =>
          new Promise((resolve) => {
            setTimeout(resolve, ms);
          });
        const base64 = async (blob: Blob) => {
          const bytes = new Uint8Array(await blob.arrayBuffer());
          let binary = "";
          for (let i = 0; i < bytes.length; i += 0x8000) {
            binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
          }
          return btoa(binary);
        };

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
        // The first seconds of any connection: jitter buffers find their size.
        await wait(3000);

        const frames: { rtpTimestamp: number; jpeg: Promise<string> }[] = [];
        opus.length = 0;
        let recording = true;
        const onFrame = (_now: number, shown: VideoFrameCallbackMetadata) => {
          if (!recording) return;
          const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
          canvas.getContext("2d")?.drawImage(video, 0, 0);
          const jpeg = canvas.convertToBlob({ type: "image/jpeg", quality: 0.92 }).then(base64);
          frames.push({ rtpTimestamp: shown.rtpTimestamp ?? 0, jpeg });
          video.requestVideoFrameCallback(onFrame);
        };
        video.requestVideoFrameCallback(onFrame);

        const lags: number[] = [];
        const readClocks = setInterval(async () => {
          const playing: Record<string, number> = {};
          for (const entry of (await peer.getStats()).values()) {
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
        recording = false;
        clearInterval(readClocks);
        socket.close();

        const packets = opus.splice(0);
        const first = packets[0]?.rtpTimestamp ?? 0;
        const last = packets.at(-1)?.rtpTimestamp ?? 0;
        const samples = new Float32Array(last - first + audioClock);
        const decoder = new AudioDecoder({
          output: (sound) => {
            const at = Math.round((sound.timestamp * audioClock) / 1e6);
            sound.copyTo(samples.subarray(at, at + sound.numberOfFrames), {
              planeIndex: 0,
              format: "f32-planar",
            });
            sound.close();
          },
          error: (error) => console.error(error),
        });
        decoder.configure({ codec: "opus", sampleRate: audioClock, numberOfChannels: 1 });
        for (const { rtpTimestamp, data } of packets) {
          const timestamp = ((rtpTimestamp - first) * 1e6) / audioClock;
          decoder.decode(new EncodedAudioChunk({ type: "key", timestamp, data }));
        }
        await decoder.flush();
        return {
          clauses,
          lags,
          firstSample: first,
          samples: await base64(new Blob([samples])),
          frames: await Promise.all(
            frames.map(async ({ rtpTimestamp, jpeg }) => ({ rtpTimestamp, jpeg: await jpeg })),
          ),
        };
      },
      { texts: options.texts, voice: options.voice, audioClock },
    );
    // Both RTP clocks of a box count from the same instant.
    const zero = heard.firstSample / audioClock;
    const bytes = Buffer.from(heard.samples, "base64");
    const frames = heard.frames.map(({ rtpTimestamp, jpeg }, i) => {
      const path = join(options.folder, `frame-${String(i).padStart(5, "0")}.jpg`);
      writeFileSync(path, Buffer.from(jpeg, "base64"));
      return { seconds: rtpTimestamp / videoClock - zero, path };
    });
    const heardSamples = new Float32Array(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    );
    const audio = decimate(heardSamples, audioClock / audioRate);
    return { clauses: heard.clauses, frames, audio, audioRate, soundBehindMs: median(heard.lags) };
  } finally {
    await browser.close();
  }
}

/** Every `factor` samples become their mean. */
function decimate(samples: Float32Array, factor: number): Float32Array {
  return Float32Array.from({ length: Math.floor(samples.length / factor) }, (_, i) => {
    let sum = 0;
    for (let tap = 0; tap < factor; tap += 1) sum += samples[i * factor + tap] ?? 0;
    return sum / factor;
  });
}
