// An account's sound files: what it uploaded, and replies spoken to a file. Each is a WAV of 16-bit mono PCM.

import { createHash, randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, rename, rm, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AudioList } from "../../contract/audios.ts";
import { limits } from "../../contract/limits.ts";
import { isDiskFull, Refusal } from "../failure.ts";
import { describeError, type Log } from "../ops/log.ts";
import { VoiceError, type Pcm } from "../voices/voice.ts";
import { Sound } from "./sound.ts";
import { readWavFacts, wavPieces } from "./wav-header.ts";

/** The oldest of an account's files make room for new ones. */
const repliesPerAccount = 50;
const uploadsPerAccount = 100;
const uploadBytesPerAccount = 1024 ** 3;
const uploadLifeMs = limits.soundKeptSeconds * 1000;
/** A reply is spoken soon or not at all. */
const replyLifeMs = 24 * 3600 * 1000;

const namePattern = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,99}$/u;
const sweepEveryMs = 3600 * 1000;

const partial = /^\..*\.part$/;

export interface AudioLibraryOptions {
  stateDir: string;
  bounds?: { replies?: number; uploads?: number; uploadBytes?: number };
}

interface Found {
  path: string;
  name: string;
  bytes: number;
  writtenAtMs: number;
}

/**
 * Lies under `audios/`, a folder an account; uploads have one of their own in it. Files are complete or absent: what a crash
 * cut short is cleared away.
 */
export class AudioLibrary {
  readonly #root: string;
  readonly #bounds: { replies: number; uploads: number; uploadBytes: number };
  /** Files that are being written. */
  readonly #writing = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ stateDir, bounds = {} }: AudioLibraryOptions) {
    this.#root = join(stateDir, "audios");
    this.#bounds = {
      replies: bounds.replies ?? repliesPerAccount,
      uploads: bounds.uploads ?? uploadsPerAccount,
      uploadBytes: bounds.uploadBytes ?? uploadBytesPerAccount,
    };
  }

  /** Writes a reply and answers its name. Throws VoiceError when there is nothing to write, or too much. */
  async save(account: string, pieces: AsyncIterable<Pcm>): Promise<string> {
    const pcm = await whole(pieces);
    const folder = this.#folder(account);
    const name = `reply-${randomBytes(9).toString("hex")}.wav`;
    await this.#write(folder, pcm, (path) => rename(path, join(folder, name)));
    await this.#makeRoom(account);
    return name;
  }

  /** Keeps a sound under a name like that of its file. Rejects with Refusal `storage_full`. */
  async upload(account: string, filename: string, pcm: Pcm): Promise<string> {
    const folder = join(this.#folder(account), "uploads");
    let name = "";
    await this.#write(folder, pcm, async (path) => {
      name = await linkAs(path, folder, readableName(filename));
      await unlink(path);
    });
    await this.#makeRoom(account);
    return name;
  }

  /** What was sent, as a file that something else can read. Call `done` in the end. */
  async workFile(bytes: Uint8Array): Promise<{ path: string; done(): Promise<void> }> {
    await mkdir(this.#root, { recursive: true });
    const path = join(this.#root, `.${randomBytes(9).toString("hex")}.part`);
    this.#writing.add(path);
    const done = async () => {
      await rm(path, { force: true });
      this.#writing.delete(path);
    };
    try {
      await writeFile(path, bytes, { mode: 0o600 });
      return { path, done };
    } catch (error) {
      await done();
      throw asRefusal(error);
    }
  }

  /** The account's own, newest first. */
  async list(account: string): Promise<AudioList["audios"]> {
    await this.#makeRoom(account);
    const found = await this.#files(account);
    const rows = await Promise.all(
      found.map(async ({ path, name, bytes, writtenAtMs }) => {
        const facts = await factsOf(path);
        if (!facts) return [];
        const duration = Math.round((facts.samples / facts.sampleRate) * 1000) / 1000;
        return [{ name, duration_s: duration, bytes, created_at: Math.floor(writtenAtMs / 1000) }];
      }),
    );
    return rows.flat();
  }

  /** Opens a file of the account's to be read in pieces; whoever opens it closes it. Rejects with Refusal `unknown_audio`. */
  async open(account: string, name: string): Promise<Sound> {
    const unknown = () => new Refusal("unknown_audio", `There is no sound file ${JSON.stringify(name)}.`);
    for (const path of this.#paths(account, name)) {
      const file = await open(path, "r").catch(() => null);
      if (!file) continue;
      const facts = await readWavFacts(file).catch(() => null);
      if (facts) return new Sound(file, facts);
      await file.close();
    }
    throw unknown();
  }

  /** Path of an account's reply; whoever else asks gets a path with nothing there. */
  path(account: string, name: string): string | null {
    return this.#paths(account, name)[0] ?? null;
  }

  /** Sweeps now and every hour from then on. */
  start(log: Log): void {
    const sweep = () =>
      void this.sweep().catch((error: unknown) =>
        log.warn(describeError(error), "sound files could not be swept"),
      );
    sweep();
    clearInterval(this.#timer);
    this.#timer = setInterval(sweep, sweepEveryMs);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Clears away what a crash cut short, and files whose time is over. */
  async sweep(): Promise<void> {
    for (const entry of await readdir(this.#root, { withFileTypes: true }).catch(() => [])) {
      const path = join(this.#root, entry.name);
      if (!entry.isDirectory()) await this.#clear(this.#root, entry.name);
      else {
        for (const folder of [path, join(path, "uploads")])
          for (const name of await readdir(folder).catch(() => [])) await this.#clear(folder, name);
        await this.#removeOld(path);
      }
    }
  }

  async #clear(folder: string, name: string): Promise<void> {
    const path = join(folder, name);
    if (partial.test(name) && !this.#writing.has(path)) await rm(path, { force: true });
  }

  #folder(account: string): string {
    return join(this.#root, createHash("sha256").update(account).digest("hex").slice(0, 32));
  }

  #paths(account: string, name: string): string[] {
    const wanted = name.normalize("NFC");
    if (!namePattern.test(wanted)) return [];
    const folder = this.#folder(account);
    return [join(folder, wanted), join(folder, "uploads", wanted)];
  }

  async #files(account: string): Promise<Found[]> {
    const folder = this.#folder(account);
    const found = await Promise.all([filesIn(folder), filesIn(join(folder, "uploads"))]);
    return newestFirst(found.flat());
  }

  async #makeRoom(account: string): Promise<void> {
    await this.#removeOld(this.#folder(account));
  }

  async #removeOld(folder: string): Promise<void> {
    const { replies, uploads, uploadBytes } = this.#bounds;
    await removeOld(await filesIn(folder), { count: replies, lifeMs: replyLifeMs });
    await removeOld(await filesIn(join(folder, "uploads")), {
      count: uploads,
      bytes: uploadBytes,
      lifeMs: uploadLifeMs,
    });
  }

  async #write(folder: string, pcm: Pcm, place: (path: string) => Promise<void>): Promise<void> {
    const path = join(folder, `.${randomBytes(9).toString("hex")}.part`);
    this.#writing.add(path);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(path, wavPieces(pcm), { mode: 0o600, flush: true });
      await place(path);
    } catch (error) {
      await rm(path, { force: true });
      throw asRefusal(error);
    } finally {
      this.#writing.delete(path);
    }
  }
}

