// Speech of voices that the net was never trained on, with the times of its phones: made on this machine by
// native/model/make_data.py --held, once for each state of native/model and of the recordings.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const model = join(import.meta.dirname, "../model");
const kennedy = {
  file: join(import.meta.dirname, "../../test/data/jfk.wav"),
  text:
    "and so my fellow americans ask not what your country can do for you " +
    "ask what you can do for your country",
};

/**
 * A name for what the clips are made of: native/model and, where there is one, what the folder of recordings holds.
 * @param {string} [dev]
 */
export function digest(dev = "") {
  const hash = createHash("sha256");
  const add = (folder, wanted) => {
    const names = readdirSync(folder, { recursive: true }).filter((name) => wanted.test(name));
    hash.update(`${names.length}\0`);
    for (const name of names.sort()) {
      const bytes = readFileSync(join(folder, name));
      hash.update(`${name}\0${bytes.length}\0`).update(bytes);
    }
  };
  add(model, /\.(py|txt)$/);
  if (dev) add(dev, /\.(json|flac)$/);
  return hash.digest("hex").slice(0, 16);
}

/**
 * The folder of the clips: json/ ({id, voice, kind, phones: [{s, e, v}]}) and pcm/ (s16le, 16 kHz, mono).
 * @param {{ under: string, dev?: string }} options under: where they are kept; dev: a folder of aligned recordings.
 */
export function heldClips({ under, dev = "" }) {
  const folder = join(under, digest(dev));
  if (existsSync(folder)) return folder;
  const making = `${folder}.making`;
  rmSync(making, { recursive: true, force: true });
  const python = (...args) => execFileSync("python3", args, { stdio: ["ignore", "ignore", "inherit"] });
  const cache = join(making, "cache");
  const recordings = ["--held-recording", kennedy.file, kennedy.text, ...(dev ? ["--dev", dev] : [])];
  python(join(model, "make_data.py"), "--cache", cache, "--held", ...recordings);
  python(join(model, "clips.py"), "--cache", cache, "--out", making);
  rmSync(cache, { recursive: true });
  renameSync(making, folder);
  return folder;
}

export function readClips(folder) {
  return readdirSync(join(folder, "json"))
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => {
      const { id, voice, kind } = JSON.parse(readFileSync(join(folder, "json", name), "utf8"));
      const pcm = readFileSync(join(folder, "pcm", `${id}.pcm`));
      const samples = Float32Array.from(
        { length: pcm.length >> 1 },
        (_, i) => pcm.readInt16LE(2 * i) / 32_768,
      );
      return { id, voice, kind, pcm, samples };
    });
}
