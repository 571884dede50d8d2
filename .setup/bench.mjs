// `npm run bench [words…]`: figures beside their peers, each in the same run. Words pick the parts; none runs them all.

import { join } from "node:path";
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

/** Each part: what it is called and the commands that print its rows. */
const parts = {
  warp: [[join(build, "bench/warp_bench")]],
  net: [[node, "native/bench/net_peers.mjs", "--tool", join(build, "bench/net_bench"), "--weights", weights]],
  encode: [[join(build, "bench/encode_bench")]],
  avatars: [
    [node, "bench/avatars/prepare.ts"],
    [node, "bench/avatars/media.ts"],
  ],
  identity: [[node, "bench/identity/main.ts"]],
  live: [[node, "bench/live/main.ts"]],
  conversation: [
    [node, "bench/hearing/main.ts"],
    [node, "bench/conversation/main.ts"],
  ],
  portal: [[node, "bench/portal/main.ts"]],
  fleet: [[node, "bench/fleet/main.ts"]],
};

/** Parts that run programs of the native build. */
const native = new Set(["warp", "net", "encode"]);

await main(async () => {
  const wanted = process.argv.slice(2);
  await setup({ purposes: ["run", "bench"] });
  if (wanted.length === 0 || wanted.some((name) => native.has(name))) {
    await run("cmake", configure);
    await run("cmake", ["--build", build, "--parallel", "2"]);
  }
  for (const [name, commands] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n# ${name}`);
    for (const [program, ...args] of commands) await run(program, args, { show: true });
  }
});
