// `npm run measure:lipsync`: lip sync as a viewer sees it, against the times of what is said: espeak-ng's events,
// flite's own times, and PocketSphinx's alignment of people's recordings with their words.

import { run } from "./processes.mjs";
import { main, node, setup } from "./setup.mjs";

await main(async () => {
  await setup({ purposes: ["run", "bench"] });
  await run(node, ["bench/lipsync/measure.ts", ...process.argv.slice(2)], { show: true });
});
