import { pino } from "pino";
import { expect, test } from "vitest";
import { earsOf, openEars } from "./ears.ts";
import { RecognitionError, type RecogniserProvider } from "./recogniser.ts";

const log = pino({ level: "silent" });
const scorer = () => ({ score: () => Promise.resolve(0) });

function fakeProvider(changes: Partial<RecogniserProvider> = {}) {
  const counts = { open: 0, closed: 0, providerClosed: 0 };
  const provider: RecogniserProvider = {
    id: "pocketsphinx",
    mode: null,
    wants: "speech",
    state: () => ({ state: "ready", detail: "" }),
    open: () => {
      counts.open += 1;
      return Promise.resolve({
        push: () => {},
        settle: () => Promise.resolve(""),
        drop: () => {},
        setLanguage: () => {},
        close: () => {
          counts.closed += 1;
          return Promise.resolve();
        },
      });
    },
    close: () => {
      counts.providerClosed += 1;
      return Promise.resolve();
    },
    ...changes,
  };
  return { provider, counts };
}

const request = { language: "en" as const, playback: null, onEvent: () => {} };

test("without a recogniser there are no ears", async () => {
  const ears = await openEars({ config: { recogniser: { kind: "none" } }, log });
  expect(ears.state()).toEqual({ state: "unavailable", detail: "No speech recognition is configured." });
  await expect(ears.listen(request)).rejects.toThrow(RecognitionError);
  await ears.close();
});

test("they are starting, then ready, and closing them closes every listener and the network once", async () => {
  const { provider, counts } = fakeProvider();
  let unloaded = 0;
  const load = () =>
    Promise.resolve({
      scorer,
      close: () => {
        unloaded += 1;
        return Promise.resolve();
      },
    });
  const ears = earsOf({ provider, log, load });
  expect(ears.state().state).toBe("starting");
  const first = await ears.listen(request);
  await ears.listen(request);
  expect(ears.state()).toEqual({ state: "ready", detail: "" });
  await first.close();
  expect(counts).toEqual({ open: 2, closed: 1, providerClosed: 0 });
  await Promise.all([ears.close(), ears.close()]);
  expect(counts).toEqual({ open: 2, closed: 2, providerClosed: 1 });
  expect(unloaded).toBe(1);
  await expect(ears.listen(request)).rejects.toThrow(RecognitionError);
});

test("a recogniser that is not ready says why", async () => {
  const { provider } = fakeProvider({ state: () => ({ state: "unavailable", detail: "No model." }) });
  const ears = earsOf({
    provider,
    log,
    load: () => Promise.resolve({ scorer, close: () => Promise.resolve() }),
  });
  expect(ears.state()).toEqual({ state: "unavailable", detail: "No model." });
  await ears.close();
});

test("one that would not start is refused in its own words", async () => {
  const { provider } = fakeProvider({
    open: () => Promise.reject(new RecognitionError("No such language.")),
  });
  const ears = earsOf({
    provider,
    log,
    load: () => Promise.resolve({ scorer, close: () => Promise.resolve() }),
  });
  await expect(ears.listen(request)).rejects.toThrow("No such language.");
  await ears.close();
});

test("whatever else goes wrong at the start is told in words of our own", async () => {
  const { provider } = fakeProvider({ open: () => Promise.reject(new Error("https://host/?key=secret")) });
  const ears = earsOf({
    provider,
    log,
    load: () => Promise.resolve({ scorer, close: () => Promise.resolve() }),
  });
  await expect(ears.listen(request)).rejects.toThrow(
    new RecognitionError("Speech recognition would not start."),
  );
  await ears.close();
});

test("a network that would not load makes them unavailable, without saying what was wrong", async () => {
  const { provider, counts } = fakeProvider();
  const ears = earsOf({ provider, log, load: () => Promise.reject(new Error("/secret/path")) });
  await expect(ears.listen(request)).rejects.toThrow("Speech recognition could not be loaded on this box.");
  expect(ears.state()).toEqual({
    state: "unavailable",
    detail: "Speech recognition could not be loaded on this box.",
  });
  expect(counts.open).toBe(0);
  await ears.close();
});
