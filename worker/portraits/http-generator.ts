// An image generator behind one URL.

import { limits } from "../../contract/limits.ts";
import { askGenerator, GeneratorError } from "../platform/generator-client.ts";
import { inspectPng } from "../platform/png.ts";
import { portraitSide, type PortraitGenerator } from "./generator.ts";

const timeoutMs = 60_000;

/** POSTs `{persona, seed, width, height}` as JSON and takes the bytes of a PNG of at most 15 MB. */
export function httpGenerator(url: string): PortraitGenerator {
  return {
    async draw({ persona, seed }) {
      const bytes = await askGenerator({
        url,
        body: { persona, seed, width: portraitSide, height: portraitSide },
        timeoutMs,
        maxBytes: limits.imageBytes,
      });
      const size = inspectPng(bytes);
      if (!size || size.width * size.height > limits.imagePixels) {
        throw new GeneratorError("The generator answered something that is no PNG of a usable size.");
      }
      return bytes;
    },
  };
}
