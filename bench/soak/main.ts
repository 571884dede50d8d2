// `npm run soak -- --minutes 120`: a real box with one caller live all the while, who says something every ten seconds. What the
// box holds must not grow, and what it sends must stay in step. Exits 1 when a floor is missed.

import { parseArgs } from "node:util";
import { startBox } from "../../test/harness/box.ts";
import { connectRtc } from "../../test/harness/rtc-client.ts";
import { describeRow, holds, median, report, type Row } from "../report.ts";
import { fitLine } from "./regression.ts";
import { Sampler, type Sample } from "./samples.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "120" } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error("--minutes must be a number above 0.");

const turnEveryMs = 10_000;
const sampleEveryMs = Math.max(5_000, Math.min(30_000, (minutes * 60_000) / 60));
/** Caches fill and compilers warm up meanwhile: a fifth of the time, at most ten minutes. */
const warmUpMinutes = Math.min(10, minutes / 5);
/** A slope over less is noise. */
const slopeFromMinutes = 20;

const lines = [
  "Hello, how are you today?",
  "Tell me something about the sea.",
  "What do you think of that?",
  "Could you say it once more, in other words?",
  "Thank you. And what comes next?",
];

const sleep = (milliseconds: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, milliseconds));
  });

const box = await startBox({ SESSION_MAX_SECONDS: "0", SESSION_IDLE_SECONDS: "86400", LOG_LEVEL: "warn" });
const samples: Sample[] = [];
let [turns, failedTurns] = [0, 0];

async function say(text: string): Promise<void> {
  turns += 1;
  try {
    const response = await fetch(`${box.url}/api/chat`, {
      method: "POST",
      body: JSON.stringify({ message: text }),
      signal: AbortSignal.timeout(60_000),
    });
    const { reply } = (await response.json()) as { reply?: string };
    if (response.status !== 200 || !reply) failedTurns += 1;
  } catch {
    failedTurns += 1;
  }
}

const columns: [title: string, cell: (sample: Sample) => string][] = [
  ["minutes", ({ minutes: at }) => at.toFixed(1)],
  ["RSS MiB", ({ rssMib }) => rssMib.toFixed(1)],
  ["heap MiB", ({ heapMib }) => heapMib.toFixed(1)],
  ["threads", ({ threads }) => String(threads)],
  ["fds", ({ fds }) => String(fds)],
  ["children", ({ children }) => String(children)],
  ["fps", ({ fps }) => fps.toFixed(2)],
  ["dropped", ({ droppedFrames }) => String(droppedFrames)],
  ["A/V ms", ({ skewMs }) => skewMs.toFixed(1)],
  ["turns", ({ turns: done }) => String(done)],
  ["failed", ({ failedTurns: failed }) => String(failed)],
];
const printRow = (cells: string[]) => console.log(cells.map((cell) => cell.padStart(9)).join(""));

async function soak(): Promise<void> {
  const client = await connectRtc(box.url, { keep: 20_000 });
  try {
    await sleep(3_000);
    const sampler = new Sampler(box.url, box.pid, client);
    const startedMs = performance.now();
    const over = () => performance.now() - startedMs >= minutes * 60_000;
    const talk = (async () => {
      for (let turn = 0; !over(); turn += 1) {
        const dueMs = startedMs + turn * turnEveryMs;
        await sleep(dueMs - performance.now());
        await say(lines[turn % lines.length] ?? "Hello.");
      }
    })();
    printRow(columns.map(([title]) => title));
    for (let number = 1; !over(); number += 1) {
      await sleep(startedMs + number * sampleEveryMs - performance.now());
      const sample = await sampler.take(turns, failedTurns);
      samples.push(sample);
      printRow(columns.map(([, cell]) => cell(sample)));
    }
    await talk;
  } finally {
    client.close();
  }
}

/** What is held at most in the first half after the warm-up, and in the second. */
function halves(of: (sample: Sample) => number): { early: number; late: number } {
  const warm = samples.filter(({ minutes: at }) => at >= warmUpMinutes);
  const middle = Math.ceil(warm.length / 2);
  const most = (some: Sample[]) => Math.max(...some.map(of));
  return { early: most(warm.slice(0, middle)), late: most(warm.slice(middle)) };
}

function judge(): Row[] {
  const warm = samples.filter(({ minutes: at }) => at >= warmUpMinutes);
  if (warm.length < 4) throw new Error("Too few samples after the warm-up: take more minutes.");
  const growth = (name: string, of: (sample: Sample) => number): Row => {
    const { slope, error } = fitLine(warm.map((sample) => ({ x: sample.minutes / 60, y: of(sample) })));
    // What the noise may account for is not held against it.
    const certain = slope > 0 ? Math.max(0, slope - 2 * error) : Math.min(0, slope + 2 * error);
    console.log(`${name}: ${slope.toFixed(1)} ± ${(2 * error).toFixed(1)} MiB an hour`);
    const floor = minutes >= slopeFromMinutes ? { floor: { atMost: 10 } } : {};
    return report({ name: `${name} that is beyond noise`, value: certain, unit: "MiB an hour", ...floor });
  };
  const steady = (name: string, of: (sample: Sample) => number, slack: number): Row => {
    const { early, late } = halves(of);
    return report({ name, value: late, unit: `(${early} before)`, floor: { atMost: early + slack } });
  };
  const last = samples.at(-1);
  const skews = warm.map(({ skewMs }) => Math.abs(skewMs));
  return [
    growth("growth of memory", ({ rssMib }) => rssMib),
    growth("growth of the heap", ({ heapMib }) => heapMib),
    steady("threads at most, second half", ({ threads }) => threads, 2),
    steady("open files at most, second half", ({ fds }) => fds, 4),
    steady("child processes at most, second half", ({ children }) => children, 2),
    report({
      name: "pictures a second, median",
      value: median(warm.map(({ fps }) => fps)),
      unit: "fps",
      floor: { atLeast: 24.5 },
    }),
    report({
      name: "pictures a second, least of a sample",
      value: Math.min(...warm.map(({ fps }) => fps)),
      unit: "fps",
    }),
    report({
      name: "sound and picture apart, most against the beginning",
      value: Math.max(...skews),
      unit: "ms",
      floor: { atMost: 20 },
    }),
    report({
      name: "dropped pictures",
      value: ((last?.droppedFrames ?? 0) * 100) / ((last?.minutes ?? 1) * 60 * 25),
      unit: "%",
      floor: { atMost: 1 },
    }),
    report({ name: "turns that failed", value: failedTurns, unit: `of ${turns}`, floor: { atMost: 0 } }),
  ];
}

let rows: Row[] = [];
try {
  await soak();
  console.log("");
  rows = judge();
} finally {
  await fetch(`${box.url}/disconnect`, { method: "POST" }).catch(() => undefined);
  await box.stop();
}
const missed = rows.filter((row) => !holds(row));
console.log(missed.length === 0 ? "Every floor held." : "Missed:");
for (const row of missed) console.log(`  ${describeRow(row)}`);
process.exitCode = missed.length === 0 ? 0 : 1;
