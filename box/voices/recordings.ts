// Replies spoken to a file, for callers with no live session.

import { randomBytes } from "node:crypto";
import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { VoiceError, type Pcm } from "./voice.ts";
import { wavFile } from "./wav.ts";

const longestSeconds = 600;
/** The oldest of an account's files make room for new ones. */
const filesPerAccount = 50;
const lifeMs = 24 * 3600 * 1000;

export class Recordings {
  readonly #root: string;

  constructor(stateDir: string) {
    this.#root = join(stateDir, "audios");
  }

  /** Writes the pieces as one WAV and answers its name. Throws VoiceError when there is nothing to write, or too much. */
  async save(account: string, pieces: AsyncIterable<Pcm>): Promise<string> {
    const chunks: Int16Array[] = [];
    let sampleRate = 0;
    let length = 0;
    for await (const { samples, sampleRate: rate } of pieces) {
      sampleRate ||= rate;
      if (rate !== sampleRate) throw new VoiceError("The voice engine changed its sample rate.");
      length += samples.length;
      if (length > longestSeconds * sampleRate) throw new VoiceError("The reply is too long to record.");
      chunks.push(samples);
    }
    if (length === 0) throw new VoiceError("The voice engine said nothing.");
    const whole = new Int16Array(length);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    const folder = this.#folder(account);
    await mkdir(folder, { recursive: true });
    await this.#makeRoom(folder);
    const name = `reply-${randomBytes(9).toString("hex")}.wav`;
    const partial = join(folder, `.${name}.part`);
    try {
      await writeFile(partial, wavFile(whole, sampleRate));
      await rename(partial, join(folder, name));
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    return name;
  }

  /** Path of an account's file; whoever else asks gets a path with nothing there. */
  path(account: string, name: string): string | null {
    return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) ? join(this.#folder(account), name) : null;
  }

  #folder(account: string): string {
    return join(this.#root, createHash("sha256").update(account).digest("hex").slice(0, 32));
  }

  async #makeRoom(folder: string): Promise<void> {
    const files = await Promise.all(
      (await readdir(folder)).map(async (name) => {
        const path = join(folder, name);
        return { path, writtenAtMs: (await stat(path).catch(() => null))?.mtimeMs ?? 0 };
      }),
    );
    const newestFirst = files.sort((a, b) => b.writtenAtMs - a.writtenAtMs);
    const old = newestFirst.filter(
      ({ writtenAtMs }, index) => index >= filesPerAccount - 1 || writtenAtMs < Date.now() - lifeMs,
    );
    await Promise.all(old.map(({ path }) => rm(path, { force: true })));
  }
}
