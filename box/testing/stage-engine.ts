// The real stage behind connections that are not: what is sent goes nowhere.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MediaEngine } from "../live/engine.ts";
import { FakePeer } from "./fake-media.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export const stageBuilt = existsSync(path("../../native/build/Release/visavis.node"));
export const stageSize = 256;

export interface StageEngine extends MediaEngine {
  /** A plain picture with the landmarks of a portrait. */
  avatarDir: string;
  close(): Promise<void>;
}

export async function openStageEngine(): Promise<StageEngine> {
  const { buildAvatar, Stage } = await import("../../native/binding/index.js");
  const avatarDir = await mkdtemp(join(tmpdir(), "visavis-stage-"));
  const shares = (await readFile(path("../../native/test/stage/landmarks.txt"), "utf8")).trim().split(/\s+/);
  await buildAvatar({
    rgb: new Uint8Array(stageSize * stageSize * 3).fill(140),
    width: stageSize,
    height: stageSize,
    landmarks: Float32Array.from(shares, (share) => Number(share) * stageSize),
    outputWidth: stageSize,
    outputHeight: stageSize,
    loopSeconds: 2,
    outDir: avatarDir,
  });
  return {
    avatarDir,
    answer: (options) => Promise.resolve({ peer: new FakePeer(options), answerSdp: "v=0\r\n" }),
    createStage: (options) => new Stage(options),
    sizeOf: () => ({ width: stageSize, height: stageSize }),
    close: () => rm(avatarDir, { recursive: true, force: true }),
  };
}
