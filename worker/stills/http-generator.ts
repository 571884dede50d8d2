// A generator of seated stills behind one URL.

import { limits } from "../../contract/limits.ts";
import { stillGeneratorAnswerSchema } from "../../contract/stills.ts";
import { askGenerator, GeneratorError } from "../platform/generator-client.ts";
import { inspectPng } from "../platform/png.ts";
import type { StillGenerator } from "./generator.ts";

const timeoutMs = 120_000;
/**
 * Base64 takes four bytes for three, so this holds a PNG of about 6 MB. An answer is in memory as bytes, as text and as
 * a picture at once, and a Worker has 128 MB for all it does:
 * https://developers.cloudflare.com/workers/platform/limits/#memory
 */
const answerBytes = 8 * 1024 * 1024;

function parseAnswer(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
  } catch {
    return null;
  }
}

/** POSTs `{image_url, note, look}` as JSON and takes what `stillGeneratorAnswerSchema` says, at most 8 MiB of it. */
export function httpStillGenerator(url: string): StillGenerator {
  return {
    async make({ imageUrl, note, look }) {
      const body = await askGenerator({
        url,
        body: { image_url: imageUrl, note, look },
        timeoutMs,
        maxBytes: answerBytes,
      });
      const answer = stillGeneratorAnswerSchema.safeParse(parseAnswer(body));
      if (!answer.success) throw new GeneratorError("The generator's answer is not as agreed.");
      if ("error" in answer.data) return { ok: false, error: answer.data.error };
      const png = decodeBase64(answer.data.image);
      const size = png && inspectPng(png);
      if (!png || !size || size.width * size.height > limits.imagePixels) {
        throw new GeneratorError("The generator's picture is no PNG of a usable size.");
      }
      const { identity_checked: identityChecked, identity_score: identityScore } = answer.data;
      return { ok: true, png, identityChecked, identityScore };
    },
  };
}
