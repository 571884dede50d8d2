// `npm run measure:lipsync`: lip sync as a viewer sees it, against the synthesizer's own phoneme times.

import { run } from "./processes.mjs";
import { main, node, setup } from "./setup.mjs";

await main(async () => {
  await setup({ purposes: ["run", "bench"] });
  await run(node, ["bench/lipsync/measure.ts", ...process.argv.slice(2)], { show: true });
});
