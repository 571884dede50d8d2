import { describe, expect, it } from "vitest";
import { judge, type Said } from "./judge.ts";
import type { Track } from "./score.ts";
import { jawCurve, type Phone } from "./truth.ts";

const visemes = ["aa", "PP", "E", "DD", "O", "FF", "I", "PP", "aa", "SS", "E", "PP", "U", "kk"];
const phones: Phone[] = Array.from({ length: 98 }, (_, i) => {
  const viseme = visemes[(i * 5) % visemes.length] ?? "sil";
  return { name: viseme, viseme, startSeconds: 0.2 + i * 0.1, endSeconds: 0.3 + i * 0.1 };
});
const clip: Said = { text: "words", startSeconds: 2, seconds: 10.2, phones };
const closures = phones.filter(({ viseme }) => viseme === "PP");

/** Lips at 25 frames a second that follow the truth `late` seconds behind, over a gap of `rest` that no mouth closes. */
function lips({ late = 0, rest = 0.01, open = 0.1 } = {}): Track {
  const times = Array.from({ length: 330 }, (_, i) => i * 0.04);
  const jaw = jawCurve(
    phones,
    times.map((time) => time - clip.startSeconds - late),
  );
  return { times, values: jaw.map((value) => rest + open * value) };
}

describe("judge", () => {
  it("sees perfect lips as perfect, whatever their size", () => {
    for (const track of [lips(), lips({ rest: 0.2, open: 0.7 })]) {
      const verdict = judge(track, [clip]);
      expect(verdict.closures).toBe(closures.length);
      expect(verdict.missed).toEqual([]);
      expect(verdict.apertureR).toBeGreaterThan(0.97);
      expect(Math.abs(verdict.offsetSeconds)).toBeLessThan(0.011);
      expect(verdict.chanceR).toBeLessThan(0.5);
    }
  });

  it("finds how late lips are", () => {
    expect(judge(lips({ late: 0.08 }), [clip]).offsetSeconds).toBeCloseTo(0.08, 2);
    expect(judge(lips({ late: -0.06 }), [clip]).offsetSeconds).toBeCloseTo(-0.06, 2);
  });

  it("names the closures that nobody saw", () => {
    const track = lips();
    const [, second] = closures;
    const from = clip.startSeconds + (second?.startSeconds ?? 0) - 0.06;
    track.values = track.values.map((value, i) => {
      const time = track.times[i] ?? 0;
      return time > from && time < from + 0.22 ? 0.08 : value;
    });
    const { missed } = judge(track, [clip]);
    expect(missed).toHaveLength(1);
    expect(missed[0]?.seconds).toBeCloseTo(second?.startSeconds ?? 0, 5);
    expect(missed[0]?.least).toBeGreaterThan(0.15);
  });

  it("counts shut lips that nothing explains, and none that something does", () => {
    const track = lips();
    const lonely = phones.find(
      ({ viseme }, i) =>
        viseme !== "PP" && [-3, -2, -1, 1, 2, 3].every((step) => phones[i + step]?.viseme !== "PP"),
    );
    expect(lonely).toBeDefined();
    const from = clip.startSeconds + (lonely?.startSeconds ?? 0);
    const before = judge(track, [clip]);
    track.values = track.values.map((value, i) => {
      const time = track.times[i] ?? 0;
      return time >= from && time <= from + 0.1 ? 0.01 : value;
    });
    const after = judge(track, [clip]);
    expect(after.falseAt.length).toBe(before.falseAt.length + 1);
    expect(after.shutOnOthers).toBeGreaterThan(before.shutOnOthers);
  });

  it("finds lips that shut on f and v explained", () => {
    const track = lips();
    const before = judge(track, [clip]);
    // Far from every p, b, m.
    const labiodental = phones.find(
      ({ viseme }, i) =>
        viseme === "FF" &&
        [-3, -2, -1, 1].every((step) => phones[i + step] && phones[i + step]?.viseme !== "PP"),
    );
    expect(labiodental).toBeDefined();
    const from = clip.startSeconds + (labiodental?.startSeconds ?? 0);
    track.values = track.values.map((value, i) => {
      const time = track.times[i] ?? 0;
      return time >= from && time <= from + 0.1 ? 0.01 : value;
    });
    const after = judge(track, [clip]);
    expect(after.shutShare).toBeGreaterThan(before.shutShare);
    expect(after.falseAt).toEqual(before.falseAt);
    expect(after.shutOnOthers).toBe(before.shutOnOthers);
  });

  it("is not fooled by lips that never open or never shut", () => {
    const shut = lips();
    shut.values = shut.values.map((_, i) => 0.01 + (i % 7) * 1e-4);
    expect(Math.abs(judge(shut, [clip]).apertureR)).toBeLessThan(0.3);
    const wide = lips();
    wide.values = wide.values.map((value, i) => ((wide.times[i] ?? 0) < 2 ? value : 0.1 + value));
    expect(judge(wide, [clip]).missed).toHaveLength(closures.length);
  });

  it("refuses a recording without a look at the lips at rest", () => {
    const track = lips();
    const begun = { times: track.times.slice(60), values: track.values.slice(60) };
    expect(() => judge(begun, [clip])).toThrow(/at rest/);
  });
});
