import { beforeAll, describe, expect, it } from "vitest";
import { people } from "./people.ts";
import { drawPortrait } from "./portrait.ts";

/** Mean and standard deviation of the brightness in a box given in parts of the picture's side. */
function brightness(
  picture: ReturnType<typeof drawPortrait>,
  box: readonly [number, number, number, number],
) {
  const { width, data } = picture;
  const [left, top, right, bottom] = box.map((part) => Math.round(part * width)) as [
    number,
    number,
    number,
    number,
  ];
  const values: number[] = [];
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const i = 3 * (y * width + x);
      values.push((data[i]! + data[i + 1]! + data[i + 2]!) / 3);
    }
  }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    mean,
    deviation: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length),
  };
}

const small = { size: 96, oversampling: 1 };

describe("drawPortrait", () => {
  let first: ReturnType<typeof drawPortrait>;
  let again: ReturnType<typeof drawPortrait>;
  let second: ReturnType<typeof drawPortrait>;
  beforeAll(() => {
    first = drawPortrait(people[0]!, small);
    again = drawPortrait(people[0]!, small);
    second = drawPortrait(people[1]!, small);
  }, 60_000);

  it("gives the same bytes for the same person", () => {
    expect(again.data).toEqual(first.data);
  });

  it("draws a face with skin, dark eyes and red lips before a lighter background", () => {
    expect(first.data).toHaveLength(96 * 96 * 3);
    expect(brightness(first, [0, 0, 1, 1]).deviation).toBeGreaterThan(25);
    const cheek = brightness(first, [0.38, 0.5, 0.42, 0.54]);
    const iris = brightness(first, [0.41, 0.425, 0.43, 0.445]);
    expect(iris.mean).toBeLessThan(cheek.mean - 25);
    const lip = 3 * (Math.round(0.62 * 96) * 96 + 48);
    expect(first.data[lip]! - first.data[lip + 1]!).toBeGreaterThan(30);
  });

  it("draws every person differently", () => {
    let difference = 0;
    for (let i = 0; i < first.data.length; i++) difference += Math.abs(first.data[i]! - second.data[i]!);
    expect(difference / first.data.length).toBeGreaterThan(10);
  });

  it("refuses sizes that make no picture", () => {
    expect(() => drawPortrait(people[0]!, { size: 0, oversampling: 1 })).toThrow(RangeError);
    expect(() => drawPortrait(people[0]!, { size: 96, oversampling: 1.5 })).toThrow(RangeError);
  });
});
