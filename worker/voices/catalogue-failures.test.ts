import { beforeEach, describe, expect, test, vi } from "vitest";
import { byoEngines, type ByoEngine } from "../../contract/voices.ts";
import { captureLog, signIn, type Browser } from "../testing/portal.ts";
import { listTimeoutMs } from "./catalogue.ts";
import { builtin, groupOf, read, report } from "./testing/catalogue.ts";
import { serveProviders, troubles, type FakeProviders } from "./testing/providers.ts";
import { putKey } from "./testing/vault.ts";

let ann: Browser;
let providers: FakeProviders;
beforeEach(async () => {
  providers = serveProviders();
  ann = await signIn("ann@example.com");
});

describe("a provider that fails", () => {
  const cases: [string, (provider: ByoEngine) => Response | Promise<Response>, string][] = [
    ...troubles.map(
      ([name, trouble]) =>
        [
          name,
          (provider: ByoEngine) => trouble({ provider } as never),
          name === "a timeout" ? "timed_out" : "unreachable",
        ] as [string, (provider: ByoEngine) => Response | Promise<Response>, string],
    ),
    ["401", () => new Response(null, { status: 401 }), "key_problem"],
    ["402", () => new Response(null, { status: 402 }), "refused"],
    ["429", () => new Response(null, { status: 429 }), "refused"],
    ["400", () => new Response(null, { status: 400 }), "refused"],
    ["404", () => new Response(null, { status: 404 }), "unreachable"],
  ];

  test.each(cases)("with %s yields its group's state, and the others stay", async (_name, trouble, state) => {
    await report(builtin("en-us+f2", "Nora"));
    for (const provider of byoEngines) await putKey(ann, provider);
    captureLog();
    for (const provider of byoEngines) {
      providers.trouble = { [provider]: () => trouble(provider) };
      const catalogue = await read(ann, "?refresh=1");
      expect(groupOf(catalogue, provider)).toMatchObject({
        state,
        reason: expect.stringMatching(/^[^\n]+\.$/),
        voices: [],
      });
      const others = catalogue.groups.filter((group) => group.provider !== provider);
      expect(others.map((group) => group.state)).toEqual(["ready", "ready"]);
    }
  });

  test("a permission that is missing at ElevenLabs is a refusal", async () => {
    await putKey(ann, "elevenlabs");
    captureLog();
    providers.trouble.elevenlabs = () =>
      Response.json({ detail: { status: "missing_permissions" } }, { status: 401 });
    expect(groupOf(await read(ann), "elevenlabs").state).toBe("refused");
  });

  test("each is given its own time, and all are asked at once", async () => {
    for (const provider of byoEngines) await putKey(ann, provider);
    const timeout = vi.spyOn(AbortSignal, "timeout");
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const waiting = new Set<string>();
    for (const provider of byoEngines) {
      providers.trouble[provider] = async () => {
        waiting.add(provider);
        if (waiting.size === 2) release();
        await both;
        return Response.json({ data: [], voices: [], has_more: false });
      };
    }
    await read(ann);
    expect(timeout.mock.calls).toEqual([[listTimeoutMs], [listTimeoutMs]]);
  });

  test("a timer that runs out is told as such", async () => {
    await putKey(ann, "cartesia");
    captureLog();
    vi.spyOn(AbortSignal, "timeout").mockReturnValue(
      AbortSignal.abort(new DOMException("late", "TimeoutError")),
    );
    expect(groupOf(await read(ann), "cartesia").state).toBe("timed_out");
  });
});
