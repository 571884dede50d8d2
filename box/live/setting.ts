// With which face and voice somebody goes live.

import type { Language, Tone } from "../../contract/tones.ts";
import type { Caller } from "../access/caller.ts";
import type { AvatarEntry } from "../avatars/library.ts";
import { Refusal } from "../failure.ts";
import type { Portal } from "../portal/portal.ts";
import type { Voices, VoiceWish } from "../voices/voices.ts";
import { faceOf, tonesOf, type Faces } from "./faces.ts";
import { factsOf, languageOf, type SessionFacts } from "./facts.ts";

export interface Setting {
  avatar: AvatarEntry;
  tones: Tone[];
  voice: VoiceWish;
  facts: SessionFacts;
  language: Language | undefined;
}

/** Waits for an avatar that is being made. Rejects with Refusal where the avatar or the voice cannot be had. */
export async function settingOf(
  { faces, portal, voices }: { faces: Faces; portal: Pick<Portal, "settings">; voices: Voices },
  { account }: Caller,
  wish: VoiceWish & { avatar?: string | undefined },
): Promise<Setting> {
  const { settings } = await portal.settings(account);
  const face = faceOf(faces, account, { asked: wish.avatar, saved: settings.avatar });
  if (!face)
    throw wish.avatar
      ? new Refusal("unknown_avatar", `There is no avatar ${JSON.stringify(wish.avatar)}.`)
      : new Refusal("avatar_not_ready", "No avatar is ready yet.", { headers: { "Retry-After": "5" } });
  const avatar = await faces.ready(account, face.id);
  // A blank one is none.
  const voice = {
    voice: wish.voice?.trim() || undefined,
    voiceProvider: wish.voiceProvider?.trim() || undefined,
  };
  const own = await voices.of(account, { settings, wishes: [voice] });
  // A voice that cannot be had is refused here; a voice engine that is down is not: the face goes live without it.
  if (voice.voice !== undefined || voice.voiceProvider !== undefined) {
    try {
      own.choose(voice, null, settings, avatar.id);
    } catch (error) {
      if (!(error instanceof Refusal && error.code === "voice_unavailable")) throw error;
    }
  }
  const chosen = { voices: own, settings, wish: voice, avatar: avatar.id };
  return {
    avatar,
    tones: tonesOf(faces, account, avatar.id),
    voice,
    facts: factsOf(chosen),
    language: languageOf(chosen),
  };
}
