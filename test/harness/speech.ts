// A person's voice for a browser's fake microphone: a sentence with silence around it.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SpokenFile {
  /** WAV, mono, 16 bits. */
  path: string;
  /** Milliseconds. */
  durationMs: number;
  remove(): void;
}

const headerBytes = 44;

function wav(samples: Buffer, rate: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write("RIFF", 0);
  header.writeUInt32LE(headerBytes - 8 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** Has eSpeak NG say a sentence, slowly enough for any recogniser. */
export function speak(
  text: string,
  { beforeMs, afterMs }: { beforeMs: number; afterMs: number },
): SpokenFile {
  const folder = mkdtempSync(join(tmpdir(), "visavis-speech-"));
  const path = join(folder, "speech.wav");
  execFileSync("espeak-ng", ["-v", "en-us", "-s", "140", "-w", path, text]);
  const said = readFileSync(path);
  const rate = said.readUInt32LE(24);
  const silence = (ms: number) => Buffer.alloc(Math.round((ms / 1000) * rate) * 2);
  const samples = Buffer.concat([silence(beforeMs), said.subarray(headerBytes), silence(afterMs)]);
  writeFileSync(path, wav(samples, rate));
  return {
    path,
    durationMs: (samples.length / 2 / rate) * 1000,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
