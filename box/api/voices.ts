// The voice catalogue, samples, and voices of one's own.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Hono } from "hono";
import { limits } from "../../contract/limits.ts";
import { previewRequestSchema, voicePrepareRequestSchema } from "../../contract/voices.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import { isDiskFull, Refusal } from "../failure.ts";
import { faceOf } from "../live/faces.ts";
import { MediaError, type MediaFault } from "../media/media.ts";
import type { Services } from "../services.ts";
import { readCatalogue } from "../voices/catalogue.ts";
import { wavOf } from "../voices/pcm.ts";
import { Previews, type PreviewCaller } from "../voices/previews.ts";
import { cloneVoice, prepareVoice } from "../voices/speech-server/cloning.ts";
import { SpeechServerVoice } from "../voices/speech-server/speech-server.ts";
import { cleanClip, clipSampleRate } from "../voices/voice-clip.ts";
import { VoiceError } from "../voices/voice.ts";
import { readJson } from "./body.ts";
import { callerOf, type BoxContext, type BoxEnv } from "./env.ts";
import { readForm } from "./multipart.ts";

const formTimeoutMs = 60_000;
const nameChars = 80;

const clipFaults: Record<MediaFault, ErrorCode> = {
  unreadable: "audio_unreadable",
  unsupported: "audio_unsupported",
  too_large: "audio_too_large",
  too_long: "audio_too_long",
  too_slow: "audio_unreadable",
};

export function voiceRoutes(services: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();
  const { config, faces, log, media, portal, slot, voices } = services;
  const previews = new Previews({ portal, log });
  const clips = join(config.stateDir, "voice-clips");
  // What a box that was killed left there.
  const cleared = rm(clips, { recursive: true, force: true }).catch(() => undefined);

  /** What a reply to the caller would be spoken with, and everything that this depends on. */
  async function speakerOf(c: BoxContext): Promise<PreviewCaller> {
    const { account } = callerOf(c);
    const { settings } = await portal.settings(account);
    const session = slot.of(account);
    const face = session ? null : faceOf(faces, account, { saved: settings.avatar });
    return {
      own: await voices.of(account, { settings, wishes: [session?.voice ?? null] }),
      settings,
      session: session?.voice ?? null,
      avatar: session?.avatar.id ?? face?.id ?? null,
      signal: c.req.raw.signal,
    };
  }

  async function catalogueOf(c: BoxContext, refresh: boolean) {
    const { own, settings, session, avatar } = await speakerOf(c);
    return readCatalogue({ own, settings, session, avatar, refresh, byo: config.portal !== null });
  }

  /** The engine that the box booted with, whatever its callers chose. */
  function speechServer(): SpeechServerVoice {
    const engine = voices.builtin;
    if (engine instanceof SpeechServerVoice) return engine;
    throw new Refusal(
      "voice_clones_unavailable",
      "This box does not run the self-hosted speech server, so it cannot clone or prepare voices.",
    );
  }

  /** The clip as samples, by way of a file that is gone afterwards. */
  async function decoded(bytes: Buffer, signal: AbortSignal) {
    let folder: string | null = null;
    try {
      await cleared;
      await mkdir(clips, { recursive: true, mode: 0o700 });
      folder = await mkdtemp(join(clips, "clip-"));
      const path = join(folder, "clip");
      await writeFile(path, bytes, { mode: 0o600 });
      const maxSeconds = limits.voiceClipSeconds.max;
      return await media.sound(path, { sampleRate: clipSampleRate, maxSeconds, signal });
    } catch (error) {
      if (error instanceof MediaError) throw new Refusal(clipFaults[error.fault], error.message);
      if (isDiskFull(error))
        throw new Refusal("storage_full", "The disk of the box is full.", { cause: error });
      throw error;
    } finally {
      if (folder) await rm(folder, { recursive: true, force: true });
    }
  }

  const wav = (bytes: Buffer<ArrayBuffer>) =>
    new Response(bytes, { headers: { "Content-Type": "audio/wav", "Cache-Control": "private, no-store" } });

  app.get("/api/voices", async (c) => c.json(await catalogueOf(c, c.req.query("refresh") === "1")));

  app.get("/api/voice/preview", async (c) => {
    const wish = { provider: c.req.query("provider"), voice: c.req.query("voice") };
    return wav(await previews.sample(await speakerOf(c), wish));
  });

  app.post("/api/voice/preview", async (c) => {
    const request = await readJson(c, previewRequestSchema);
    return wav(await previews.line(await speakerOf(c), request));
  });

  app.post("/api/voice/upload", async (c) => {
    const server = speechServer();
    const tooLarge = () =>
      new Refusal("body_too_large", `The clip is larger than ${limits.audioBodyBytes} bytes.`, {
        headers: { Connection: "close" },
      });
    const { fields, files } = await readForm(c, {
      fields: ["name"],
      files: ["file"],
      fileBytes: limits.audioBodyBytes,
      bodyBytes: limits.audioBodyBytes,
      timeoutMs: formTimeoutMs,
      fileTooLarge: tooLarge,
    });
    const name = fields.get("name")?.trim() ?? "";
    const file = files.get("file");
    if (name === "" || name.length > nameChars)
      throw new Refusal("invalid_body", `name: must have 1 to ${nameChars} characters.`);
    if (!file || file.bytes.length === 0) throw new Refusal("invalid_body", "file: there is no clip.");
    const { signal } = c.req.raw;
    const clip = cleanClip(await decoded(file.bytes, signal));
    const { account } = callerOf(c);
    const voiceId = await spokenFor(cloneVoice(server, { account, name, wav: wavOf(clip), signal }));
    const { voices: rows, current } = await catalogueOf(c, false);
    return c.json({ ok: true, voice_id: voiceId, voices: rows, current });
  });

  app.post("/api/voice/prepare", async (c) => {
    const { voice: named } = await readJson(c, voicePrepareRequestSchema);
    const voice = named.trim();
    if (voice === "") throw new Refusal("invalid_body", "voice: must not be blank.");
    const server = speechServer();
    if (!server.has(voice) || !server.mayUse(voice, callerOf(c).account))
      throw new Refusal("invalid_body", "voice: you have no such voice on the speech server.");
    const { status, type, bytes } = await spokenFor(
      prepareVoice(server, { voice, signal: c.req.raw.signal }),
    );
    // These statuses have no body.
    const body = status === 204 || status === 205 ? null : new Uint8Array(bytes);
    return new Response(body, { status, headers: type === "" ? {} : { "Content-Type": type } });
  });

  return app;
}

/** What the engine would not do is a 502 in its own sentence. */
async function spokenFor<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof VoiceError) throw new Refusal("voice_failed", error.message, { cause: error });
    throw error;
  }
}
