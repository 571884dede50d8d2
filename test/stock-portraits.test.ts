// The stock portraits in the box's folder are what the portal's illustrator draws.

import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import { people } from "../worker/portraits/illustrator/people.ts";
import { drawPortrait } from "../worker/portraits/illustrator/portrait.ts";
import { root } from "./harness/process.ts";

/** A quarter of the file's side: drawn in a sixteenth of the time. */
const size = 256;

test.each(people)("$name is drawn as the file shows", async (person) => {
  const file = sharp(join(root, `box/avatars/stock/${person.name}.png`));
  expect(await file.metadata()).toMatchObject({ width: 1024, height: 1024, channels: 3 });
  const stored = await file.resize(size, size, { kernel: "cubic" }).raw().toBuffer();
  const { data: drawn } = drawPortrait(person, { size, oversampling: 2 });
  let difference = 0;
  for (const [at, value] of drawn.entries()) difference += Math.abs(value - (stored[at] ?? 0));
  // Two ways of making a picture small differ at its edges alone.
  expect(difference / drawn.length).toBeLessThan(2);
});
