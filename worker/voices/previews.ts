// How voices sound: samples of a fixed line, and lines of the caller's own.

import type { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { builtinVoiceEngine, voiceEngineSchema, type VoiceEngine } from "../../contract/settings.ts";
import {
  isByoEngine,
  previewLine,
  previewText,
  voiceEngineLabels,
  type previewRequestSchema,
} from "../../contract/voices.ts";
import { nowSeconds } from "../platform/clock.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import {
  keyRowOf,
  loadVoiceState,
  openKey,
  vaultFailed,
  type VoiceScope,
  type VoiceState,
} from "./account.ts";
import { readBuiltinSample } from "./builtin.ts";
import { listBuiltin } from "./builtin-store.ts";
import { cacheName, readCachedBytes, writeCachedBytes } from "./cache.ts";
import { builtinDefault, knownLanguage } from "./catalogue.ts";
import { connect } from "./providers/providers.ts";
import { ProviderFailure, type SpokenLine } from "./providers/provider.ts";
import { notePreview, oldestPreview, type VoiceKeyRow } from "./store.ts";

/** A line of 200 characters is made within a second or two. */
export const speakTimeoutMs = 10_000;
/** A provider may retrain a voice, so a sample is not for ever. */
const sampleSeconds = 24 * 3600;
const windowSeconds = 60;

const unknownVoice = () => failure("unknown_voice", "You have no such voice.");
const voiceUnavailable = (cause: unknown) =>
  failure("voice_unavailable", "The built-in voices cannot be reached right now.", cause);

interface OpenAccount {
  row: VoiceKeyRow;
  key: string;
}

/** The voice that is meant, and the account it speaks on; no account for the built-in engine. */
interface Meant {
  engine: VoiceEngine;
  voice: string | null;
  account: OpenAccount | null;
}

export interface PreviewWish {
  provider?: string | undefined;
  voice?: string | undefined;
}

async function openAccount(
  { env }: VoiceScope,
  state: VoiceState,
  engine: VoiceEngine,
): Promise<OpenAccount | null> {
  const row = isByoEngine(engine) ? keyRowOf(state, engine) : undefined;
  const key = row ? await openKey(env, row) : null;
  return row && key !== null ? { row, key } : null;
}

/** What is not named is what a session would speak with now. */
async function findMeant(scope: VoiceScope, wish: PreviewWish): Promise<Outcome<Meant>> {
  const loaded = await loadVoiceState(scope);
  if (!loaded.ok) return loaded;
  const state = loaded.value;
  const named = wish.provider ? voiceEngineSchema.safeParse(wish.provider) : null;
  if (named && !named.success) return unknownVoice();
  let engine = named?.data ?? state.engine;
  let account = await openAccount(scope, state, engine);
  if (isByoEngine(engine) && !account) {
    if (named || wish.voice) return unknownVoice();
    [engine, account] = [builtinVoiceEngine, null];
  }
  const chosen = engine === state.engine ? state.defaultVoice : null;
  return success({ engine, account, voice: wish.voice || chosen || state.slots[engine] });
}

async function speak({ env }: VoiceScope, { row, key }: OpenAccount, line: SpokenLine) {
  const connected = connect(env, row.provider, key, speakTimeoutMs);
  try {
    return success(await connected.provider.speak(connected.access, line));
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    if (error.kind === "voice" || error.kind === "key") return unknownVoice();
    return failure("voice_failed", `${voiceEngineLabels[row.provider]} did not speak this line.`, error);
  }
}

export type Wav = Uint8Array<ArrayBuffer> | ReadableStream;

async function builtinSample({ env }: VoiceScope, wanted: string | null): Promise<Outcome<Wav>> {
  try {
    const voice = wanted ?? builtinDefault(await listBuiltin(env.db));
    const sample = voice === null ? null : await readBuiltinSample(env, voice);
    return sample ? success(sample) : unknownVoice();
  } catch (cause) {
    return voiceUnavailable(cause);
  }
}

/** A voice's sample: the built-in ones come from storage, the others are made on the caller's account once a day. */
export async function readSample(scope: VoiceScope, wish: PreviewWish): Promise<Outcome<Wav>> {
  const meant = await findMeant(scope, wish);
  if (!meant.ok) return meant;
  const { account, voice } = meant.value;
  if (!account) return builtinSample(scope, voice);
  if (voice === null) return unknownVoice();
  const { kv } = scope.env;
  const name = await cacheName("sample", account.row, voice);
  const known = await readCachedBytes(kv, name);
  if (known) return success(known);
  const line = previewLine(await knownLanguage(scope.env, account.row, voice));
  const made = await speak(scope, account, { voice, ...line });
  if (made.ok) await writeCachedBytes(kv, name, made.value, sampleSeconds);
  return made;
}

/** A refusal that names the seconds until the caller may try again. */
export type Limited<T> = Outcome<T> | { ok: false; retryAfterSeconds: number };

async function count({ env, account }: VoiceScope): Promise<Limited<null>> {
  const window = { account, now: nowSeconds(), seconds: windowSeconds, most: limits.previewsPerMinute };
  try {
    if (await notePreview(env.db, window)) return success(null);
    const oldest = (await oldestPreview(env.db, window)) ?? window.now;
    return { ok: false, retryAfterSeconds: Math.max(1, oldest + windowSeconds - window.now) };
  } catch (cause) {
    return vaultFailed(cause);
  }
}

/** Speaks a line of the caller's own, on the caller's own account. */
export async function speakLine(
  scope: VoiceScope,
  { text, ...wish }: z.infer<typeof previewRequestSchema>,
): Promise<Limited<Wav>> {
  const line = previewText(text);
  if (!line.ok) {
    return line.code === "preview_text_empty"
      ? failure(line.code, "There is no text to speak.")
      : failure(line.code, `The text is longer than ${limits.previewTextChars} characters.`);
  }
  const counted = await count(scope);
  if (!counted.ok) return counted;
  const meant = await findMeant(scope, wish);
  if (!meant.ok) return meant;
  const { account, voice } = meant.value;
  if (!account) {
    return failure(
      "voice_unavailable",
      "The built-in engine speaks on a box: ask the box for this line at /api/voice/preview.",
    );
  }
  if (voice === null) return unknownVoice();
  const language = (await knownLanguage(scope.env, account.row, voice)) || null;
  return speak(scope, account, { voice, text: line.text, language });
}
