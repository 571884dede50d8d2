import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseOffers, modelCatalogue, type Offer } from "./model-catalogue.ts";
import { addressResidency, parseModelId, regionResidency } from "./model-ids.ts";
import { anthropicModelIds, bedrockModelIds } from "./model-offers.ts";
import { modelRowSchema, residencies, type Residency } from "./models.ts";

const rank = (residency: Residency) => residencies.indexOf(residency);
const home = "ap-southeast-2";
const ids = (options: Partial<Parameters<typeof modelCatalogue>[0]>) =>
  modelCatalogue({ anthropic: false, residencyOptIn: [], ...options }).map((row) => row.id);

describe("ids", () => {
  test.each([
    ["claude-opus-5-5", "anthropic", null, "opus", [5, 5], []],
    ["claude-3-5-sonnet-20241022", "anthropic", null, "sonnet", [3, 5], [20241022]],
    ["anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock", null, "sonnet", [4, 5], [20250929, 1, 0]],
    ["au.anthropic.claude-haiku-5-5", "bedrock", "au", "haiku", [5, 5], []],
    ["au.anthropic.claude-opus-4-6-v1", "bedrock", "au", "opus", [4, 6], []],
    ["us-gov.anthropic.claude-3-haiku-20240307-v1:0", "bedrock", "us-gov", "haiku", [3], [20240307, 1, 0]],
  ])("%s", (id, host, geography, family, version, snapshot) => {
    expect(parseModelId(id)).toEqual({ host, geography, family, version, snapshot });
  });

  test.each(["rehearsal", "", "claude-", "gpt-5", "au.claude-opus-5-5", "anthropic.titan", "claude-4"])(
    "%j is no Claude model's",
    (id) => expect(parseModelId(id)).toBeNull(),
  );

  test("a prefix says where a model runs; without one the region of the call does", () => {
    const runs = (id: string, region: string) => {
      const address = parseModelId(id);
      return address && addressResidency(address, region);
    };
    for (const region of [home, "us-east-1", "ap-northeast-1"]) {
      expect(runs("au.anthropic.claude-opus-5-5", region)).toBe("au");
      expect(runs("apac.anthropic.claude-opus-5-5", region)).toBe("apac");
      expect(runs("global.anthropic.claude-opus-5-5", region)).toBe("global");
      expect(runs("us.anthropic.claude-opus-5-5", region)).toBe("global");
      expect(runs("claude-opus-5-5", region)).toBe("global");
      expect(runs("anthropic.claude-opus-5-5", region)).toBe(regionResidency(region));
    }
    expect(
      [home, "ap-southeast-4", "ap-northeast-1", "us-east-1", "eu-west-1", ""].map(regionResidency),
    ).toEqual(["au", "au", "apac", "global", "global", "global"]);
  });
});

const offer = fc.record({
  id: fc.uuid(),
  residency: fc.constantFrom(...residencies),
  model: fc.constantFrom("one", "two", "three"),
  snapshot: fc.constantFrom<number[]>([], [1], [2], [2, 1], [3]),
});
const offers = fc.uniqueArray(offer, { selector: ({ id }) => id, maxLength: 12 });

const isNewer = (one: Offer, other: Offer) =>
  one.snapshot.length > 0 &&
  other.snapshot.length > 0 &&
  String(one.snapshot).localeCompare(String(other.snapshot)) > 0;

