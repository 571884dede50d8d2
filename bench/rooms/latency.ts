// What an agent's listener waits for: the face, the first word, and silence. All of it measured at the agent, which hears and
// sees the avatar as any participant does, decoded and through its jitter buffer.

import type { Agent } from "../../test/rooms/agent.ts";
import { seconds } from "../../test/rooms/meeting.ts";
import { until } from "../../test/rooms/until.ts";
import { audible, type Sound } from "../../test/rooms/visitor.ts";

export const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

export interface Turn {
  /** First sample handed to the byte stream → first audible 10 ms at the listener, milliseconds. */
  toSpeechMs: number;
  /** `lk.clear_buffer` called → last audible 10 ms at the listener, milliseconds; 0 when none came after it. */
  toSilenceMs: number;
}

/** One turn: the agent speaks at the pace of a voice engine that streams, and is interrupted. */
export async function turn(agent: Agent, avatar: string): Promise<Turn> {
  const heard = (): Sound[] => agent.visitor.heard(avatar);
  const from = heard().length;
  const segment = await agent.open();
  const startedAtMs = performance.now();
  await segment.write(seconds(3));
  const first = await until("speech", () => heard().slice(from).find(audible), 2);
  await wait(700);
  const clearedAtMs = performance.now();
  await Promise.all([segment.close(), agent.clear()]);
  await wait(1000);
  const last = heard().findLast((sound) => sound.atMs > clearedAtMs && audible(sound));
  return { toSpeechMs: first.atMs - startedAtMs, toSilenceMs: last ? last.atMs - clearedAtMs : 0 };
}
