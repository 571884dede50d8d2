/**
 * Draws the avatars that a fresh box has to show into `box/avatars/stock/`: `node test/stock-portraits.ts [name...]`, all
 * of them without a name. `STOCK_SIZE` sets the side in pixels (default 1024), `STOCK_OVERSAMPLING` the samples a pixel
 * along each axis (default 2) and `STOCK_OUT` another folder.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { people } from "../worker/portraits/illustrator/people.ts";
import { drawPortrait } from "../worker/portraits/illustrator/portrait.ts";

const names = process.argv.slice(2);
const unknown = names.filter((name) => !people.some((person) => person.name === name));
if (unknown.length > 0) {
  console.error(
    `No such person: ${unknown.join(", ")}. There are: ${people.map((person) => person.name).join(", ")}.`,
  );
  process.exit(2);
}
const size = Number(process.env.STOCK_SIZE ?? 1024);
const folder = process.env.STOCK_OUT ?? fileURLToPath(new URL("../box/avatars/stock/", import.meta.url));
const oversampling = Number(process.env.STOCK_OVERSAMPLING ?? 2);

for (const person of people.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const { data, width, height } = drawPortrait(person, { size, oversampling });
  const path = join(folder, `${person.name}.png`);
  await sharp(data, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 9 })
    .toFile(path);
  console.log(path);
}
