// `npm run bench [words…]`: figures beside their peers, each in the same run. Words pick the parts; none runs them all. The
// last thing printed is a table of the native parts' floors, also where a part failed; a missed floor makes it fail, and so
// does a part that printed none of its own.
//
// VISEME_RECORDINGS names a folder of recordings that somebody has aligned (json/ and flac/), for the part `net`.

import { join } from "node:path";
import { chosenParts, collectRows, floorsTable, holds } from "./floors.mjs";
import { run } from "./processes.mjs";
import { root } from "./report.mjs";
import { main, node, setup } from "./setup.mjs";

const build = join(root, "native/build/bench");
const configure = [
  "-S",
  "native",
  "-B",
  build,
  "-DCMAKE_BUILD_TYPE=Release",
  "-DVISAVIS_BENCH=ON",
  "-DVISAVIS_TESTS=OFF",
];

const weights = "native/model/visemes.vvn";
const program = (name) => join(build, "bench", name);
const recordings = process.env.VISEME_RECORDINGS ? ["--dev", process.env.VISEME_RECORDINGS] : [];

/** Each part: what it is called and the commands that print its rows. */
const parts = {
  warp: [[program("warp_bench")]],
  net: [
    [node, "native/bench/net_peers.mjs", "--tool", program("net_bench"), "--weights", weights, ...recordings],
  ],
  encode: [[program("encode_bench")]],
  stage: [[node, "bench/stage/main.ts", program("stage_bench"), weights]],
  avatars: [
    [node, "bench/avatars/prepare.ts"],
    [node, "bench/avatars/media.ts"],
  ],
  identity: [[node, "bench/identity/main.ts"]],
  live: [[node, "bench/live/main.ts"]],
  rooms: [[node, "bench/rooms/main.ts"]],
  conversation: [
    [node, "bench/hearing/main.ts"],
    [node, "bench/conversation/main.ts"],
  ],
  portal: [[node, "bench/portal/main.ts"]],
  fleet: [[node, "bench/fleet/main.ts"]],
};

/** Parts that run programs of the native build. */
const native = new Set(["warp", "net", "encode", "stage"]);
/** Those of them whose rows have floors. */
const floored = new Set(["warp", "net", "stage"]);

await main(async () => {
  const wanted = chosenParts(process.argv.slice(2), Object.keys(parts));
  await setup({ purposes: ["run", "bench"] });
  if (wanted.some((name) => native.has(name))) {
    await run("cmake", configure);
    await run("cmake", ["--build", build, "--parallel", "2"]);
  }
  const { rows, take, ended } = collectRows();
  try {
    for (const name of wanted) {
      console.log(`\n# ${name}`);
      for (const [command, ...args] of parts[name]) {
        // Only the native parts print rows; the others' output goes through untouched.
        if (!native.has(name)) await run(command, args, { show: true });
        else await run(command, args, { onLine: (line) => take(name, line) || console.log(line) });
      }
      if (floored.has(name)) ended(name);
    }
  } finally {
    if (rows.length > 0) console.log(`\n# floors\n${floorsTable(rows)}`);
    if (!rows.every(holds)) process.exitCode = 1;
  }
});
