// What tests of a room's agent share: entering, sound to send, and what the agent was told.

import { expect } from "vitest";
import type { FakeRoom } from "./fake-rooms.ts";
import type { TestBox } from "./test-box.ts";

export const sound = (milliseconds: number) => new Int16Array((24_000 * milliseconds) / 1000).fill(500);

export const methods = (room: FakeRoom) => room.calls.map(({ method }) => method.replace("lk.playback_", ""));

export async function enter(
  box: TestBox,
  options: { held?: boolean; body?: object; token?: object } = {},
): Promise<FakeRoom> {
  box.media.held = options.held ?? false;
  const answer = await box.join(options);
  expect(answer.status).toBe(200);
  return box.rooms.room;
}

/** Until what was sent so far has been read. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
