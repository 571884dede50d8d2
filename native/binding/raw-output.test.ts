// A Stage for a consumer that encodes for itself.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildAvatar } from "./index.js";
import { openStageOf, tone } from "./open-stage.ts";
import { plainFace, plainFaceSize as SIZE } from "./plain-face.ts";

let avatarDir: string;

beforeAll(async () => {
  avatarDir = await mkdtemp(join(tmpdir(), "visavis-binding-"));
  await buildAvatar(await plainFace(avatarDir));
});

afterAll(async () => {
  await rm(avatarDir, { recursive: true, force: true });
});

describe("a raw output", () => {
  test("is pictures and samples as they are, with the timestamps of the one clock", async () => {
    const { stage, events, until, of } = openStageOf({ avatarDir, output: "raw" });
    try {
      const utterance = stage.beginUtterance();
      stage.pushAudio(utterance, tone(0.4, 48_000), 48_000);
      stage.endUtterance(utterance);
      await until(() => events.some(({ type }) => type === "utterance_ended") && of("video").length > 12);
      for (const { data, keyframe, timestamp } of of("video")) {
        expect(data.length).toBe((SIZE * SIZE * 3) / 2);
        expect(keyframe).toBe(true);
        expect(timestamp % 3600).toBe(0);
      }
      // The luma of the face's surroundings: rendered, and not left at zero.
      expect(of("video")[0]!.data[0]).toBeGreaterThan(100);
      const sound = of("audio");
      for (const { data, timestamp } of sound) {
        expect(data.length).toBe(1920);
        expect(timestamp % 960).toBe(0);
      }
      const spoken = sound.filter(({ speech }) => speech);
      expect(spoken.length).toBeGreaterThanOrEqual(20);
      const samples = spoken.flatMap(({ data }) =>
        Array.from({ length: 960 }, (_, i) => data.readInt16LE(2 * i)),
      );
      expect(Math.max(...samples)).toBeGreaterThan(11_000);
      expect(Math.max(...samples)).toBeLessThan(13_000);
      expect(stage.stats().encoder).toBe("raw");
    } finally {
      await stage.close();
    }
  });

  test("is one of two", () => {
    expect(() => openStageOf({ avatarDir, output: "mpeg" as "raw" })).toThrow(
      "output must be encoded or raw",
    );
  });
});
