// H.264 as encoders emit it and as containers keep it: start codes there, lengths here (ISO/IEC 14496-15).

const spsType = 7;
const ppsType = 8;
/** Profiles whose parameter set says how colour is sampled. */
const highProfiles = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 138, 139, 244]);

/** The units of an access unit, without their start codes. */
export function nalUnits(annexB: Uint8Array): Uint8Array[] {
  const units: Uint8Array[] = [];
  let begin = -1;
  let at = 0;
  while (at + 2 < annexB.length) {
    if (annexB[at] !== 0 || annexB[at + 1] !== 0 || annexB[at + 2] !== 1) {
      // Nothing begins within what is no zero.
      at += (annexB[at + 2] ?? 0) > 1 ? 3 : 1;
      continue;
    }
    if (begin >= 0) units.push(trimmed(annexB.subarray(begin, at)));
    begin = at + 3;
    at += 3;
  }
  if (begin >= 0) units.push(trimmed(annexB.subarray(begin)));
  return units.filter((unit) => unit.length > 0);
}

/** Zeros behind a unit belong to the next start code. */
function trimmed(unit: Uint8Array): Uint8Array {
  let end = unit.length;
  while (end > 0 && unit[end - 1] === 0) end--;
  return unit.subarray(0, end);
}

export function withLengths(units: readonly Uint8Array[]): Uint8Array {
  const size = units.reduce((sum, unit) => sum + 4 + unit.length, 0);
  const whole = new Uint8Array(size);
  const view = new DataView(whole.buffer);
  let at = 0;
  for (const unit of units) {
    view.setUint32(at, unit.length);
    whole.set(unit, at + 4);
    at += 4 + unit.length;
  }
  return whole;
}

export interface VideoConfig {
  /** As in MIME types: `avc1.640028`. */
  codec: string;
  codedWidth: number;
  codedHeight: number;
  /** An AVCDecoderConfigurationRecord. */
  description: Uint8Array;
}

/** What a decoder must know before it begins; null where the access unit does not say. */
export function videoConfig(units: readonly Uint8Array[]): VideoConfig | null {
  const sps = units.find((unit) => ((unit[0] ?? 0) & 31) === spsType);
  const pps = units.find((unit) => ((unit[0] ?? 0) & 31) === ppsType);
  const [profile, constraints, level] = [sps?.[1], sps?.[2], sps?.[3]];
  if (!sps || !pps || profile === undefined || constraints === undefined || level === undefined) return null;
  const description = Buffer.concat([
    // Lengths of four bytes; one set of either kind.
    Buffer.from([1, profile, constraints, level, 0xff, 0xe1, sps.length >> 8, sps.length & 255]),
    sps,
    Buffer.from([1, pps.length >> 8, pps.length & 255]),
    pps,
    // Sampled 4:2:0 with eight bits, as all we encode.
    Buffer.from(highProfiles.has(profile) ? [0xfd, 0xf8, 0xf8, 0] : []),
  ]);
  const hex = (byte: number) => byte.toString(16).padStart(2, "0");
  return {
    codec: `avc1.${hex(profile)}${hex(constraints)}${hex(level)}`,
    ...sizeOf(sps),
    description,
  };
}

function sizeOf(sps: Uint8Array): { codedWidth: number; codedHeight: number } {
  const bits = new Bits(withoutEmulation(sps.subarray(1)));
  const profile = bits.read(8);
  bits.read(16);
  bits.unsigned();
  let [chroma, unitX, unitY] = [1, 2, 2];
  if (highProfiles.has(profile)) {
    chroma = bits.unsigned();
    if (chroma === 3) bits.read(1);
    bits.unsigned();
    bits.unsigned();
    bits.read(1);
    if (bits.read(1) === 1)
      for (let list = 0; list < (chroma === 3 ? 12 : 8); list++) skipScaling(bits, list);
  }
  bits.unsigned();
  const order = bits.unsigned();
  if (order === 0) bits.unsigned();
  else if (order === 1) {
    bits.read(1);
    bits.unsigned();
    bits.unsigned();
    for (let left = bits.unsigned(); left > 0; left--) bits.unsigned();
  }
  bits.unsigned();
  bits.read(1);
  const width = (bits.unsigned() + 1) * 16;
  const mapUnits = bits.unsigned() + 1;
  const whole = bits.read(1);
  const height = mapUnits * 16 * (2 - whole);
  if (whole === 0) bits.read(1);
  bits.read(1);
  if (bits.read(1) === 0) return { codedWidth: width, codedHeight: height };
  if (chroma === 3) [unitX, unitY] = [1, 1];
  unitY *= 2 - whole;
  const [left, right, top, bottom] = [bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.unsigned()];
  return { codedWidth: width - (left + right) * unitX, codedHeight: height - (top + bottom) * unitY };
}

function skipScaling(bits: Bits, list: number): void {
  if (bits.read(1) === 0) return;
  let [last, next] = [8, 8];
  for (let left = list < 6 ? 16 : 64; left > 0; left--) {
    if (next !== 0) {
      const code = bits.unsigned();
      next = (last + (code % 2 === 1 ? (code + 1) / 2 : -code / 2) + 256) % 256;
    }
    last = next === 0 ? last : next;
  }
}

function withoutEmulation(bytes: Uint8Array): Uint8Array {
  return bytes.filter((byte, at) => !(byte === 3 && at > 1 && bytes[at - 1] === 0 && bytes[at - 2] === 0));
}

class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(count: number): number {
    let value = 0;
    for (let left = count; left > 0; left--, this.#at++)
      value = value * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1);
    return value;
  }

  /** Exponential Golomb (ITU-T H.264, section 9.1). */
  unsigned(): number {
    let zeros = 0;
    while (this.read(1) === 0 && zeros < 31) zeros++;
    return 2 ** zeros - 1 + this.read(zeros);
  }
}
