// `npm run contact-sheet [avatar or photograph]`: every tone and every viseme of a face on one sheet, to be looked at.

import { run } from "./processes.mjs";
import { main, node, setup } from "./setup.mjs";

await main(async () => {
  await setup({ purposes: ["run"] });
  await run(node, ["bench/contact-sheet/main.ts", ...process.argv.slice(2)], { show: true });
});
