import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { modelParameters, type ParameterSource } from "./model-parameters.ts";
import { effortLevels, reasoningLevels, type ModelRow } from "./models.ts";

const plain: ModelRow = {
  id: "m",
  label: "M",
  tiers: [],
  supports_sampling: false,
  supports_effort: false,
  effort_max: false,
  reasoning: "none",
  default_reasoning: "off",
  provider: "anthropic",
  residency: "global",
  selectable: true,
};
const record = { max_tokens: 100, temperature: 0.5, top_p: 0.9, effort: "max", reasoning: null } as const;

type Changes = {
  settings?: Partial<ParameterSource["settings"]>;
  row?: Partial<ModelRow>;
  live?: Partial<ModelRow>;
};
function sent({ settings, row, live }: Changes = {}) {
  const model = { ...plain, ...row };
  return modelParameters({ settings: { ...record, ...settings }, row: model, live: { ...model, ...live } });
}

test("a model that nobody measured gets nothing but the ceiling", () => {
  expect(sent()).toEqual({ max_tokens: 100 });
  expect(sent({ settings: { reasoning: "high" } })).toEqual({ max_tokens: 100 });
});

describe("sampling", () => {
  test("is sent to a model that takes it, as far as it is set", () => {
    const row = { supports_sampling: true };
    expect(sent({ row })).toEqual({ max_tokens: 100, temperature: 0.5, top_p: 0.9 });
    expect(sent({ row, settings: { temperature: null } })).toEqual({ max_tokens: 100, top_p: 0.9 });
    expect(sent({ row, settings: { temperature: 0, top_p: null } })).toEqual({
      max_tokens: 100,
      temperature: 0,
    });
  });

  test("is left out while the model thinks", () => {
    const row = { supports_sampling: true, reasoning: "budget" } as const;
    expect(sent({ row, settings: { reasoning: "low" } })).not.toHaveProperty("temperature");
    expect(sent({ row, settings: { reasoning: "off" } })).toMatchObject({ temperature: 0.5, top_p: 0.9 });
  });
});

describe("effort", () => {
  test.each([
    [{ supports_effort: false, effort_max: true }, undefined],
    [{ supports_effort: true, effort_max: false }, "xhigh"],
    [{ supports_effort: true, effort_max: true }, "max"],
  ])("max on a model with %j is %s", (row, effort) => expect(sent({ row }).effort).toBe(effort));

  test.each(["low", "medium", "high", "xhigh"] as const)("%s goes as it is", (effort) => {
    expect(sent({ row: { supports_effort: true }, settings: { effort } }).effort).toBe(effort);
  });

  test.each([
    ["off", "low"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "high"],
  ] as const)("the level %s sets it to %s", (reasoning, effort) => {
    for (const kind of ["adaptive", "always", "budget"] as const) {
      const row = { supports_effort: true, effort_max: true, reasoning: kind };
      expect(sent({ row, settings: { reasoning } }).effort).toBe(effort);
    }
  });

  test("a model without thinking control ignores the level and keeps the effort", () => {
    const row = { supports_effort: true, effort_max: true };
    expect(sent({ row, settings: { reasoning: "low" } })).toEqual({ max_tokens: 100, effort: "max" });
  });
});

describe("thinking", () => {
  test.each([
    ["adaptive", "off", { type: "disabled" }, 100],
    ["adaptive", "low", { type: "adaptive" }, 100 + 1024],
    ["adaptive", "medium", { type: "adaptive" }, 100 + 4096],
    ["adaptive", "high", { type: "adaptive" }, 100 + 16_384],
    ["budget", "off", { type: "disabled" }, 100],
    ["budget", "low", { type: "enabled", budget_tokens: 1024 }, 100 + 1024],
    ["budget", "high", { type: "enabled", budget_tokens: 16_384 }, 100 + 16_384],
    ["always", "off", undefined, 100 + 1024],
    ["always", "high", undefined, 100 + 16_384],
    ["none", "high", undefined, 100],
  ] as const)("%s at %s", (reasoning, level, thinking, maxTokens) => {
    const parameters = sent({ row: { reasoning }, settings: { reasoning: level } });
    expect(parameters.thinking).toEqual(thinking);
    expect(parameters.max_tokens).toBe(maxTokens);
  });

  test("without a chosen level the model's own default holds, and the effort is the chosen one", () => {
    const row = { reasoning: "adaptive", default_reasoning: "medium", supports_effort: true } as const;
    expect(sent({ row, settings: { effort: "low" } })).toEqual({
      max_tokens: 100 + 1024,
      effort: "low",
      thinking: { type: "adaptive" },
    });
  });

  test("another model takes the level only if it takes one the same way", () => {
    const row = { reasoning: "adaptive", supports_effort: true } as const;
    const settings = { reasoning: "high", effort: "medium" } as const;
    expect(sent({ row, settings, live: { id: "other" } })).toMatchObject({
      effort: "high",
      thinking: { type: "adaptive" },
    });
    expect(sent({ row, settings, live: { id: "other", reasoning: "budget" } })).toMatchObject({
      effort: "medium",
      thinking: { type: "disabled" },
    });
  });
});

const anyRow = fc
  .record({
    id: fc.constantFrom("a", "b"),
    supports_sampling: fc.boolean(),
    supports_effort: fc.boolean(),
    effort_max: fc.boolean(),
    reasoning: fc.constantFrom("adaptive", "always", "budget", "none"),
    default_reasoning: fc.constantFrom(...reasoningLevels),
  })
  .map((flags): ModelRow => ({ ...plain, ...(flags as Partial<ModelRow>) }));
const anySettings = fc.record({
  max_tokens: fc.integer({ min: 1, max: 8192 }),
  temperature: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  top_p: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  effort: fc.constantFrom(...effortLevels),
  reasoning: fc.option(fc.constantFrom(...reasoningLevels)),
});

test("whatever the settings, nothing is sent that the row does not accept", () => {
  fc.assert(
    fc.property(anySettings, anyRow, anyRow, (settings, row, live) => {
      const {
        max_tokens: maxTokens,
        temperature,
        top_p: topP,
        effort,
        thinking,
      } = modelParameters({
        settings,
        row,
        live,
      });
      if (!row.supports_sampling) expect([temperature, topP]).toEqual([undefined, undefined]);
      expect(effort !== undefined).toBe(row.supports_effort);
      if (!row.effort_max) expect(effort).not.toBe("max");
      const accepted = {
        adaptive: ["adaptive", "disabled"],
        budget: ["enabled", "disabled"],
        always: [],
        none: [],
      };
      if (thinking) expect(accepted[row.reasoning]).toContain(thinking.type);
      expect(thinking !== undefined).toBe(row.reasoning === "adaptive" || row.reasoning === "budget");
      expect(maxTokens).toBeGreaterThanOrEqual(settings.max_tokens);
      if (thinking?.type === "enabled") expect(maxTokens).toBe(settings.max_tokens + thinking.budget_tokens);
      if (thinking && thinking.type !== "disabled") expect(temperature).toBeUndefined();
    }),
  );
});
