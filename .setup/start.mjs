// `npm start`: sets up what is missing, runs portal and box, and stays until it is told to end.

import { SetupError } from "./report.mjs";
import { main, setup } from "./setup.mjs";
import { startPlanes } from "./planes.mjs";

await main(async () => {
  await setup({ purposes: ["run"] });
  const planes = await startPlanes();
  const asked = new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => resolve(null));
    // npm dies of a SIGTERM without passing it on: then we are handed to another parent.
    const parent = process.ppid;
    const underNpm = process.env.npm_lifecycle_event === "start";
    if (underNpm) setInterval(() => process.ppid !== parent && resolve(null), 500).unref();
  });
  try {
    const address = await Promise.race([planes.ready, asked]);
    if (address === null) return;
    console.log(`ready ${address}`);
    const ended = await Promise.race([planes.exited, asked]);
    if (ended) throw new SetupError(`The ${ended.name} ended (exit ${ended.code}).`);
  } finally {
    await planes.stop();
  }
});
