// Who draws portraits. One more generator is one more file, and one more line here.

import type { Env } from "../platform/env.ts";
import type { PortraitGenerator } from "./generator.ts";
import { httpGenerator } from "./http-generator.ts";
import { illustrator } from "./illustrated-generator.ts";

export function generatorOf({ portraitUrl }: Pick<Env, "portraitUrl">): PortraitGenerator {
  return portraitUrl === null ? illustrator : httpGenerator(portraitUrl);
}
