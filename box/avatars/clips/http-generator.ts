// Clips from a server over HTTP: a signed POST with the still, an MP4 as the answer.

import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../../contract/limits.ts";
import { signatureOf } from "../../chat/tools/signature.ts";
import { AvatarError } from "../errors.ts";
import type { ClipGenerator, GenerateRequest } from "./generator.ts";

export interface HttpGeneratorOptions {
  url: string;
  /** Signs what is sent; null: nothing is signed. */
  secret: string | null;
  /** A clip takes about a minute. */
  timeoutMs?: number;
  reachableWithinMs?: number;
}

const userAgent = "visavis";

export class HttpClipGenerator implements ClipGenerator {
  readonly #options: Required<HttpGeneratorOptions>;

  constructor(options: HttpGeneratorOptions) {
    this.#options = { timeoutMs: 600_000, reachableWithinMs: 5_000, ...options };
  }

  /** Any answer at all will do, as long as it is not that of a gateway with nobody behind it. */
  async reachable(): Promise<boolean> {
    try {
      const response = await fetch(this.#options.url, {
        method: "HEAD",
        redirect: "manual",
        headers: { "User-Agent": userAgent },
        signal: AbortSignal.timeout(this.#options.reachableWithinMs),
      });
      await response.body?.cancel();
      return response.status < 502 || response.status > 504;
    } catch {
      return false;
    }
  }

  async generate({ still, tone, amplitude, seconds, folder, signal }: GenerateRequest): Promise<string> {
    const { url, secret, timeoutMs } = this.#options;
    const body = JSON.stringify({
      image: Buffer.from(still).toString("base64"),
      image_type: "image/jpeg",
      tone,
      amplitude,
      seconds,
    });
    const path = join(folder, `generated-${randomUUID()}.tmp`);
    try {
      const response = await fetch(url, {
        method: "POST",
        redirect: "error",
        headers: {
          "Content-Type": "application/json",
          Accept: "video/mp4",
          "User-Agent": userAgent,
          ...(secret !== null && { "X-Signature": signatureOf({ body, secret, nowMs: Date.now() }) }),
        },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      if (response.status !== 200 || !response.body) {
        await response.body?.cancel();
        throw unavailable(`The clip generator answered with status ${response.status}.`);
      }
      await writeUpTo(response.body, path);
      return path;
    } catch (error) {
      await rm(path, { force: true });
      if (error instanceof AvatarError || isDiskFault(error)) throw error;
      throw unavailable("The clip generator could not be reached.");
    }
  }
}

/** Leaving the loop early ends the response, and the connection with it. */
async function writeUpTo(body: ReadableStream<Uint8Array>, path: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > limits.videoBytes) throw unavailable("The clip generator answered with too large a file.");
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
  if (size === 0) throw unavailable("The clip generator answered with nothing.");
}

/** What it says itself is not passed on: it may repeat what it was sent. */
const unavailable = (message: string) => new AvatarError("clip_generator_unavailable", message);

const isDiskFault = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | null)?.syscall !== undefined &&
  ["ENOSPC", "EDQUOT", "EIO", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "");
