// The stock portraits in the box's folder are what the portal's illustrator draws.

import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import { people } from "../worker/portraits/illustrator/people.ts";
import { drawPortrait } from "../worker/portraits/illustrator/portrait.ts";
import { root } from "./harness/process.ts";

test.each(people)("$name is drawn as the file shows", { timeout: 180_000 }, async (person) => {
  const file = sharp(join(root, `box/avatars/stock/${person.name}.png`));
  const { data: stored, info } = await file.raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: 1024, height: 1024, channels: 3 });
  const drawn = drawPortrait(person, { size: 1024, oversampling: 2 });
  expect(Buffer.compare(stored, drawn.data)).toBe(0);
});
