// A model that takes its time, as one on the other side of the world does: a local server that speaks the Messages API.

import { setTimeout as sleep } from "node:timers/promises";
import { FakeMessagesApi } from "../../box/testing/fake-messages-api.ts";

const id = "claude-haiku-5-5";

export interface DistantModel {
  model: FakeMessagesApi;
  /** What a box is told of it. */
  environment: Record<string, string>;
  /** Has the caller of the box at `url` answered by it. */
  choose(url: string): Promise<void>;
}

/** Every request is answered, `firstWordsMs` after it came. */
export async function distantModel({ firstWordsMs }: { firstWordsMs: number }): Promise<DistantModel> {
  const model = await FakeMessagesApi.open("sse");
  model.answer = async (reply) => {
    await sleep(firstWordsMs);
    reply.begin().text("[warm] I have thought about it. ", "And this is all that I came up with.").end();
  };
  return {
    model,
    environment: {
      ANTHROPIC_API_KEY: "none-is-needed",
      ANTHROPIC_BASE_URL: model.url,
      RESIDENCY_OPT_IN: "global",
    },
    choose: async (url) => {
      const answer = await fetch(`${url}/api/settings`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ live_model: id }),
      });
      if (!answer.ok) throw new Error(`The model could not be chosen: ${answer.status}.`);
    },
  };
}
