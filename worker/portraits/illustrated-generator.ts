// The built-in generator: a face drawn from numbers, which the words of the persona and the seed choose.

import type { PortraitGenerator } from "./generator.ts";
import { drawPortrait } from "./illustrator/portrait.ts";
import { people } from "./illustrator/people.ts";
import { encodePng } from "./png.ts";

export const illustrator: PortraitGenerator = {
  async draw() {
    return encodePng(drawPortrait(people[0]!, { size: 768, oversampling: 1 }));
  },
};
