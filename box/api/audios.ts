// Sound files to speak: taken in, listed.

import { Hono } from "hono";
import type { AudioList } from "../../contract/audios.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { Refusal } from "../failure.ts";
import { MediaError, type MediaFault } from "../media/media.ts";
import type { Services } from "../services.ts";
import type { Pcm } from "../voices/voice.ts";
import { callerOf, type BoxEnv } from "./env.ts";
import { readForm } from "./multipart.ts";

/** Of what is kept: speech and music alike lose nothing that a call would carry. */
const sampleRate = 24_000;
const shortestSeconds = 0.1;

const megabytes = limits.audioBodyBytes / 1024 / 1024;
const formLimits = {
  fields: [],
  files: ["file"],
  fileBytes: limits.audioBodyBytes,
  // The form around the file takes some room as well.
  bodyBytes: limits.audioBodyBytes + 64 * 1024,
  timeoutMs: 120_000,
  fileTooLarge: () =>
    new Refusal("audio_too_large", `A sound file may have at most ${megabytes} MB.`, {
      headers: { Connection: "close" },
    }),
};

const codes: Record<MediaFault, ErrorCode> = {
  unreadable: "audio_unreadable",
  unsupported: "audio_unsupported",
  too_large: "audio_too_large",
  too_long: "audio_too_long",
  too_slow: "audio_unreadable",
};

export function audioRoutes({ audios, media }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  async function decode(bytes: Uint8Array, signal: AbortSignal): Promise<Pcm> {
    const file = await audios.workFile(bytes);
    try {
      const { audioSeconds: maxSeconds } = limits;
      const pcm = await media.sound(file.path, { sampleRate, maxSeconds, signal });
      if (pcm.samples.length < shortestSeconds * pcm.sampleRate)
        throw new Refusal("audio_too_short", "The sound is too short to be spoken.");
      return pcm;
    } catch (error) {
      if (error instanceof MediaError) throw new Refusal(codes[error.fault], error.message, { cause: error });
      throw error;
    } finally {
      await file.done();
    }
  }

  app.post("/api/upload", async (c) => {
    const { account } = callerOf(c);
    const { files } = await readForm(c, formLimits);
    const file = files.get("file");
    if (!file) throw new Refusal("invalid_body", "The form needs a sound file in the part named file.");
    if (file.bytes.length === 0) throw new Refusal("audio_unreadable", "The file is empty.");
    const pcm = await decode(file.bytes, c.req.raw.signal);
    const audio = await audios.upload(account, file.filename, pcm);
    const duration = Math.round((pcm.samples.length / pcm.sampleRate) * 1000) / 1000;
    return c.json({ ok: true, audio, duration_s: duration });
  });

  app.get("/api/audios", async (c) => {
    const list: AudioList = { audios: await audios.list(callerOf(c).account) };
    return c.json(list);
  });

  return app;
}
