import { describe, expect, it } from "vitest";
import {
  describeModel,
  effortGate,
  effortLevelAllowed,
  reasoningGate,
  samplingGate,
  shortLabel,
} from "./gates.ts";
import { modelRow } from "./testing/models.ts";

const plain = modelRow("Plain (scripted)");
const sampling = modelRow("Sampler", { supports_sampling: true });
const thinker = modelRow("Thinker", { reasoning: "adaptive", supports_effort: true, effort_max: true });
const always = modelRow("Always", { reasoning: "always" });

describe("sampling", () => {
  it("is greyed out when neither model takes it, and names them", () => {
    expect(samplingGate({ model: plain, liveModel: thinker })).toEqual({
      enabled: false,
      reason: "Plain and Thinker do not take it.",
    });
    expect(samplingGate({ model: plain, liveModel: plain }).reason).toBe("Plain does not take it.");
  });

  it("says which one takes it when the other does not", () => {
    expect(samplingGate({ model: sampling, liveModel: plain })).toEqual({
      enabled: true,
      reason: "Only Sampler takes it.",
    });
    expect(samplingGate({ model: sampling, liveModel: sampling })).toEqual({ enabled: true, reason: "" });
  });
});

describe("effort", () => {
  it("rests while a thinking level decides", () => {
    expect(effortGate({ model: thinker, liveModel: thinker }, null).enabled).toBe(true);
    expect(effortGate({ model: thinker, liveModel: thinker }, "low")).toMatchObject({ enabled: false });
    expect(effortGate({ model: plain, liveModel: plain }, null)).toMatchObject({ enabled: false });
  });

  it("goes to the maximum only where a model goes there", () => {
    expect(effortLevelAllowed({ model: plain, liveModel: thinker }, "max")).toBe(true);
    expect(effortLevelAllowed({ model: plain, liveModel: plain }, "max")).toBe(false);
    expect(effortLevelAllowed({ model: plain, liveModel: plain }, "xhigh")).toBe(true);
  });
});

describe("reasoning", () => {
  it("belongs to the live model", () => {
    expect(reasoningGate({ model: thinker, liveModel: plain })).toEqual({
      enabled: false,
      reason: "Plain has no thinking control, so a level would be ignored.",
    });
    expect(reasoningGate({ model: thinker, liveModel: thinker })).toEqual({ enabled: true, reason: "" });
  });

  it("says when off is not off, and when the other model goes its own way", () => {
    const { enabled, reason } = reasoningGate({ model: thinker, liveModel: always });
    expect(enabled).toBe(true);
    expect(reason).toContain("Always always thinks");
    expect(reason).toContain("Thinker does not take the level.");
  });
});

describe("words about a model", () => {
  it("leave the trade-off out of its name, and say where it runs and why it cannot be chosen", () => {
    expect(shortLabel(plain)).toBe("Plain");
    expect(describeModel(plain)).toBe("Anthropic, runs in Australia");
    expect(describeModel(modelRow("X", { residency: "global", selectable: false }))).toContain(
      "does not send data there",
    );
  });
});
