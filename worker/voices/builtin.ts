// The built-in engine's voices as boxes report them, and their samples in storage.

import { builtinSampleBytes } from "../../contract/internal/voices.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { describeError, log } from "../platform/log.ts";
import { listBuiltin, markSampled, replaceBuiltin, type BuiltinVoice } from "./builtin-store.ts";
import { isWav } from "./wav.ts";

type Stores = Pick<Env, "db" | "media">;

/** Where a voice's sample lies. An id may hold anything, so it is escaped as in a URL, save for the plus sign. */
export const sampleKey = (voice: string) =>
  `voices/builtin/${encodeURIComponent(voice).replaceAll("%2B", "+")}.wav`;

const unavailable = (cause: unknown) =>
  failure("voice_unavailable", "The built-in voices cannot be kept right now.", cause);

/** Takes over a box's list; answers the voices whose sample is missing. */
export async function keepBuiltin(
  { db, media }: Stores,
  voices: readonly BuiltinVoice[],
): Promise<Outcome<string[]>> {
  try {
    const { gone, unsampled } = await replaceBuiltin(db, voices, nowSeconds());
    if (gone.length > 0) {
      await media.delete(gone.map(sampleKey)).catch((error: unknown) => {
        // An unlisted sample is small and is overwritten when its voice returns.
        log("warn", "builtin_sample_removal", describeError(error));
      });
    }
    return success(unsampled);
  } catch (cause) {
    return unavailable(cause);
  }
}

/** Keeps the sample of a listed voice; null stands for a body that was longer than it may be. */
export async function keepSample(
  { db, media }: Stores,
  voice: string,
  wav: Uint8Array<ArrayBuffer> | null,
): Promise<Outcome<null>> {
  if (!wav) return failure("body_too_large", `The sample is larger than ${builtinSampleBytes} bytes.`);
  if (!isWav(wav)) return failure("invalid_body", "The body must be a WAV of 16-bit PCM.");
  try {
    const listed = await listBuiltin(db);
    if (!listed.some(({ id }) => id === voice))
      return failure("unknown_voice", "No such voice was reported.");
    await media.put(sampleKey(voice), wav, { httpMetadata: { contentType: "audio/wav" } });
    await markSampled(db, voice, true);
    return success(null);
  } catch (cause) {
    return unavailable(cause);
  }
}

/** A voice's sample; null when there is none, which makes the next box that starts bring it. */
export async function readBuiltinSample(
  { db, media }: Stores,
  voice: string,
): Promise<ReadableStream | null> {
  const object = await media.get(sampleKey(voice));
  if (object) return object.body;
  await markSampled(db, voice, false);
  return null;
}
