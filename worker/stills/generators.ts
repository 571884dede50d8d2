// Who makes seated stills. One more generator is one more file, and one more line here.

import type { Env } from "../platform/env.ts";
import type { StillGenerator } from "./generator.ts";
import { httpStillGenerator } from "./http-generator.ts";

/** Null when this portal makes none. */
export function stillGeneratorOf({ stillUrl }: Pick<Env, "stillUrl">): StillGenerator | null {
  return stillUrl === null ? null : httpStillGenerator(stillUrl);
}
