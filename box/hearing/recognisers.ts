// Which recogniser the configuration asks for. Adding one is adding a file and a line here.

import type { BoxConfig, RecogniserConfig } from "../config.ts";
import type { Log } from "../ops/log.ts";
import { Deepgram } from "./deepgram.ts";
import { OpenAiRealtime } from "./openai-realtime.ts";
import { PocketSphinx } from "./pocketsphinx.ts";
import type { RecogniserProvider } from "./recogniser.ts";

export interface RecogniserSurroundings {
  config: Pick<BoxConfig, "recogniser">;
  log: Log;
}

type Opener = (surroundings: RecogniserSurroundings) => Promise<RecogniserProvider | null>;

const openers: Partial<Record<RecogniserConfig["kind"], Opener>> = {
  pocketsphinx: async ({ log }) => new PocketSphinx({ log }),
  deepgram: async ({ config: { recogniser }, log }) =>
    recogniser.kind === "deepgram" ? new Deepgram({ ...recogniser, log }) : null,
  openai_realtime: async ({ config: { recogniser }, log }) =>
    recogniser.kind === "openai_realtime" ? new OpenAiRealtime({ ...recogniser, log }) : null,
};

/** Null when none is configured. */
export async function configuredRecogniser(
  surroundings: RecogniserSurroundings,
): Promise<RecogniserProvider | null> {
  return (await openers[surroundings.config.recogniser.kind]?.(surroundings)) ?? null;
}
