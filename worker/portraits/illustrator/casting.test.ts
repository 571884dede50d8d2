import * as fc from "fast-check";
import { expect, test } from "vitest";
import { castPerson } from "./casting.ts";
import { eyeColours, hairColours, skinColours } from "./palette.ts";
import type { Person } from "./person.ts";

const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

/** Every number of a person, so that none is NaN. */
function numbersOf(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersOf) : [];
}

test("the same words and seed are the same person, and every number of it is one", () => {
  fc.assert(
    fc.property(seeds, fc.string({ maxLength: 80 }), (seed, persona) => {
      const person = castPerson(persona, seed);
      expect(castPerson(persona, seed)).toEqual(person);
      expect(numbersOf(person).every(Number.isFinite)).toBe(true);
    }),
  );
});

test("what was asked for is kept to, whatever the seed", () => {
  const persona =
    "A 70 year old man with brown eyes, very dark skin, long blue hair, a full beard and round glasses";
  fc.assert(
    fc.property(seeds, (seed) => {
      const { hair, eyes, skin, beard, glasses } = castPerson(persona, seed);
      expect(hair).toMatchObject({ style: "long-waves", ...hairColours.blue });
      expect(eyes).toMatchObject(eyeColours.brown);
      expect(skin.base[0]).toBeLessThanOrEqual(skinColours(0.88).base[0]);
      expect(skin.lines).toBeGreaterThan(0.8);
      expect(beard?.reach).toBe("full");
      expect(glasses?.shape).toBe("round");
    }),
  );
});

test("what was denied is left out, whatever the seed", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const person = castPerson("a man, clean-shaven, no glasses", seed);
      expect(person.skin.stubble).toBe(0);
      expect(person.beard).toBeUndefined();
      expect(person.glasses).toBeUndefined();
    }),
  );
});

test("proportions stay within those of an adult's face", () => {
  fc.assert(
    fc.property(
      seeds,
      fc.constantFrom("someone", "a woman", "an old man", "a Korean lady"),
      (seed, persona) => {
        const { face } = castPerson(persona, seed);
        expect(face.jawHalfWidth).toBeLessThan(face.cheekHalfWidth);
        expect(face.upperOpening).toBeGreaterThan(3.3);
        expect(face.creaseGap).toBeGreaterThan(-0.5);
        expect(face.pupilX - face.eyeHalfWidth).toBeGreaterThan(12);
        expect(face.noseLength + 23.5 + face.lowerLip).toBeLessThan(face.chinY - 20);
      },
    ),
  );
});

test("one word more changes what it is about, and leaves the rest of the person", () => {
  const face = ({ name: _name, hair: _hair, brows: _brows, ...rest }: Person) => rest;
  const plain = castPerson("a woman with brown eyes and fair skin", 77);
  const blonde = castPerson("a woman with brown eyes and fair skin, blonde hair", 77);
  expect(face(blonde)).toEqual(face(plain));
});

test("where nothing is said, a hundred seeds are a wide range of people", () => {
  const people = Array.from({ length: 100 }, (_, at) =>
    castPerson("someone", Math.imul(at + 1, 0x9e3779b1) >>> 0),
  );
  const distinct = (of: (person: Person) => unknown) =>
    new Set(people.map((person) => JSON.stringify(of(person)))).size;
  expect(distinct((person) => person.face)).toBe(100);
  expect(distinct((person) => person.hair.style)).toBe(6);
  expect(distinct((person) => person.hair.mid)).toBeGreaterThan(5);
  expect(distinct((person) => person.clothes.colour)).toBeGreaterThan(10);
  const depths = people.map(({ skin }) => skin.base[0]);
  expect(Math.min(...depths)).toBeLessThan(0.12);
  expect(Math.max(...depths)).toBeGreaterThan(0.6);
  expect(people.some(({ glasses }) => glasses)).toBe(false);
});
