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
  /** Of the sound, how much never came. */
  lostSeconds: number;
}

/** Enough to find a clause again; a sixth of the Opus clock. */
const audioRate = 8000;
/** RTP clocks (RFC 6184, RFC 7587). */
const videoClock = 90_000;
const audioClock = 48_000;

/** Texts that a voice of the box says as written, one after the other, or a sound file (WAV, 16 kHz, mono) that it speaks. */
export type Speech = { voice: string; texts: string[] } | { samples: Int16Array; sampleRate: number };

/** The first seconds of any connection are not recorded: jitter buffers find their size. */
export const settleSeconds = 3;
/** What the file of `Speech` must begin with for its speech to be recorded, with a look at the lips at rest. */
export const leadInSeconds = settleSeconds + 3;

/** Goes live, has something said, and returns what was seen and heard. */
export async function recordSpeech(options: {
  boxUrl: string;
  avatar: string;
  speech: Speech;
  folder: string;
}): Promise<Recording> {
  const { speech, avatar } = options;
  const sound = "samples" in speech ? await upload(options.boxUrl, speech) : undefined;
  const browser = await launchChromium();
  try {
    const page = await openPage(browser, options.boxUrl);
    await goLive(page, { avatar, audio: sound, gather: false, tapAudio: true });
    const heard = await page.evaluate(
      async ({ texts, voice, fileSeconds, settleSeconds, audioClock }) => {
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
        await wait(1000 * settleSeconds);

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
        if (texts.length === 0) await wait(1000 * (fileSeconds - settleSeconds));
        await wait(500);
        recording = false;
        clearInterval(readClocks);
        socket.close();

        const packets = opus.splice(0);
        const first = packets[0]?.rtpTimestamp ?? 0;
        const last = packets.at(-1)?.rtpTimestamp ?? 0;
        const samples = new Float32Array(last - first + audioClock);
        // A decoder counts its output on from the first packet, also over packets that never came: each output belongs to
        // the packet that it was made of.
        let decoded = 0;
        const decoder = new AudioDecoder({
          output: (sound) => {
            const at = (packets[decoded]?.rtpTimestamp ?? first) - first;
            decoded += 1;
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
        if (decoded !== packets.length)
          throw new Error(`Of ${packets.length} sound packets ${decoded} could be decoded.`);
        // Of the sound's clock, how much never came.
        const heardSamples = packets.length * 960;
        const lostSeconds = (last - first + 960 - heardSamples) / audioClock;
        return {
          clauses,
          lags,
          lostSeconds,
          firstSample: first,
          samples: await base64(new Blob([samples])),
          frames: await Promise.all(
            frames.map(async ({ rtpTimestamp, jpeg }) => ({ rtpTimestamp, jpeg: await jpeg })),
          ),
        };
      },
      {
        texts: "texts" in speech ? speech.texts : [],
        voice: "voice" in speech ? speech.voice : "",
        fileSeconds: "samples" in speech ? speech.samples.length / speech.sampleRate : 0,
        settleSeconds,
        audioClock,
      },
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
    const { clauses, lostSeconds } = heard;
    return { clauses, frames, audio, audioRate, soundBehindMs: median(heard.lags), lostSeconds };
  } finally {
    await browser.close();
  }
}

/** Hands a sound to the box; returns the name under which it is spoken. */
async function upload(
  boxUrl: string,
  { samples, sampleRate }: { samples: Int16Array; sampleRate: number },
): Promise<string> {
  const form = new FormData();
  form.set("file", new Blob([wavOf(samples, sampleRate)]), "speech.wav");
  const response = await fetch(`${boxUrl}/api/upload`, { method: "POST", body: form });
  if (!response.ok) throw new Error(`POST /api/upload answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { audio: string }).audio;
}

/** A RIFF file of 16-bit mono samples. */
function wavOf(samples: Int16Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const headerBytes = 44;
  const bytes = new Uint8Array(headerBytes + samples.length * 2);
  const view = new DataView(bytes.buffer);
  const text = (at: number, word: string) => bytes.set(new TextEncoder().encode(word), at);
  text(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, samples.length * 2, true);
  samples.forEach((sample, i) => view.setInt16(headerBytes + i * 2, sample, true));
  return bytes;
}

/** Every `factor` samples become their mean. */
function decimate(samples: Float32Array, factor: number): Float32Array {
  return Float32Array.from({ length: Math.floor(samples.length / factor) }, (_, i) => {
    let sum = 0;
    for (let tap = 0; tap < factor; tap += 1) sum += samples[i * factor + tap] ?? 0;
    return sum / factor;
  });
}
