// Which photograph a name means, and its loops in all nine tones.

import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { FaceFinder } from "../../box/avatars/landmarks.ts";
import { buildPhoto, checkPhoto } from "../../box/avatars/prepare.ts";
import { openMedia } from "../../box/media/open.ts";
import { tones, type Tone } from "../../contract/tones.ts";
import { buildAvatar } from "../../native/binding/index.js";
import { root } from "../../test/harness/process.ts";

const stockDir = join(root, "box/avatars/stock");
const stateDir = resolve(root, process.env.VISAVIS_STATE || ".local");

export interface Sitter {
  name: string;
  photograph: string;
}

/** A photograph's path, the id of a stock avatar, or the id of an avatar in the box's library. */
export function findSitter(word: string): Sitter {
  const stock = join(stockDir, `${word}.png`);
  if (existsSync(stock)) return { name: word, photograph: stock };
  const own = join(stateDir, "avatars", word, "source.jpg");
  if (/^[\w-]+$/.test(word) && existsSync(own)) return { name: word, photograph: own };
  if (existsSync(word)) return { name: basename(word, extname(word)), photograph: word };
  throw new Error(`There is neither an avatar nor a photograph "${word}".`);
}

export interface Worn {
  tone: Tone;
  avatarDir: string;
  frames: number;
  fps: number;
  builtMs: number;
}

/** Builds every tone into a folder of its own under `folder`. */
export async function buildTones({ sitter, folder }: { sitter: Sitter; folder: string }): Promise<Worn[]> {
  const finder = new FaceFinder();
  try {
    const bytes = await readFile(sitter.photograph);
    const photo = await checkPhoto({ bytes, framing: "bust", finder, media: openMedia() });
    const worn: Worn[] = [];
    for (const tone of tones) {
      const avatarDir = join(folder, tone);
      await mkdir(avatarDir, { recursive: true });
      const began = performance.now();
      const { frames, fps } = await buildPhoto({
        photo,
        outDir: avatarDir,
        motion: 0.5,
        seed: 1,
        builder: (options) => buildAvatar({ ...options, tone }),
      });
      worn.push({ tone, avatarDir, frames, fps, builtMs: performance.now() - began });
    }
    return worn;
  } finally {
    await finder.close();
  }
}
