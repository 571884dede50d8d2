// `npm run soak [-- --minutes 120]`: one caller live on a real box for hours; what it holds must not grow.

import { run } from "./processes.mjs";
import { main, node, setup } from "./setup.mjs";

await main(async () => {
  await setup({ purposes: ["run", "bench"] });
  await run(node, ["bench/soak/main.ts", ...process.argv.slice(2)], { show: true });
});
