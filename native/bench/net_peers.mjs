// The viseme net beside what a user would pick instead, in one run: real-time factor, and how well each hears voices that
// the net was never trained on. native/model/scoring.py scores them all.
//
//   node native/bench/net_peers.mjs --tool native/build/bench/bench/net_bench --weights native/model/visemes.vvn
//     [--modules node_modules] [--clips FOLDER] [--dev FOLDER] [--keep native/build/held] [--rounds 5]
//
// Clips are made on this machine (held_clips.mjs) unless FOLDER of clips.py is given; --dev adds recordings that somebody
// has aligned already. The peers are browser libraries: the few Web Audio calls that each makes are answered here with the
// same arithmetic, and their own code runs unchanged; they get 16 kHz, which spares them a browser's resampling. A peer that
// is not installed is skipped, and said to be. Lines of JSON that begin with {"row" are figures for the table of floors.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { heldClips, readClips } from "./held_clips.mjs";
import { headAudio, wawaLipsync, wLipSync } from "./net_peers_adapters.mjs";

const RATE = 16_000;
const VISEMES = 15;
const HOP = RATE / 100;
/** Row i of net_bench posteriors speaks of 12.5 + 10 i ms. */
const POSTERIORS_START = 0.0125;
/** Silence after a clip, so that the net's look-ahead reaches its end. */
const TAIL = Buffer.alloc(2 * RATE * 0.2);

const { values: options } = parseArgs({
  options: {
    tool: { type: "string" },
    weights: { type: "string" },
    modules: { type: "string", default: "node_modules" },
    clips: { type: "string" },
    dev: { type: "string" },
    keep: { type: "string", default: "native/build/held" },
    rounds: { type: "string", default: "5" },
  },
});
if (!options.tool || !options.weights) {
  console.error(
    "usage: net_peers.mjs --tool NET_BENCH --weights VISEMES.VVN [--modules DIR] [--clips DIR] [--dev DIR] [--rounds N]",
  );
  process.exit(2);
}

const folder = options.clips ?? heldClips({ under: resolve(options.keep), dev: options.dev });
const clips = readClips(folder);
/** What speed is measured on: real voices, a minute or two of them. */
const timed = clips.filter(({ kind }) => kind === "real");

/** Ours runs in its own process, whose start is not counted: net_bench reports the factor itself. */
const ours = {
  name: "visavis",
  speed() {
    const lines = execFileSync(options.tool, ["speed", options.weights], { encoding: "utf8" }).split("\n");
    const row = lines
      .map((line) => line.trim().split(/\s+/))
      .find(([device, chunk, factor]) => /^(avx2|portable)$/.test(device) && chunk === "20" && factor > 0);
    return Number(row[2]);
  },
  track: (mode, pcm) =>
    execFileSync(options.tool, [mode, options.weights], { input: pcm, maxBuffer: 1 << 28 }),
};

const peers = [];
for (const [name, adapter] of [
  ["wawa-lipsync", wawaLipsync],
  ["@met4citizen/headaudio", headAudio],
  ["wlipsync", wLipSync],
]) {
  const at = resolve(options.modules, name);
  if (!existsSync(at)) {
    console.log(`${name}: skipped, not installed under ${options.modules}`);
    continue;
  }
  const { version } = JSON.parse(readFileSync(join(at, "package.json"), "utf8"));
  peers.push({ name: `${name} ${version}`, ...(await adapter(at)) });
}

// Rounds interleave the contestants, so that a busy moment of the machine falls on all of them.
const seconds = timed.reduce((sum, { samples }) => sum + samples.length / RATE, 0);
const factors = new Map([ours, ...peers].map(({ name }) => [name, []]));
for (let round = 0; round < Number(options.rounds); round++) {
  for (const peer of round % 2 ? peers.toReversed() : peers) {
    const began = process.cpuUsage();
    for (const { samples } of timed) peer.track(samples);
    const { user, system } = process.cpuUsage(began);
    factors.get(peer.name).push((user + system) / 1e6 / seconds);
  }
  factors.get(ours.name).push(ours.speed());
}
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const factorOf = ({ name }) => median(factors.get(name));

/** One viseme an instant, as a track of weights. */
function oneHot(indices) {
  const rows = new Float32Array(indices.length * VISEMES);
  indices.forEach((index, i) => (rows[i * VISEMES + Math.max(0, index)] = 1));
  return Buffer.from(rows.buffer);
}

