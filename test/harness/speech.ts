// Speech for tests and benchmarks: said by eSpeak NG or read from a file, at the rate that the box hears.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { microphoneSampleRate as rate } from "../../contract/microphone-socket.ts";

const headerBytes = 44;

/** Samples of a mono WAV file of 16 bits at the box's rate. */
export function readWav(path: string): Int16Array {
  const file = readFileSync(path);
  const dataAt = file.indexOf("data", 12, "latin1");
  const bytes = file.subarray(dataAt + 8, dataAt + 8 + Math.min(file.readUInt32LE(dataAt + 4), file.length));
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~1)));
}

function writeWav(path: string, samples: Int16Array): void {
  const header = Buffer.alloc(headerBytes);
  header.write("RIFF", 0);
  header.writeUInt32LE(headerBytes - 8 + samples.byteLength, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.byteLength, 40);
  writeFileSync(
    path,
    Buffer.concat([header, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)]),
  );
}

const newFolder = () => mkdtempSync(join(tmpdir(), "visavis-speech-"));

/** A sentence said slowly enough for any recogniser, with silence at its ends cut off. */
export function spoken(text: string, voice = "en-us"): Int16Array {
  const folder = newFolder();
  try {
    const [raw, wav] = [join(folder, "raw.wav"), join(folder, "speech.wav")];
    execFileSync("espeak-ng", ["-v", voice, "-s", "140", "-w", raw, text]);
    execFileSync("ffmpeg", ["-loglevel", "error", "-i", raw, "-ar", String(rate), "-ac", "1", wav]);
    const samples = readWav(wav);
    const loud = (sample: number) => Math.abs(sample) > 200;
    return samples.slice(samples.findIndex(loud), samples.findLastIndex(loud) + 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface SpokenFile {
  /** WAV, mono, 16 bits. */
  path: string;
  durationMs: number;
  remove(): void;
}

/** Speech between silences in a file, for a browser's fake microphone. */
export function spokenFile(
  said: Int16Array,
  { beforeMs, afterMs }: { beforeMs: number; afterMs: number },
): SpokenFile {
  const count = (ms: number) => Math.round((ms / 1000) * rate);
  const samples = new Int16Array(count(beforeMs) + said.length + count(afterMs));
  samples.set(said, count(beforeMs));
  const folder = newFolder();
  const path = join(folder, "speech.wav");
  writeWav(path, samples);
  return {
    path,
    durationMs: (samples.length / rate) * 1000,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
