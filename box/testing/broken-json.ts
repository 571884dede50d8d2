// Frames as no honest client sends them: valid messages bent, cut and overgrown, and plain noise.

import type { Random } from "./random.ts";

const oddNames = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "type",
  "",
  "\u0000",
  "Type",
  "content\u200b",
];

/** Values as JSON text: what is hard to hold, to count or to print. */
const oddValues = [
  "null",
  "true",
  "0",
  "-0",
  "1e400",
  "-1e-400",
  "123456789012345678901234567890",
  '""',
  '" \\t\\n "',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u0000"',
  '"\\u202e\\ufeff"',
  '"__proto__"',
  '"toString"',
  "[]",
  "{}",
  "[[]]",
  '{"__proto__":{"polluted":true}}',
  '{"type":"interrupt"}',
  '{"toString":1,"valueOf":null}',
];

function deep(random: Random): string {
  const levels = random.pick([10, 100, 1_000, 20_000]);
  return random.chance(0.5)
    ? "[".repeat(levels) + "]".repeat(random.pick([0, levels - 1, levels]))
    : '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
}

function oddValue(random: Random): string {
  if (random.chance(0.02)) return deep(random);
  if (random.chance(0.02))
    return JSON.stringify("x".repeat(random.pick([200, 201, 1_000, 1_001, 20_000, 20_001])));
  return random.pick(oddValues);
}

/** The message as text with one member changed, left out, doubled or added; duplicate keys included. */
function bent(random: Random, message: object): string {
  const members = Object.entries(message).map(([name, value]) => [
    JSON.stringify(name),
    JSON.stringify(value),
  ]);
  for (let changes = 1 + random.below(3); changes > 0; changes--) {
    const at = random.below(members.length + 1);
    const name = members[at]?.[0] ?? JSON.stringify(random.pick(oddNames));
    const how = random.below(5);
    if (how === 0) members.splice(at, 1);
    else if (how === 1) members.splice(random.below(members.length + 1), 0, [name, oddValue(random)]);
    else if (how === 2) members.push([JSON.stringify(random.pick(oddNames)), oddValue(random)]);
    else members[at] = [name, oddValue(random)];
  }
  return `{${members.map((member) => member.join(":")).join(",")}}`;
}

/** A few bytes of the text changed, put in or taken out. */
function scratched(random: Random, text: string): string {
  const bytes = Buffer.from(text);
  const at = random.below(bytes.length + 1);
  const cut = random.below(4);
  const filling = random.bytes(random.below(4));
  return Buffer.concat([bytes.subarray(0, at), filling, bytes.subarray(at + cut)]).toString("utf8");
}

function noise(random: Random): string {
  const length = random.below(40);
  if (random.chance(0.5)) return random.bytes(length).toString("utf8");
  const points = Array.from({ length }, () => random.below(random.pick([0x80, 0x800, 0x10_000, 0x110_000])));
  return points.map((point) => String.fromCodePoint(point)).join("");
}

/** One text frame; `messages` are the valid ones it is made from. Some come out valid. */
export function brokenJson(random: Random, messages: readonly object[]): string {
  const message = random.pick(messages);
  const text = JSON.stringify(message);
  switch (random.below(10)) {
    case 0:
      return text;
    case 1:
      return noise(random);
    case 2:
      return text.slice(0, random.below(text.length));
    case 3:
      return oddValue(random);
    case 4:
      return JSON.stringify({ ...message, type: random.pick([...oddNames, "dance", "MESSAGE", "message "]) });
    case 5:
    case 6:
      return scratched(random, text);
    default:
      return bent(random, message);
  }
}
