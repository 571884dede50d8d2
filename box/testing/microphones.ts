// The microphones of one test: what every one of them obeys is checked when it is over.

import { expect } from "vitest";
import type { MicrophoneEvent } from "../../contract/microphone-socket.ts";
import type { MicrophoneClient } from "./microphone-client.ts";
import { checkEvents } from "./microphone-rules.ts";
import type { TestBox } from "./test-box.ts";

export class Microphones {
  readonly opened: MicrophoneClient[] = [];
  readonly #box: TestBox;

  constructor(box: TestBox) {
    this.#box = box;
  }

  async open(key?: string): Promise<MicrophoneClient> {
    const microphone = await this.#box.microphone(key === undefined ? {} : { key });
    this.opened.push(microphone);
    return microphone;
  }

  /** Goes live, and opens one that listens. */
  async ready(): Promise<MicrophoneClient> {
    await this.#box.connect();
    const microphone = await this.open();
    await microphone.next("ready");
    return microphone;
  }

  /** Drops them all; nothing of them is left. */
  async close(): Promise<void> {
    const { ears, services } = this.#box;
    for (const microphone of this.opened.splice(0)) {
      expect(microphone.nonsense).toEqual([]);
      checkEvents(microphone.events, true);
      microphone.drop();
    }
    await expect.poll(() => services.microphones.size).toBe(0);
    expect(services.microphones.held).toBe(false);
    expect(ears.listeners.filter(({ closed }) => !closed)).toEqual([]);
  }
}

/** It was told why, and then closed with the same code and sentence. */
export async function refusedWith(microphone: MicrophoneClient, code: number): Promise<MicrophoneEvent> {
  const close = await microphone.closed;
  const last = microphone.events.at(-1);
  expect(last).toMatchObject({ type: "error", fatal: true, code });
  expect(close).toEqual({ code, reason: last?.type === "error" ? last.error : "" });
  if (!last) throw new Error("There is no last event.");
  return last;
}
