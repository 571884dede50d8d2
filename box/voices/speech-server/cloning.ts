// Voices of one's own on a speech server: cloned from a clip, and loaded ahead of their first words.

import { randomBytes } from "node:crypto";
import { z } from "zod";
import { Refusal } from "../../failure.ts";
import { VoiceFailure } from "../failure.ts";
import type { VoiceAnswer } from "../http.ts";
import { VoiceError } from "../voice.ts";
import { cloneId, ownerMark } from "./listing.ts";
import type { SpeechServerVoice } from "./speech-server.ts";

/** Reading a minute of speech takes a model some seconds, and loading the model more. */
const prepareTimes = { answerWithinMs: 60_000, silenceMs: 10_000, wholeWithinMs: 90_000 };
/** Every way of handing a clip over that has to be tried, together. */
const cloneWithinMs = 90_000;
const answerBytes = 64 * 1024;
const label = "The speech server";

/** How servers take a clip: OpenAI's and vLLM-Omni's way, a plain one, and that of Chatterbox's libraries. */
const ways = [
  { path: "/audio/voices", name: "name", file: "audio_sample", more: { consent: "given" } },
  { path: "/audio/voices", name: "name", file: "file", more: {} },
  { path: "/voices", name: "voice_name", file: "voice_file", more: {} },
  { path: "/voices", name: "name", file: "file", more: {} },
] as const;
type Way = (typeof ways)[number];
const worked = new WeakMap<SpeechServerVoice, Way>();

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

export interface CloneRequest {
  account: string;
  name: string;
  /** A WAV of one person speaking. */
  wav: Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
  /** Time for all of it; there is a usual one. */
  withinMs?: number;
}

/** The id of the new voice. Rejects with VoiceError, and with Refusal where the server clones none. */
export async function cloneVoice(server: SpeechServerVoice, request: CloneRequest): Promise<string> {
  const { account, name, wav, signal, withinMs = cloneWithinMs } = request;
  const wanted = cloneId(name, account, randomBytes(3).toString("hex"));
  const endsAtMs = performance.now() + withinMs;
  if (server.clones.broken) throw new VoiceError(server.state().detail);
  // A clone that nobody could tell the owner of must not come about.
  await server.clones.save();
  // An id that was there before is not the clone's, whatever the server says.
  const taken = new Set([...server.listed, ...server.clones.all.map(({ id }) => id)]);
  let offered = false;
  for (const way of waysOf(server)) {
    const form = new FormData();
    form.set(way.name, wanted);
    for (const [field, value] of Object.entries(way.more)) form.set(field, value);
    form.set(way.file, new Blob([wav], { type: "audio/wav" }), "clip.wav");
    const answer = await post(server, way.path, { form, signal, endsAtMs });
    if (answer.ok) {
      worked.set(server, way);
      const said = clonedId(await answer.json(answerBytes), wanted);
      const id = taken.has(said) ? wanted : said;
      // Recorded before anybody is told of it.
      await server.clones.add({ id, owner: ownerMark(account), name });
      await server.list({ refresh: true });
      return server.has(id) || !server.has(wanted) ? id : wanted;
    }
    if (absent(answer.status)) {
      answer.discard();
      continue;
    }
    offered = true;
    if (!(await lacksField(answer))) break;
  }
  if (!offered) throw noCloning();
  throw new VoiceError("The speech server could not clone a voice from this clip.");
}

/** The way that a server was found to take comes first. */
function waysOf(server: SpeechServerVoice): Way[] {
  const known = worked.get(server);
  return known ? [known, ...ways.filter((way) => way !== known)] : [...ways];
}

/** Whether the server misses a field, which it may know by another name; else it is the clip that it does not like. */
async function lacksField(answer: VoiceAnswer): Promise<boolean> {
  if (answer.status !== 400 && answer.status !== 422) {
    answer.discard();
    return false;
  }
  const said = await answer.bytes(answerBytes).catch(() => Buffer.alloc(0));
  return said.length === 0 || /missing|field/i.test(said.toString("utf8"));
}

/**
 * Loads a voice. The server's own answer where it offers to prepare one; else it speaks a word, which loads it too.
 * Rejects with VoiceError.
 */
export async function prepareVoice(
  server: SpeechServerVoice,
  { voice, signal }: { voice: string; signal: AbortSignal },
): Promise<{ status: number; type: string; bytes: Buffer }> {
  const answer = await server.http.ask({
    url: `${server.base}/audio/voices/prepare`,
    headers: server.headers,
    body: { model: server.model, voice },
    signal,
    ...prepareTimes,
  });
  if (answer.ok)
    return {
      status: answer.status,
      type: answer.headers["content-type"] ?? "",
      bytes: await answer.bytes(answerBytes),
    };
  answer.discard();
  if (!absent(answer.status)) throw new VoiceFailure(label, answer.status >= 500 ? "unreachable" : "request");
  // Whatever comes is made, and thrown away.
  for await (const _ of server.synthesize({ text: "Hello.", voice, tone: "neutral", signal })) continue;
  return { status: 200, type: "application/json", bytes: Buffer.from(JSON.stringify({ ok: true, voice })) };
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
  { form, signal, endsAtMs }: { form: FormData; signal: AbortSignal; endsAtMs: number },
): Promise<VoiceAnswer> {
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  const leftMs = endsAtMs - performance.now();
  if (leftMs <= 0) throw new VoiceFailure(label, "timeout");
  return server.http.ask({
    url: server.base + path,
    headers: { ...server.headers, "Content-Type": encoded.headers.get("content-type") ?? "" },
    body,
    signal,
    answerWithinMs: Math.min(prepareTimes.answerWithinMs, leftMs),
    silenceMs: prepareTimes.silenceMs,
    wholeWithinMs: leftMs,
  });
}
