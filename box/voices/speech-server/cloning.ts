// Voices of one's own on a speech server: cloned from a clip, and loaded ahead of their first words.

import { randomBytes } from "node:crypto";
import { z } from "zod";
import { Refusal } from "../../failure.ts";
import { VoiceFailure } from "../failure.ts";
import type { VoiceAnswer } from "../http.ts";
import { VoiceError } from "../voice.ts";
import { cloneId } from "./listing.ts";
import type { SpeechServerVoice } from "./speech-server.ts";

/** Reading a minute of speech takes a model some seconds, and loading the model more. */
const cloneTimes = { answerWithinMs: 60_000, silenceMs: 10_000, wholeWithinMs: 90_000 };
const answerBytes = 64 * 1024;
const label = "The speech server";

/** How servers take a clip: OpenAI's and vLLM-Omni's way, a plain one, and that of Chatterbox's libraries. */
const ways = [
  { path: "/audio/voices", name: "name", file: "audio_sample", more: { consent: "given" } },
  { path: "/audio/voices", name: "name", file: "file", more: {} },
  { path: "/voices", name: "voice_name", file: "voice_file", more: {} },
  { path: "/voices", name: "name", file: "file", more: {} },
] as const;

const idFields = z.object({
  id: z.string().optional(),
  voice_id: z.string().optional(),
  name: z.string().optional(),
});
const clonedSchema = z.union([
  z.object({ voice: idFields }).transform(({ voice }) => voice),
  z.object({ data: idFields }).transform(({ data }) => data),
  idFields,
]);

const noCloning = () =>
  new Refusal("voice_clones_unavailable", "The speech server of this box does not clone voices.");

/** What nobody takes: the way is not there. */
const absent = (status: number) => status === 404 || status === 405 || status === 501;

/** Whether it offers to clone; asked with an empty form, which no server makes a voice of. False where it cannot be asked. */
export async function offersCloning(server: SpeechServerVoice, signal: AbortSignal): Promise<boolean> {
  for (const path of ["/audio/voices", "/voices"]) {
    try {
      const answer = await post(server, path, new FormData(), signal);
      answer.discard();
      if (!absent(answer.status))
        return answer.status < 500 && answer.status !== 401 && answer.status !== 403;
    } catch {
      return false;
    }
  }
  return false;
}

export interface CloneRequest {
  account: string;
  name: string;
  /** A WAV of one person speaking. */
  wav: Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
}

/** The id of the new voice. Rejects with VoiceError, and with Refusal where the server clones none. */
export async function cloneVoice(server: SpeechServerVoice, request: CloneRequest): Promise<string> {
  const { account, name, wav, signal } = request;
  const wanted = cloneId(name, account, randomBytes(3).toString("hex"));
  let offered = false;
  for (const way of ways) {
    const form = new FormData();
    form.set(way.name, wanted);
    for (const [field, value] of Object.entries(way.more)) form.set(field, value);
    form.set(way.file, new Blob([wav], { type: "audio/wav" }), "clip.wav");
    const answer = await post(server, way.path, form, signal);
    if (answer.ok) {
      const said = clonedId(await answer.json(answerBytes), wanted);
      await server.list({ refresh: true });
      return server.has(said) || !server.has(wanted) ? said : wanted;
    }
    answer.discard();
    if (absent(answer.status)) continue;
    offered = true;
    // Fields it does not know are told apart from a clip it does not like only by trying its other names.
    if (answer.status !== 400 && answer.status !== 422) break;
  }
  if (!offered) throw noCloning();
  throw new VoiceError("The speech server could not clone a voice from this clip.");
}

/**
 * Loads a voice. The server's own answer where it offers to prepare one; else it speaks a word, which loads it too.
 * Rejects with VoiceError.
 */
export async function prepareVoice(
  server: SpeechServerVoice,
  { voice, signal }: { voice: string; signal: AbortSignal },
): Promise<{ status: number; body: unknown }> {
  const answer = await server.http.ask({
    url: `${server.base}/audio/voices/prepare`,
    headers: server.headers,
    body: { model: server.model, voice },
    signal,
    ...cloneTimes,
  });
  if (answer.ok) return { status: answer.status, body: await answer.json(answerBytes) };
  answer.discard();
  if (!absent(answer.status)) throw new VoiceFailure(label, answer.status >= 500 ? "unreachable" : "request");
  // Whatever comes is made, and thrown away.
  for await (const _ of server.synthesize({ text: "Hello.", voice, tone: "neutral", signal })) continue;
  return { status: 200, body: { ok: true, voice } };
}

/** A server may call the voice by another id than the name it was given. */
function clonedId(answer: unknown, wanted: string): string {
  const { data } = clonedSchema.safeParse(answer);
  const said = data?.id ?? data?.voice_id ?? data?.name ?? "";
  return said !== "" && said.length <= 200 ? said : wanted;
}

async function post(
  server: SpeechServerVoice,
  path: string,
  form: FormData,
  signal: AbortSignal,
): Promise<VoiceAnswer> {
  const encoded = new Response(form);
  return server.http.ask({
    url: server.base + path,
    headers: { ...server.headers, "Content-Type": encoded.headers.get("content-type") ?? "" },
    body: new Uint8Array(await encoded.arrayBuffer()),
    signal,
    ...cloneTimes,
  });
}
