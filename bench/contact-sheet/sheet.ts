// Lays labelled frames out in rows.

import sharp from "sharp";
import { renderFrame } from "../../native/binding/index.js";

export const visemes = [
  "sil",
  "PP",
  "FF",
  "TH",
  "DD",
  "kk",
  "CH",
  "SS",
  "nn",
  "RR",
  "aa",
  "E",
  "I",
  "O",
  "U",
] as const;

/** Part of a frame, in fractions of its sides. */
export interface Window {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Tile {
  label: string;
  avatarDir: string;
  frame: number;
  /** Index into `visemes`; its weight is 1. */
  viseme: number;
}

export interface Row {
  tiles: Tile[];
  window: Window;
  /** Width of each tile on the sheet. */
  tilePx: number;
}

async function drawTile(tile: Tile, { window, tilePx }: Row): Promise<Buffer> {
  const weights = visemes.map((_, index) => (index > 0 && index === tile.viseme ? 1 : 0));
  const { rgb, width, height } = renderFrame({ avatarDir: tile.avatarDir, frame: tile.frame, weights });
  const area = {
    left: Math.round(window.left * width),
    top: Math.round(window.top * height),
    width: Math.round(window.width * width),
    height: Math.round(window.height * height),
  };
  const tallPx = Math.round((tilePx * area.height) / area.width);
  const label = `<svg width="${tilePx}" height="20"><text x="5" y="15" font-family="sans-serif" font-size="14" fill="#fff"
    stroke="#000" stroke-width="3" paint-order="stroke">${tile.label}</text></svg>`;
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .extract(area)
    .resize(tilePx, tallPx, { kernel: "cubic" })
    .composite([{ input: Buffer.from(label), left: 0, top: 0 }])
    .png()
    .toBuffer();
}

/** Writes the rows, one under the other, as one PNG. */
export async function drawSheet({ rows, path }: { rows: Row[]; path: string }): Promise<void> {
  const pieces: { input: Buffer; left: number; top: number }[] = [];
  let top = 0;
  let wide = 0;
  for (const row of rows) {
    const pictures = await Promise.all(row.tiles.map((tile) => drawTile(tile, row)));
    const [first] = pictures;
    if (!first) continue;
    const { height } = await sharp(first).metadata();
    pictures.forEach((input, index) => pieces.push({ input, left: index * row.tilePx, top }));
    top += height;
    wide = Math.max(wide, pictures.length * row.tilePx);
  }
  await sharp({ create: { width: wide, height: top, channels: 3, background: "#222" } })
    .composite(pieces)
    .png()
    .toFile(path);
}
