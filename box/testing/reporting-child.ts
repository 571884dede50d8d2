// A process that reports without end to a portal that is gone, and says how many reports would outlive it.

import { Outbox } from "../portal/outbox.ts";
import { createLog } from "../ops/log.ts";

const outbox = new Outbox({
  dir: process.argv[2] ?? "",
  log: createLog("silent"),
  deliver: () => Promise.reject(new Error("gone")),
  fileBytes: 2_000,
});
let count = 0;
for (;;) {
  const together = 1 + (count % 7);
  for (let index = 0; index < together; index++) {
    count++;
    outbox.add({ path: "/line", body: { count, words: "w".repeat(count % 300) } });
  }
  await outbox.synced();
  process.stdout.write(`${count}\n`);
}
