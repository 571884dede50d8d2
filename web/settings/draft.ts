// The settings as a form holds them, and the way back: what differs becomes a patch, what cannot be sent a problem.

import { limits } from "../../contract/limits.ts";
import type { Effort, Reasoning } from "../../contract/models.ts";
import {
  type Settings,
  type SettingsPatch,
  settingsPatchSchema,
  type VoiceEngine,
} from "../../contract/settings.ts";
import { type PhraseDraft, phrasesFrom, phrasesOf } from "./phrases.ts";
import { type ToolDraft, toolDraft, toolFrom } from "./tools.ts";

/** Numbers are kept as typed; an empty one means that the model decides. */
export interface Draft {
  model: string;
  live_model: string;
  system_prompt: string;
  max_tokens: string;
  temperature: string;
  top_p: string;
  effort: Effort;
  reasoning: Reasoning | null;
  emotion_responsive: boolean;
  /** Empty: none chosen. */
  avatar: string;
  tts_provider: VoiceEngine;
  voice_id: string;
  voice_id_local: string;
  voice_id_cartesia: string;
  tool_phrases: readonly PhraseDraft[];
  tools: readonly ToolDraft[];
}

/** Sentences by the place they belong to: a field's name, or `tools.0.parameters`, or `tool_phrases.1.de`. */
export type Problems = Readonly<Record<string, string>>;

const numberText = (value: number | null) => (value === null ? "" : String(value));

export function draftOf(settings: Settings): Draft {
  return {
    model: settings.model,
    live_model: settings.live_model,
    system_prompt: settings.system_prompt,
    max_tokens: numberText(settings.max_tokens),
    temperature: numberText(settings.temperature),
    top_p: numberText(settings.top_p),
    effort: settings.effort,
    reasoning: settings.reasoning,
    emotion_responsive: settings.emotion_responsive,
    avatar: settings.avatar ?? "",
    tts_provider: settings.tts_provider,
    voice_id: settings.voice_id ?? "",
    voice_id_local: settings.voice_id_local ?? "",
    voice_id_cartesia: settings.voice_id_cartesia ?? "",
    tool_phrases: phrasesOf(settings.tool_phrases),
    tools: settings.tools.map(toolDraft),
  };
}

/** A number as people type it; NaN for what is none. A comma is the decimal point of half the world. */
function numberIn(text: string): number | null {
  const trimmed = text.trim().replace(",", ".");
  return trimmed === "" ? null : Number(trimmed);
}

/** Key order says nothing about a JSON object, so it does not make a difference here. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, canonical(member)]));
}

export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));
}

const ranges: Record<string, string> = {
  max_tokens: `Enter a whole number from ${limits.maxTokens.min} to ${limits.maxTokens.max}.`,
  temperature: "Enter a number from 0 to 1, or nothing.",
  top_p: "Enter a number from 0 to 1, or nothing.",
};

/** The record that the form describes, with what keeps parts of it from being sent. */
function recordOf(draft: Draft): { record: SettingsPatch; problems: Record<string, string> } {
  const problems: Record<string, string> = {};
  const phrases = phrasesFrom(draft.tool_phrases);
  Object.assign(problems, phrases.problems);
  const tools = draft.tools.map((tool, index) => {
    const others = draft.tools.filter((other) => other !== tool).map((other) => other.name.trim());
    const read = toolFrom(tool, others);
    for (const [field, text] of Object.entries(read.problems)) problems[`tools.${index}.${field}`] = text;
    return read.tool;
  });
  const record: SettingsPatch = {
    model: draft.model,
    live_model: draft.live_model,
    system_prompt: draft.system_prompt,
    max_tokens: numberIn(draft.max_tokens) ?? Number.NaN,
    temperature: numberIn(draft.temperature),
    top_p: numberIn(draft.top_p),
    effort: draft.effort,
    reasoning: draft.reasoning,
    emotion_responsive: draft.emotion_responsive,
    avatar: draft.avatar,
    tts_provider: draft.tts_provider,
    voice_id: draft.voice_id.trim() || null,
    voice_id_local: draft.voice_id_local.trim() || null,
    voice_id_cartesia: draft.voice_id_cartesia.trim() || null,
    tool_phrases: phrases.phrases,
    tools,
  };
  return { record, problems };
}

export interface Changes {
  /** Only what differs from the stored record, so that two saves at once lose nothing of each other's. */
  patch: SettingsPatch;
  /** Of the changed fields only; empty when the patch may be sent. */
  problems: Problems;
  /** Names of the changed fields, also of those that cannot be sent as they are. */
  changed: readonly (keyof SettingsPatch)[];
}

export function changesOf(stored: Settings, draft: Draft): Changes {
  const { record, problems } = recordOf(draft);
  const before = recordOf(draftOf(stored));
  const within = (all: Problems, field: string) =>
    Object.entries(all).filter(([place]) => place === field || place.startsWith(`${field}.`));
  const fields = Object.keys(record) as (keyof SettingsPatch)[];
  // What cannot be sent leaves no trace in the record, and is a change all the same.
  const changed = fields.filter(
    (field) =>
      !same(record[field], before.record[field]) ||
      !same(within(problems, field), within(before.problems, field)),
  );
  const patch: Partial<Record<keyof SettingsPatch, unknown>> = {};
  const found: Record<string, string> = {};
  for (const field of changed) {
    const own = within(problems, field);
    Object.assign(found, Object.fromEntries(own));
    const checked = settingsPatchSchema.shape[field].safeParse(record[field]);
    if (own.length === 0 && !checked.success) {
      found[field] = ranges[field] ?? checked.error.issues[0]?.message ?? "This cannot be saved.";
    }
    patch[field] = record[field];
  }
  return { patch: patch as SettingsPatch, problems: found, changed };
}

/**
 * Where a refusal belongs. The portal's sentence begins with the quoted path of what it refuses: `"tools.0.name": …`.
 * Null when it names no field of this form.
 */
export function placeOfRefusal(message: string, draft: Draft): string | null {
  const path = /^"([^"]+)":/.exec(message)?.[1] ?? /^Unknown field "[^"]+" in "([^"]+)"/.exec(message)?.[1];
  if (!path) return null;
  const [field = "", ...rest] = path.split(".");
  if (!(field in draft)) return null;
  if (field === "tools") {
    // Some sentences about tools call them by name instead of by position.
    const named = draft.tools.findIndex(
      (tool) => tool.name !== "" && message.includes(`"${tool.name.trim()}"`),
    );
    const index = rest.length > 0 ? Number(rest[0]) : named;
    const part = rest[1] ?? (message.includes("endpoint") ? "endpoint" : "name");
    return draft.tools[index] ? `tools.${index}.${part}` : "tools";
  }
  if (field === "tool_phrases" && rest[0] !== undefined) {
    const index = draft.tool_phrases.findIndex((phrase) => phrase.tool.trim() === rest[0]);
    return index < 0 ? field : `tool_phrases.${index}.${rest[1] ?? "tool"}`;
  }
  return field;
}