/** A full disk is refused in words. */
function asRefusal(error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  return new Refusal("storage_full", "The disk of the box is full; nothing was kept.", { cause: error });
}

async function whole(pieces: AsyncIterable<Pcm>): Promise<Pcm> {
  const chunks: Int16Array[] = [];
  let sampleRate = 0;
  let length = 0;
  for await (const { samples, sampleRate: rate } of pieces) {
    sampleRate ||= rate;
    if (rate !== sampleRate) throw new VoiceError("The voice engine changed its sample rate.");
    length += samples.length;
    if (length > limits.audioSeconds * sampleRate) throw new VoiceError("The reply is too long to record.");
    chunks.push(samples);
  }
  if (length === 0) throw new VoiceError("The voice engine said nothing.");
  const samples = new Int16Array(length);
  let at = 0;
  for (const chunk of chunks) {
    samples.set(chunk, at);
    at += chunk.length;
  }
  return { samples, sampleRate };
}

/** What a file is called without its folders and its ending, in characters that any file system and any URL takes. */
export function readableName(filename: string): string {
  const base = filename.normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const name = base
    .replace(/\.[^.]{1,8}$/, "")
    .replace(/[^\p{L}\p{N}\p{M}_-]+/gu, "-")
    .replace(/^[^\p{L}\p{N}]+|-+$/gu, "");
  // A name of a file is 255 bytes at most, and a character is up to four.
  return [...name].slice(0, 50).join("") || "sound";
}

async function linkAs(path: string, folder: string, base: string): Promise<string> {
  for (let count = 1; ; count++) {
    const name = count === 1 ? `${base}.wav` : `${base}-${count}.wav`;
    try {
      // Unlike a rename, it takes nobody's place.
      await link(path, join(folder, name));
      return name;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
}

async function factsOf(path: string): Promise<{ samples: number; sampleRate: number } | null> {
  const file = await open(path, "r").catch(() => null);
  if (!file) return null;
  return readWavFacts(file)
    .catch(() => null)
    .finally(() => file.close());
}

async function filesIn(folder: string): Promise<Found[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const facts = namePattern.test(name) ? await stat(path).catch(() => null) : null;
      return facts?.isFile() ? [{ path, name, bytes: facts.size, writtenAtMs: facts.mtimeMs }] : [];
    }),
  );
  return newestFirst(found.flat());
}

function newestFirst(found: Found[]): Found[] {
  return found.toSorted((a, b) => b.writtenAtMs - a.writtenAtMs || a.name.localeCompare(b.name));
}

interface Bounds {
  count: number;
  bytes?: number;
  lifeMs: number;
}

async function removeOld(found: Found[], { count, bytes = Infinity, lifeMs }: Bounds): Promise<void> {
  let size = 0;
  const old = found.filter((file, index) => {
    size += file.bytes;
    // The newest stays, however large it is, but not for ever.
    return (index > 0 && (index >= count || size > bytes)) || file.writtenAtMs < Date.now() - lifeMs;
  });
  await Promise.all(old.map(({ path }) => rm(path, { force: true })));
}
