// The built-in generator: a face drawn from numbers, which the words of the persona and the seed choose.

import { encodePng } from "../platform/png.ts";
import { portraitSide, type PortraitGenerator } from "./generator.ts";
import { castPerson } from "./illustrator/casting.ts";
import { drawPortrait } from "./illustrator/portrait.ts";

/** Whose picture this is: nobody's. Read by whoever opens the file's text chunks. */
const note = { keyword: "Software", text: "Visavis illustrator: drawn by a program, shows nobody" };

export const illustrator: PortraitGenerator = {
  async draw({ persona, seed }) {
    const picture = drawPortrait(castPerson(persona, seed), {
      size: portraitSide,
      oversampling: 1,
      sketch: true,
    });
    return encodePng(picture, note);
  },
};
