// The viseme net beside what a user would pick instead, in one run: real-time factor, and frame accuracy where a peer
// brings a model of its own and phone times are given.
//
//   node native/bench/net_peers.mjs --tool native/build/bench/net_bench --weights native/model/visemes.vvn
//     [--modules node_modules] [--clips FOLDER] [--rounds 5]
//
// FOLDER holds json/ ({sr, phones: [{s, e, v}]}) and pcm/ (s16le, 16 kHz, mono, same names). Without it the speed alone is
// measured, on a synthetic voice-like signal. The peers are browser libraries: the few Web Audio calls that each makes are
// answered here with the same arithmetic, and their own code runs unchanged. A peer that is not installed is skipped, and
// said to be.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { headAudio, wawaLipsync, wLipSync } from "./net_peers_adapters.mjs";

const RATE = 16_000;
const VISEMES = ["sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "I", "O", "U"];
const OPENNESS = [0, 0, 0.15, 0.25, 0.2, 0.3, 0.25, 0.15, 0.25, 0.3, 1, 0.7, 0.4, 0.7, 0.35];

const { values: options } = parseArgs({
  options: {
    tool: { type: "string" },
    weights: { type: "string" },
    modules: { type: "string", default: "node_modules" },
    clips: { type: "string" },
    rounds: { type: "string", default: "5" },
  },
});
if (!options.tool || !options.weights) {
  console.error(
    "usage: net_peers.mjs --tool NET_BENCH --weights VISEMES.VVN [--modules DIR] [--clips DIR] [--rounds N]",
  );
  process.exit(2);
}

function voiceLike(seconds) {
  const samples = new Float32Array(seconds * RATE);
  for (let i = 0; i < samples.length; i++) {
    const t = i / RATE;
    let tone = 0;
    for (let k = 1; k <= 12; k++) tone += Math.sin(2 * Math.PI * 120 * k * t) / k;
    samples[i] = 0.1 * tone * Math.max(0, Math.sin(2 * Math.PI * 2.5 * t));
  }
  return samples;
}

function loadClips(folder) {
  return readdirSync(`${folder}/json`)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => {
      const bytes = readFileSync(`${folder}/pcm/${name.replace(/\.json$/, ".pcm")}`);
      const samples = new Float32Array(bytes.length >> 1);
      for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(2 * i) / 32768;
      return { samples, phones: JSON.parse(readFileSync(`${folder}/json/${name}`, "utf8")).phones };
    });
}

const clips = options.clips ? loadClips(options.clips) : [{ samples: voiceLike(20), phones: undefined }];
const seconds = clips.reduce((sum, clip) => sum + clip.samples.length / RATE, 0);

const toPcm = (samples) =>
  Buffer.from(
    Int16Array.from(samples, (x) => Math.max(-32768, Math.min(32767, Math.round(x * 32768)))).buffer,
  );

// Ours runs in its own process, whose start is not counted: net_bench reports the factor itself.
const ours = {
  name: "visavis",
  speed() {
    const lines = execFileSync(options.tool, ["speed", options.weights], { encoding: "utf8" }).split("\n");
    const row = lines
      .map((line) => line.trim().split(/\s+/))
      .find(([device, chunk]) => (device === "avx2" || device === "portable") && chunk === "20");
    return Number(row[2]);
  },
  track(samples) {
    const out = execFileSync(options.tool, ["posteriors", options.weights], {
      input: toPcm(samples),
      maxBuffer: 1 << 28,
    });
    const rows = new Float32Array(out.buffer.slice(out.byteOffset, out.byteOffset + out.length));
    return Array.from({ length: rows.length / 15 }, (_, i) => {
      const row = rows.subarray(15 * i, 15 * i + 15);
      return row.indexOf(Math.max(...row));
    });
  },
};

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

function truthAt(phones, t) {
  const phone = phones.find(({ s, e }) => t >= s && t < e);
  return phone ? VISEMES.indexOf(phone.v) : 0;
}

function smooth(values) {
  return values.map((_, i) => {
    const from = Math.max(0, i - 3);
    const part = values.slice(from, i + 4);
    return part.reduce((sum, x) => sum + x, 0) / part.length;
  });
}

function correlation(a, b) {
  const mean = (x) => x.reduce((sum, v) => sum + v, 0) / x.length;
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  a.forEach((v, i) => {
    ab += (v - ma) * (b[i] - mb);
    aa += (v - ma) ** 2;
    bb += (b[i] - mb) ** 2;
  });
  return ab / Math.sqrt(aa * bb || 1);
}

/** Accuracy after the best constant offset in 0..300 ms of lag, openness correlation, recall of closure frames. */
function score(tracks) {
  let best = { accuracy: -1 };
  for (let lag = -5; lag <= 30; lag++) {
    let [right, all, closed, shut] = [0, 0, 0, 0];
    const [open, shown] = [[], []];
    for (const { track, phones } of tracks) {
      for (let i = 0; i < track.length; i++) {
        const truth = truthAt(phones, 0.0125 + (i - lag) * 0.01);
        all++;
        right += truth === track[i] ? 1 : 0;
        if (truth === 1 || truth === 2) {
          closed++;
          shut += truth === track[i] ? 1 : 0;
        }
        open.push(OPENNESS[truth]);
        shown.push(OPENNESS[track[i]]);
      }
    }
    if (right / all > best.accuracy) {
      best = {
        accuracy: right / all,
        closure: shut / closed,
        openness: correlation(smooth(open), smooth(shown)),
        lagMs: lag * 10,
      };
    }
  }
  return best;
}

const peers = [];
const adapters = [
  ["wawa-lipsync", wawaLipsync],
  ["@met4citizen/headaudio", headAudio],
  ["wlipsync", wLipSync],
];
for (const [name, adapter] of adapters) {
  const folder = resolve(options.modules, name);
  if (!existsSync(folder)) {
    console.log(`${name}: skipped, not installed under ${options.modules}`);
    continue;
  }
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  peers.push({ name: `${name} ${version}`, ...(await adapter(folder)) });
}

// Rounds interleave the contestants, so that a busy moment of the machine falls on all of them.
const factors = new Map([ours, ...peers].map(({ name }) => [name, []]));
for (let round = 0; round < Number(options.rounds); round++) {
  for (const peer of round % 2 ? peers.toReversed() : peers) {
    const began = process.hrtime.bigint();
    for (const { samples } of clips) peer.track(samples);
    factors.get(peer.name).push(Number(process.hrtime.bigint() - began) / 1e9 / seconds);
  }
  factors.get(ours.name).push(ours.speed());
}

const own = median(factors.get(ours.name));
const rows = [ours, ...peers].map((contestant) => {
  const factor = median(factors.get(contestant.name));
  const row = {
    net: contestant.name,
    "real-time factor": factor.toFixed(5),
    "times ours": (factor / own).toFixed(1),
  };
  if (clips[0].phones && contestant.scores !== false) {
    const result = score(clips.map(({ samples, phones }) => ({ track: contestant.track(samples), phones })));
    row["accuracy %"] = (100 * result.accuracy).toFixed(1);
    row["closure recall %"] = (100 * result.closure).toFixed(1);
    row["openness r"] = result.openness.toFixed(2);
    row["lag ms"] = result.lagMs;
  }
  return row;
});
console.table(rows);
