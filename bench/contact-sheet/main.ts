// A contact sheet of a face: all tones at rest, in the middle of the loop and in a blink, their eyes and mouths close up,
// and every viseme at full weight in neutral and in two tones.
//
//   node bench/contact-sheet/main.ts [avatar or photograph] [folder]
//
// Without arguments: both stock avatars. CONTACT_TONES names the two tones that speak besides neutral (happy,sad).

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { tones } from "../../contract/tones.ts";
import { buildTones, findSitter, type Worn } from "./faces.ts";
import { drawSheet, visemes, type Row, type Window } from "./sheet.ts";
import { findMoments, findWindows } from "./moments.ts";

const [word, folder = join(tmpdir(), "visavis-contact-sheets")] = process.argv.slice(2);
const spoken = (process.env.CONTACT_TONES || "happy,sad").split(",");
for (const tone of spoken) {
  if (!tones.some((known) => known === tone))
    throw new Error(`There is no tone "${tone}"; there are ${tones.join(", ")}.`);
}

const toneRow = (worn: Worn[], moment: { name: string; frame: number }, window: Window): Row => ({
  tiles: worn.map(({ tone, avatarDir }) => ({
    label: `${tone}, ${moment.name}`,
    avatarDir,
    frame: moment.frame,
    viseme: 0,
  })),
  window,
  tilePx: 300,
});

const visemeRow = ({ tone, avatarDir }: Worn, frame: number, window: Window): Row => ({
  tiles: visemes.map((name, viseme) => ({ label: `${tone}: ${name}`, avatarDir, frame, viseme })),
  window,
  tilePx: 180,
});

await mkdir(folder, { recursive: true });
for (const sitter of (word ? [word] : ["maya", "theo"]).map(findSitter)) {
  const loops = await mkdtemp(join(tmpdir(), "visavis-contact-sheet-"));
  try {
    const worn = await buildTones({ sitter, folder: loops });
    const [neutral] = worn;
    if (!neutral) throw new Error("No tone was built.");
    for (const { tone, builtMs } of worn)
      console.log(`${sitter.name}, ${tone}: built in ${builtMs.toFixed(0)} ms`);
    const windows = await findWindows(neutral.avatarDir);
    const moments = await findMoments({ neutral, eyes: windows.eyes });
    const [rest] = moments;
    const rows = [
      ...moments.map((moment) => toneRow(worn, moment, windows.head)),
      toneRow(worn, rest, windows.eyes),
      toneRow(worn, rest, windows.mouth),
      ...worn
        .filter(({ tone }) => tone === "neutral" || spoken.includes(tone))
        .map((face) => visemeRow(face, rest.frame, windows.mouth)),
    ];
    const path = resolve(folder, `${sitter.name}.png`);
    await drawSheet({ rows, path });
    console.log(`${sitter.name}: ${path}`);
  } finally {
    await rm(loops, { recursive: true, force: true });
  }
}
