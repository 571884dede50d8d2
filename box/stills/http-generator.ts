// A generator of seated stills behind one URL.

import { stillGeneratorAnswerSchema } from "../../contract/stills.ts";
import { readWithin } from "./bounded-body.ts";
import type { StillGenerator } from "./generator.ts";

const timeoutMs = 120_000;
const answerBytes = 8 * 1024 * 1024;

/** Its messages name the fault and quote nothing of what was answered. */
export class GeneratorError extends Error {
  override readonly name = "GeneratorError";
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

/** POSTs `{image_url, note, look}` as JSON and takes what `stillGeneratorAnswerSchema` says, at most 8 MiB of it. */
export function httpStillGenerator(url: string): StillGenerator {
  return {
    async make({ imageUrl, note, look, signal }) {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      let bytes: Uint8Array | null;
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ image_url: imageUrl, note, look }),
          redirect: "error",
          signal: patience,
        });
        if (response.status !== 200) {
          await response.body?.cancel();
          throw new GeneratorError(`The generator answered ${response.status}.`);
        }
        bytes = await readWithin(response, answerBytes);
      } catch (error) {
        if (error instanceof GeneratorError) throw error;
        if (signal.aborted) throw signal.reason;
        throw new GeneratorError(
          patience.aborted
            ? `The generator took longer than ${timeoutMs} ms.`
            : "The generator cannot be reached.",
        );
      }
      if (!bytes) throw new GeneratorError(`The generator answered more than ${answerBytes} bytes.`);
      const answer = stillGeneratorAnswerSchema.safeParse(parsed(bytes));
      if (!answer.success) throw new GeneratorError("The generator's answer is not as agreed.");
      if ("error" in answer.data) return { ok: false, error: answer.data.error };
      return { ok: true, image: Buffer.from(answer.data.image, "base64") };
    },
  };
}
