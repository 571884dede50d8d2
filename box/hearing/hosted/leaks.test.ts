import { expect, test } from "vitest";
import { createLog } from "../../ops/log.ts";
import { FakeDeepgram } from "../../testing/fake-deepgram.ts";
import { FakeOpenAiRealtime } from "../../testing/fake-openai-realtime.ts";
import { Deepgram } from "../deepgram.ts";
import { OpenAiRealtime } from "../openai-realtime.ts";
import type { RecogniserProvider } from "../recogniser.ts";

const log = createLog("silent");
const held = () =>
  process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap" || kind === "Timeout").length;

/** Opens, uses and closes it in every state that a call leaves it in. */
async function wearOut(provider: RecogniserProvider, lose: () => void): Promise<void> {
  for (let round = 0; round < 60; round++) {
    let failed = false;
    const recognition = await provider.open({
      language: round % 2 ? "en" : "ja",
      onEvent: (event) => {
        failed ||= event.case === "failed";
      },
    });
    recognition.push(new Int16Array(1_600));
    if (round % 3 === 0) lose();
    if (round % 4 === 1) recognition.setLanguage("es");
    if (round % 5 === 2) recognition.drop();
    const settled = round % 2 ? recognition.settle().catch(() => "") : Promise.resolve("");
    if (round % 6 === 5) await settled;
    await recognition.close();
    await settled;
    if (failed) recognition.push(new Int16Array(10));
  }
}

test("sixty recognitions each, some lost on the way, leave no socket and no timer behind", async () => {
  const before = held();
  const deepgram = await FakeDeepgram.start();
  await wearOut(new Deepgram({ apiKey: "k", url: deepgram.url, model: "m", log, settleWithinMs: 5 }), () =>
    deepgram.lines.at(-1)?.socket.terminate(),
  );
  await deepgram.close();
  const openai = await FakeOpenAiRealtime.start();
  await wearOut(new OpenAiRealtime({ apiKey: "k", url: openai.url, model: "m", log }), () =>
    openai.sessions.at(-1)?.socket.terminate(),
  );
  await openai.close();
  await expect.poll(held).toBeLessThanOrEqual(before + 1);
});