function scoreAll() {
  const tracks = mkdtempSync(join(tmpdir(), "visavis-tracks-"));
  try {
    const write = (name, trackOf, start) => {
      mkdirSync(join(tracks, name), { recursive: true });
      if (start) writeFileSync(join(tracks, name, "start"), String(start));
      for (const clip of clips) writeFileSync(join(tracks, name, `${clip.id}.f32`), trackOf(clip));
    };
    // As evaluate.py asks the trained net: a row for every whole window of the clip.
    const probabilities = ({ pcm, samples }) =>
      ours
        .track("posteriors", Buffer.concat([pcm, TAIL]))
        .subarray(0, 4 * VISEMES * Math.max(1, Math.floor(samples.length / HOP) - 1));
    write("net", probabilities, POSTERIORS_START);
    write("poses", ({ pcm }) => ours.track("poses", pcm));
    peers.forEach((peer, i) => {
      if (peer.scores !== false) write(`peer${i}`, ({ samples }) => oneHot(peer.track(samples)));
    });
    const script = join(import.meta.dirname, "../model/score_tracks.py");
    return JSON.parse(
      execFileSync("python3", [script, "--clips", folder, "--tracks", tracks], { encoding: "utf8" }),
    );
  } finally {
    rmSync(tracks, { recursive: true, force: true });
  }
}

const percent = (share) => Number((100 * share).toFixed(1));
const figures = scoreAll();
console.log("Beside its peers, on the real voices:");
console.table(
  [ours, ...peers].map((contestant, i) => {
    const real = figures[i === 0 ? "net" : `peer${i - 1}`]?.["all real"];
    return {
      net: contestant.name,
      "real-time factor": factorOf(contestant).toFixed(5),
      "times ours": (factorOf(contestant) / factorOf(ours)).toFixed(1),
      ...(real && {
        "accuracy %": percent(real.accuracy),
        "closed frames %": percent(real.closed_frame_recall),
        "openness r": Number(real.openness_r.toFixed(3)),
      }),
    };
  }),
);
for (const [title, name] of [
  ["The net's own probabilities, voice by voice:", "net"],
  ["As poses, which are what a face shows:", "poses"],
]) {
  console.log(title);
  console.table(
    Object.entries(figures[name]).map(([voice, row]) => ({
      voice,
      s: Math.round(row.seconds),
      "accuracy %": percent(row.accuracy),
      "accepted %": percent(row.accepted),
      "openness r": Number(row.openness_r.toFixed(3)),
      "p/b/m hit %": percent(row.PP_hit),
      "false/min": Number(row.PP_false_per_min.toFixed(1)),
      "f/v hit %": percent(row.FF_hit),
      "f/v false/min": Number(row.FF_false_per_min.toFixed(1)),
    })),
  );
}

/** The best of the peers, which is the one to beat. */
const best = (pick) =>
  Math.max(...peers.map((_, i) => figures[`peer${i}`]).flatMap((row) => (row ? [pick(row)] : [])));
const row = (fields) => console.log(JSON.stringify({ row: "net", ...fields }));
row({
  name: "net: real-time factor on one core",
  value: factorOf(ours),
  atMost: 0.005,
  peer: "fastest peer",
  peerValue: Math.min(...peers.map(factorOf)),
});
for (const [group, net] of Object.entries(figures.net).filter(([name]) => name.startsWith("all "))) {
  const poses = figures.poses[group];
  const voices = group.replace("all ", "");
  const beside = (pick) => ({ peer: "best peer", peerValue: best((peer) => pick(peer[group])) });
  const name = (what) => `net, ${voices}: ${what}`;
  row({
    name: name("frames right"),
    value: percent(net.accuracy),
    unit: "%",
    atLeast: 62,
    ...beside(({ accuracy }) => percent(accuracy)),
  });
  row({
    name: name("openness r"),
    value: net.openness_r,
    atLeast: 0.8,
    ...beside((peer) => peer.openness_r),
  });
  row({
    name: name("p/b/m hit, as poses"),
    value: percent(poses.PP_hit),
    unit: "%",
    atLeast: 85,
    ...beside(({ PP_hit }) => percent(PP_hit)),
  });
  row({
    name: name("false p/b/m, as poses"),
    value: poses.PP_false_per_min,
    unit: "/min",
    atMost: 6,
  });
}
