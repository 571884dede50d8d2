// What a person wants made of a file, before it is sent.

import type { Framing } from "../../contract/avatars.ts";
import { limits } from "../../contract/limits.ts";
import { baseTone, type Tone, tones } from "../../contract/tones.ts";
import type { SourceKind } from "./refusals.ts";

export interface Take {
  tone: Tone;
  file: File;
}

export interface Wish {
  name: string;
  framing: Framing;
  /** 0..1. */
  gestureAmplitude: number;
  /** Besides the base one, which every face has. */
  tones: readonly Tone[];
  /** Of a video: it was made by AI and shows nobody who exists. */
  aiGenerated: boolean;
  takes: readonly Take[];
  /** The likeness may be used. */
  attested: boolean;
}

export const extraTones = tones.filter((tone) => tone !== baseTone);

export const plainWish = (name: string): Wish => ({
  name,
  framing: "bust",
  gestureAmplitude: 0.5,
  tones: extraTones,
  aiGenerated: false,
  takes: [],
  attested: false,
});

/** Whether tones are rendered from the file itself; a video of a real person gets them from footage only. */
export function rendersTones(kind: SourceKind, wish: Pick<Wish, "aiGenerated">): boolean {
  return kind === "photo" || wish.aiGenerated;
}

/** The tones to ask for: those that are rendered, and those with footage. */
export function wantedTones(kind: SourceKind, wish: Wish): Tone[] {
  const filmed = new Set(kind === "video" ? wish.takes.map(({ tone }) => tone) : []);
  const rendered = new Set(rendersTones(kind, wish) ? wish.tones : []);
  return tones.filter((tone) => tone === baseTone || filmed.has(tone) || rendered.has(tone));
}

/** Why this much cannot be sent at once; null when it can. */
export function tooMuch(file: File, takes: readonly Take[]): string | null {
  const bytes = takes.reduce((sum, take) => sum + take.file.size, file.size);
  const most = limits.avatarBodyBytes;
  if (bytes <= most) return null;
  const mb = (size: number) => Math.round(size / (1024 * 1024));
  return `All files together have ${mb(bytes)} MB; up to ${mb(most)} MB can be sent. Leave out a take, or shorten one.`;
}

/** SHA-256 in hex, of exactly the bytes that will be sent. */
export async function digestOf(file: Blob): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
