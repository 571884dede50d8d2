// How alike the box finds pictures of one person and of two: the figures behind the threshold of `box/avatars/identity.ts`.
// Usage: node bench/identity/main.ts [further photographs, each of another person…]

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { cutFace } from "../../box/avatars/face-crop.ts";
import { describeFaces, DESCRIPTION_SIDE, likeness, SAME_FROM } from "../../box/avatars/identity.ts";
import { FaceFinder } from "../../box/avatars/landmarks.ts";
import { decodePicture } from "../../box/media/photo-decoding.ts";
import { root } from "../../test/harness/process.ts";
import { illustrator } from "../../worker/portraits/illustrated-generator.ts";
import { report } from "../report.ts";

interface Face {
  person: string;
  drawn: boolean;
  variation: string;
  description: Float32Array;
}

/** What may become of a photograph between its camera and here. */
const variations: Record<string, (picture: Sharp, size: { width: number; height: number }) => Sharp> = {
  "as it is": (picture) => picture,
  "half the size": (picture, { width }) => picture.resize(Math.round(width / 2)),
  larger: (picture, { width }) => picture.resize(Math.round(width * 1.7)),
  "JPEG 40": (picture) => picture.jpeg({ quality: 40 }),
  "JPEG 15": (picture) => picture.jpeg({ quality: 15 }),
  darker: (picture) => picture.linear(0.55, 0),
  brighter: (picture) => picture.linear(1.25, 15),
  "warm light": (picture) => picture.linear([1.12, 1, 0.85], [0, 0, 0]),
  grey: (picture) => picture.greyscale().toColourspace("srgb"),
  mirrored: (picture) => picture.flop(),
  "turned 8°": (picture) => picture.rotate(8, { background: "#888" }),
  "another crop": (picture, { width, height }) =>
    picture.extract({
      left: Math.round(width * 0.12),
      top: Math.round(height * 0.03),
      width: Math.round(width * 0.76),
      height: Math.round(height * 0.8),
    }),
};

const personas = [
  "a young woman with red hair and freckles",
  "an old man with a grey beard and glasses",
  "a Black woman with curly hair",
  "a young Asian man with short hair",
  "a blond middle-aged man",
  "a woman in her forties with long dark hair",
];

async function people(): Promise<{ person: string; drawn: boolean; bytes: Uint8Array }[]> {
  const photographs = ["maya", "theo"].map((name) => join(root, `box/avatars/stock/${name}.png`));
  photographs.push(...process.argv.slice(2));
  const real = photographs.map(async (path) => ({
    person: basename(path).replace(/\.\w+$/, ""),
    drawn: false,
    bytes: await readFile(path),
  }));
  const drawn = personas.map(async (persona, index) => ({
    person: `drawing ${index + 1}`,
    drawn: true,
    bytes: await illustrator.draw({ persona, seed: index * 7919 + 3 }),
  }));
  return Promise.all([...real, ...drawn]);
}

const finder = new FaceFinder();
const faces: Face[] = [];
try {
  const cuts: { face: Omit<Face, "description">; cut: Float32Array }[] = [];
  for (const { person, drawn, bytes } of await people()) {
    const flat = await sharp(bytes).flatten({ background: "#e0e0e0" }).png().toBuffer();
    const size = await sharp(flat).metadata();
    for (const [variation, change] of Object.entries(variations)) {
      const changed = await change(sharp(flat), size).toBuffer();
      const picture = await decodePicture(changed);
      try {
        const { landmarks } = await finder.findFace(picture);
        cuts.push({
          face: { person, drawn, variation },
          cut: await cutFace(picture, landmarks, DESCRIPTION_SIDE),
        });
      } catch (error) {
        console.log(`${person}, ${variation}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  const descriptions = await describeFaces(cuts.map(({ cut }) => cut));
  for (const [index, { face }] of cuts.entries()) {
    const description = descriptions[index];
    if (description) faces.push({ ...face, description });
  }
} finally {
  await finder.close();
}

const plain = faces.filter(({ variation }) => variation === "as it is");
const same = (face: Face) => {
  const original = plain.find(({ person }) => person === face.person);
  return original ? likeness(original.description, face.description) : Number.NaN;
};
const figure = (value: number) => value.toFixed(3);

console.log("\nEach variation against the picture that it was made from:");
for (const variation of Object.keys(variations)) {
  const row = plain.map(({ person }) => {
    const face = faces.find((one) => one.person === person && one.variation === variation);
    return face ? figure(same(face)) : "  –  ";
  });
  console.log(`${variation.padEnd(14)} ${row.join("  ")}`);
}
console.log("\nEach person against each, as they are:");
for (const one of plain) {
  const row = plain.map((other) => figure(likeness(one.description, other.description)));
  console.log(`${one.person.padEnd(14)} ${row.join("  ")}`);
}

const strangers = (drawn: boolean) =>
  faces.flatMap((one, index) =>
    faces
      .slice(index + 1)
      .filter((other) => other.person !== one.person && (one.drawn || other.drawn) === drawn)
      .map((other) => likeness(one.description, other.description)),
  );
const photographed = faces.filter(({ drawn }) => !drawn).map(same);
const drawings = faces.filter(({ drawn }) => drawn).map(same);
console.log();
report({
  name: "same photographed person, least alike",
  value: Math.min(...photographed),
  unit: "",
  floor: { atLeast: SAME_FROM },
});
report({
  name: "two photographed people, most alike",
  value: Math.max(...strangers(false)),
  unit: "",
  floor: { atMost: SAME_FROM },
});
report({ name: "same drawing, least alike", value: Math.min(...drawings), unit: "" });
report({ name: "two drawings, most alike", value: Math.max(...strangers(true)), unit: "" });
const mistaken = strangers(true).filter((score) => score >= SAME_FROM);
report({
  name: "pairs of drawings taken for one person",
  value: (mistaken.length / strangers(true).length) * 100,
  unit: "%",
});
