// The form that avatars are made from, as a request to the library.

import { extname } from "node:path";
import { limits } from "../../contract/limits.ts";
import { toneSchema } from "../../contract/tones.ts";
import { parseTone } from "../avatars/clips/plan.ts";
import type { CreateAvatarRequest } from "../avatars/library.ts";
import { imageTooLarge, videoTooLarge, type Take } from "../avatars/upload.ts";
import { Refusal } from "../failure.ts";
import { streamForm, type FilePart } from "./multipart.ts";
import type { BoxContext } from "./env.ts";
import type { Spool, SpooledFile } from "./spool.ts";

const uploadWithinMs = 300_000;
const closing = { headers: { Connection: "close" } };

/** Text parts that say how clips are made. */
export const clipFields = [
  "name",
  "tones",
  "consent_token",
  "framing",
  "gesture_amplitude",
  "ai_generated",
] as const;

const takePart = /^take__([a-z]+)(?:__([1-9]\d?))?$/;
const declared = new Set(["true", "1", "yes", "y", "on"]);

/** Reads the form; its files go to disk and never into memory. */
export async function readAvatarForm(
  c: BoxContext,
  spool: Spool,
  { fields, takes }: { fields: readonly string[]; takes: boolean },
): Promise<{ fields: Map<string, string>; files: SpooledFile[] }> {
  const form = await streamForm<SpooledFile>(c, {
    fields,
    bodyBytes: limits.avatarBodyBytes,
    timeoutMs: uploadWithinMs,
    isFile: (name) => name === "file" || (takes && name.startsWith("take__")),
    mostFiles: takes ? 1 + limits.takesPerTone * toneSchema.options.length : 1,
    async take(part) {
      if (part.name !== "file") takeOf(part.name);
      const { name: field, filename, contentType, stream } = part;
      return { field, filename, contentType, ...(await spool.write(stream, limitOf(part))) };
    },
  });
  return { fields: form.fields, files: [...form.files.values()] };
}

/** A picture by its name or type is held to a picture's limit as it arrives; what it really is shows later. */
function limitOf({ name, filename, contentType }: FilePart): { limitBytes: number; tooLarge(): Refusal } {
  const picture = contentType.startsWith("image/") || /\.(?:png|jpe?g)$/i.test(extname(filename));
  const [limitBytes, refusal] =
    name === "file" && picture ? [limits.imageBytes, imageTooLarge] : [limits.videoBytes, videoTooLarge];
  return { limitBytes, tooLarge: () => new Refusal(refusal().code, refusal().message, closing) };
}

/** Tone and number of a take's part. Throws Refusal invalid_body or AvatarError unknown_tone. */
function takeOf(part: string): { tone: ReturnType<typeof parseTone>; index: number } {
  const [, name, number = "0"] = takePart.exec(part) ?? [];
  if (name === undefined)
    throw new Refusal(
      "invalid_body",
      `The part ${JSON.stringify(part.slice(0, 100))} is not taken here.`,
      closing,
    );
  const index = Number(number);
  if (index >= limits.takesPerTone)
    throw new Refusal("invalid_body", `A tone may have at most ${limits.takesPerTone} takes.`, closing);
  return { tone: parseTone(name), index };
}

/** What the library is asked for. Throws Refusal. */
export function avatarRequest({
  owner,
  fields,
  files,
}: {
  owner: string;
  fields: ReadonlyMap<string, string>;
  files: readonly SpooledFile[];
}): CreateAvatarRequest {
  const file = files.find(({ field }) => field === "file");
  if (!file) throw new Refusal("invalid_body", "The form needs a file in the part named file.");
  const takes = files
    .filter(({ field }) => field !== "file")
    .map(({ field, filename, path }) => ({ ...takeOf(field), filename, path }))
    .toSorted((a, b) => a.index - b.index)
    .map(({ tone, filename, path }): Take => ({ tone, filename, path }));
  const text = (name: string) => fields.get(name)?.trim() || undefined;
  const [name, tones, consentToken] = [text("name"), text("tones"), text("consent_token")];
  const [framing, gestureAmplitude] = [text("framing"), text("gesture_amplitude")];
  return {
    owner,
    filename: file.filename,
    path: file.path,
    sha256: file.sha256,
    aiGenerated: declared.has(fields.get("ai_generated")?.trim().toLowerCase() ?? ""),
    ...(name !== undefined && { name }),
    ...(takes.length > 0 && { takes }),
    ...(tones !== undefined && { tones }),
    ...(consentToken !== undefined && { consentToken }),
    ...(framing !== undefined && { framing }),
    ...(gestureAmplitude !== undefined && { gestureAmplitude }),
  };
}