describe("which address wins", () => {
  test("rows come most resident first, each an offer, and every model has one", () => {
    fc.assert(
      fc.property(offers, (all) => {
        const rows = chooseOffers(all);
        expect(rows.map(({ residency }) => rank(residency))).toEqual(
          rows.map(({ residency }) => rank(residency)).toSorted(),
        );
        expect(all).toEqual(expect.arrayContaining(rows));
        expect(new Set(rows.map(({ model }) => model))).toEqual(new Set(all.map(({ model }) => model)));
      }),
    );
  });

  test("a model's first row is as resident as any of its copies, and no residency has two", () => {
    fc.assert(
      fc.property(offers, (all) => {
        for (const [model, rows] of Map.groupBy(chooseOffers(all), (row) => row.model)) {
          const copies = all.filter((copy) => copy.model === model);
          expect(rank(rows[0]?.residency ?? "global")).toBe(
            Math.min(...copies.map((copy) => rank(copy.residency))),
          );
          expect(new Set(rows.map((row) => row.residency)).size).toBe(rows.length);
        }
      }),
    );
  });

  test("a row beside a nearer one is genuinely newer than it, and a copy newer than all nearer ones is not lost", () => {
    fc.assert(
      fc.property(offers, (all) => {
        const rows = chooseOffers(all);
        for (const row of rows) {
          for (const other of rows) {
            if (other.model !== row.model || rank(other.residency) >= rank(row.residency)) continue;
            expect(isNewer(row, other)).toBe(true);
          }
        }
        for (const copy of all) {
          const nearer = all.filter(
            (other) => other.model === copy.model && rank(other.residency) < rank(copy.residency),
          );
          if (nearer.length === 0 || !nearer.every((other) => isNewer(copy, other))) continue;
          expect(rows.some((row) => row.model === copy.model && row.residency === copy.residency)).toBe(true);
        }
      }),
    );
  });

  test("the choice is not the list's order, but among equals the first listed wins", () => {
    const equal = (id: string): Offer => ({ id, residency: "global", model: "one", snapshot: [] });
    expect(chooseOffers([equal("a"), equal("b")]).map(({ id }) => id)).toEqual(["a"]);
    const distinct = fc.uniqueArray(offer, {
      selector: ({ model, residency, snapshot }) => `${model} ${residency} ${String(snapshot)}`,
    });
    const anyOrder = distinct.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    const names = (all: Offer[]) => new Set(chooseOffers(all).map(({ id }) => id));
    fc.assert(
      fc.property(anyOrder, ([all, shuffled]) => {
        expect(names(shuffled)).toEqual(names(all));
      }),
    );
  });
});

describe("the catalogue of a deployment", () => {
  test("nothing configured: the rehearsal persona", () => {
    const [row, ...rest] = modelCatalogue({ anthropic: false, residencyOptIn: [] });
    expect(rest).toEqual([]);
    expect(row).toMatchObject({ id: "rehearsal", residency: "au", selectable: true, provider: "builtin" });
    expect(row?.status).toEqual({ state: "ready", reason: "" });
  });

  test("the Anthropic API is global", () => {
    expect(ids({ anthropic: true })).toEqual(["rehearsal", ...anthropicModelIds]);
    const rows = modelCatalogue({ anthropic: true, residencyOptIn: [] }).slice(1);
    expect(rows.map((row) => [row.residency, row.selectable, row.status?.state])).toEqual(
      anthropicModelIds.map(() => ["global", false, "unavailable"]),
    );
  });

  test("Bedrock at home: the Australian copies win, and what is offered abroad alone is there too", () => {
    const rows = ids({ anthropic: true, bedrockRegion: home });
    expect(rows).toEqual([
      "rehearsal",
      "au.anthropic.claude-opus-5-5",
      "au.anthropic.claude-haiku-5-5",
      "au.anthropic.claude-sonnet-5",
      "au.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "au.anthropic.claude-haiku-4-5-20251001-v1:0",
      "claude-sonnet-5-5",
    ]);
  });

  test("a geography's profile is offered inside that geography alone", () => {
    for (const region of ["us-east-1", "ap-northeast-1"]) {
      expect(ids({ bedrockRegion: region }).some((id) => id.startsWith("au."))).toBe(false);
    }
    const rows = modelCatalogue({ anthropic: false, bedrockRegion: "ap-northeast-1", residencyOptIn: [] });
    expect(rows.find((row) => row.id === "anthropic.claude-haiku-4-5-20251001-v1:0")?.residency).toBe("apac");
  });

  test("selectable is `au`, or opted in; every row is what the wire says; flags are the least", () => {
    const options = fc.record({
      anthropic: fc.boolean(),
      bedrockRegion: fc.constantFrom(null, home, "ap-southeast-4", "ap-northeast-1", "us-east-1"),
      residencyOptIn: fc.subarray([...residencies]),
    });
    fc.assert(
      fc.property(options, (chosen) => {
        const rows = modelCatalogue(chosen);
        expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
        for (const row of rows) {
          expect(modelRowSchema.strict().parse(row)).toEqual(row);
          expect(row.selectable).toBe(
            row.residency === "au" || chosen.residencyOptIn.includes(row.residency),
          );
          expect([row.supports_sampling, row.supports_effort, row.effort_max]).toEqual([false, false, false]);
          expect(row.status?.state === "unavailable").toBe(!row.selectable);
        }
      }),
    );
  });

  test("every listed id can be read, and labels tell rows of one catalogue apart", () => {
    for (const id of [...anthropicModelIds, ...bedrockModelIds]) expect(parseModelId(id)).not.toBeNull();
    const labels = modelCatalogue({ anthropic: true, bedrockRegion: home, residencyOptIn: [] }).map(
      (row) => row.label,
    );
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels).toContain("Claude Sonnet 5.5 (balanced)");
  });
});
