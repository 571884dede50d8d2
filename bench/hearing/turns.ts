// How long a speaker waits for a reply, and how often one comes too soon: by the words, beside fixed silences.

import { endOfTurn, type EndOfTurn } from "../../box/hearing/end-of-turn.ts";
import type { VoiceActivity } from "../../box/hearing/voice-activity.ts";
import { report, type Row } from "../report.ts";
import type { Speaker } from "./corpus.ts";
import { drive } from "./drive.ts";
import { Oracle } from "./oracle.ts";
import { percentile } from "./percentile.ts";
import { utterance } from "./speech.ts";

/** Pauses within a sentence, in turn. */
const pausesMs = [300, 600, 900, 1200, 450, 750, 1050];
const conditions = [
  { levelDb: -20, noiseDb: -70 },
  { levelDb: -32, noiseDb: -60 },
  { levelDb: -23, noiseDb: -43 },
];

const fixed =
  (waitMs: number): EndOfTurn =>
  () => ({ eot: 0.5, waitMs, reason: "statement" });

interface Method {
  name: string;
  endOfTurn: EndOfTurn;
}

const methods: Method[] = [
  { name: "words", endOfTurn },
  ...[500, 800, 1100].map((waitMs) => ({ name: `${waitMs} ms of silence`, endOfTurn: fixed(waitMs) })),
];

interface Score {
  delaysMs: number[];
  likelyMs: number[];
  cutOff: number;
  pauses: number;
  missed: number;
}

export async function measureTurns(
  activity: VoiceActivity,
  {
    speakers,
    title,
    verbose = false,
    rounds = conditions.length,
  }: { speakers: readonly Speaker[]; title: string; verbose?: boolean; rounds?: number },
): Promise<Row[]> {
  const scores = new Map<string, Score>(
    methods.map(({ name }) => [name, { delaysMs: [], likelyMs: [], cutOff: 0, pauses: 0, missed: 0 }]),
  );
  let seed = 0;
  for (const { levelDb, noiseDb } of conditions.slice(0, rounds))
    for (const { language, voice, sentences } of speakers)
      for (const sentence of sentences) {
        seed += 1;
        const first = seed;
        const pauseMs = (index: number) => pausesMs[(first + 3 * index) % pausesMs.length] ?? 0;
        const spoken = await utterance(sentence, { voice, pauseMs, levelDb, noiseDb, seed });
        for (const { name, endOfTurn } of methods) {
          const score = scores.get(name);
          if (!score) continue;
          const heard = await drive({
            samples: spoken.samples,
            oracle: new Oracle(spoken.words, language === "ja" ? "" : " "),
            scorer: activity.scorer(),
            language,
            endOfTurn,
          });
          const turns = heard.filter(({ event }) => event.case === "turn").map(({ atMs }) => atMs);
          score.pauses += spoken.resumesMs.length;
          const early = turns.filter((atMs) => atMs < spoken.endMs).length;
          score.cutOff += early;
          if (verbose && name === "words" && early > 0)
            console.log(
              `  cut: ${language} ${sentence} (${spoken.resumesMs.map((_, i) => pauseMs(i)).join()})`,
            );
          const last = turns.at(-1);
          if (last === undefined || last < spoken.endMs) {
            score.missed += 1;
            if (verbose) console.log(`  missed by ${name}: ${language} ${sentence} ${levelDb} ${noiseDb}`);
            continue;
          }
          if (verbose && name === "words" && last - spoken.endMs > 900)
            console.log(`  late: ${Math.round(last - spoken.endMs)} ${language} ${sentence}`);
          score.delaysMs.push(last - spoken.endMs);
          const likely = heard.findLast(({ event }) => event.case === "likely");
          if (likely && likely.atMs >= spoken.endMs) score.likelyMs.push(likely.atMs - spoken.endMs);
        }
      }
  const rows: Row[] = [];
  for (const { name } of methods) {
    const score = scores.get(name);
    if (!score) continue;
    const { delaysMs } = score;
    const mean = delaysMs.reduce((sum, value) => sum + value, 0) / delaysMs.length;
    rows.push(
      report({
        name: `${title}, end of turn by ${name}: delay after the last sound, mean`,
        value: mean,
        unit: "ms",
      }),
      report({
        name: `${title}, end of turn by ${name}: delay after the last sound, p95`,
        value: percentile(delaysMs, 0.95),
        unit: "ms",
      }),
      report({
        name: `${title}, end of turn by ${name}: pauses taken for the end (${score.cutOff} of ${score.pauses})`,
        value: (100 * score.cutOff) / score.pauses,
        unit: "%",
      }),
    );
    if (score.missed > 0)
      rows.push(
        report({
          name: `${title}, end of turn by ${name}: turns never taken`,
          value: score.missed,
          unit: "",
        }),
      );
  }
  const words = scores.get("words");
  if (words)
    rows.push(
      report({
        name: `${title}, a reply is prepared after the last sound, median`,
        value: percentile(words.likelyMs, 0.5),
        unit: "ms",
      }),
    );
  return rows;
}
