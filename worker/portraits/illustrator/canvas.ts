/** Linear-light drawing surface: float planes, masked Gaussian blur and an anti-aliased strand rasteriser. */

export type Rgb = readonly [number, number, number];

/** A picture in linear light: `width * height` pixels of three interleaved floats, 0 = black, 1 = paper white. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

/** One hair: points in pixels as x, y pairs, with a width in pixels and a linear colour at every point. */
export interface Strand {
  readonly points: Float64Array;
  readonly widths: Float64Array;
  readonly colours: Float64Array;
  readonly opacity: number;
}

export function createCanvas(width: number, height: number): Canvas {
  return { width, height, data: new Float32Array(width * height * 3) };
}

/** sRGB transfer function of IEC 61966-2-1, from a `#rrggbb` string to linear light. */
export function fromHex(hex: string): Rgb {
  const channel = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    if (!Number.isFinite(value)) throw new Error(`not a #rrggbb colour: ${hex}`);
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

/** Linear light to an 8-bit sRGB code (IEC 61966-2-1), with a soft shoulder above 0.8 in place of clipping. */
export function toSrgbByte(linear: number): number {
  const shoulder = 0.8;
  const over = linear - shoulder;
  const value =
    over > 0 ? shoulder + (1 - shoulder) * (1 - Math.exp(-over / (1 - shoulder))) : Math.max(0, linear);
  const encoded = value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
  return Math.min(255, Math.max(0, encoded * 255));
}

interface PlaneSize {
  width: number;
  height: number;
}

/** Blurs one plane with three box passes, which approach a Gaussian of the given sigma in pixels. */
export function blurPlane(plane: Float32Array, width: number, height: number, sigma: number): Float32Array {
  const blurred = plane.slice();
  blurInPlace(blurred, new Float32Array(plane.length), { width, height }, sigma);
  return blurred;
}

/** As {@link blurPlane}, where the plane lies; `scratch` is as long, and holds nothing of use afterwards. */
function blurInPlace(
  plane: Float32Array,
  scratch: Float32Array,
  { width, height }: PlaneSize,
  sigma: number,
): void {
  if (sigma < 0.4) return;
  const radius = Math.max(1, Math.round(Math.sqrt((12 * sigma * sigma) / 3 + 1) / 2 - 0.5));
  for (let pass = 0; pass < 3; pass++) {
    boxPass(plane, scratch, { lines: height, length: width, lineStride: width, stride: 1, radius });
    boxPass(scratch, plane, { lines: width, length: height, lineStride: 1, stride: width, radius });
  }
}

interface BoxPass {
  lines: number;
  length: number;
  lineStride: number;
  stride: number;
  radius: number;
}

function boxPass(from: Float32Array, to: Float32Array, pass: BoxPass): void {
  const { lines, length, lineStride, stride, radius } = pass;
  const scale = 1 / (2 * radius + 1);
  const last = length - 1;
  // All lines advance together, so that columns are read in the order they lie in memory.
  const together = lineStride === 1 ? lines : 1;
  const sums = new Float64Array(together);
  for (let line = 0; line < lines; line += together) {
    const start = line * lineStride;
    sums.fill(0);
    for (let i = -radius; i <= radius; i++) {
      const row = start + Math.min(last, Math.max(0, i)) * stride;
      for (let k = 0; k < together; k++) sums[k] = sums[k]! + from[row + k]!;
    }
    for (let i = 0; i < length; i++) {
      const row = start + i * stride;
      const entering = start + Math.min(last, i + radius + 1) * stride;
      const leaving = start + Math.max(0, i - radius) * stride;
      for (let k = 0; k < together; k++) {
        to[row + k] = sums[k]! * scale;
        sums[k] = sums[k]! + (from[entering + k]! - from[leaving + k]!);
      }
    }
  }
}

/** Blurs a plane inside a mask only: what lies outside neither darkens nor brightens the inside. */
export function blurMasked(
  plane: Float32Array,
  mask: Float32Array,
  size: PlaneSize,
  sigma: number,
): Float32Array {
  const top = new Float32Array(plane.length);
  for (let i = 0; i < plane.length; i++) top[i] = plane[i]! * mask[i]!;
  const scratch = new Float32Array(plane.length);
  blurInPlace(top, scratch, size, sigma);
  const bottom = mask.slice();
  blurInPlace(bottom, scratch, size, sigma);
  for (let i = 0; i < plane.length; i++) top[i] = bottom[i]! > 1e-4 ? top[i]! / bottom[i]! : plane[i]!;
  return top;
}

/** Paints one strand over the canvas; its coverage is added to `coverage` as well where that is given. */
export function paintStrand(canvas: Canvas, strand: Strand, coverage?: Float32Array): void {
  const { points, widths, colours, opacity } = strand;
  const { data, width: columns, height: rows } = canvas;
  const count = widths.length;
  for (let s = 0; s + 1 < count; s++) {
    const ax = points[2 * s]!;
    const ay = points[2 * s + 1]!;
    const dx = points[2 * s + 2]! - ax;
    const dy = points[2 * s + 3]! - ay;
    const lengthSquared = dx * dx + dy * dy;
    if (lengthSquared < 1e-9) continue;
    const length = Math.sqrt(lengthSquared);
    const from = widths[s]!;
    const until = widths[s + 1]!;
    const reach = Math.max(from, until) / 2 + 1;
    const left = Math.max(0, Math.floor(Math.min(ax, ax + dx) - reach));
    const right = Math.min(columns - 1, Math.ceil(Math.max(ax, ax + dx) + reach));
    const top = Math.max(0, Math.floor(Math.min(ay, ay + dy) - reach));
    const bottom = Math.min(rows - 1, Math.ceil(Math.max(ay, ay + dy) + reach));
    // No pixel further off than this is touched, so most of the box is passed by before anything is worked out.
    const furthest = (Math.max(1, from, until) / 2 + 0.5) * length;
    for (let y = top; y <= bottom; y++) {
      const py = y + 0.5 - ay;
      for (let x = left; x <= right; x++) {
        const px = x + 0.5 - ax;
        const cross = Math.abs(px * dy - py * dx);
        if (cross > furthest) continue;
        const t = (px * dx + py * dy) / lengthSquared;
        // Butt ends: every pixel belongs to one segment, so that a translucent strand has no beads at its joints.
        if (t < 0 || t >= 1) continue;
        const rest = 1 - t;
        const width = from * rest + until * t;
        const inside = Math.min(1, Math.max(0, Math.max(width, 1) / 2 - cross / length + 0.5));
        const alpha = inside * Math.min(1, width) * opacity;
        if (alpha <= 0.002) continue;
        const i = y * columns + x;
        const under = 1 - alpha;
        const a = 3 * i;
        const b = 3 * s;
        data[a] = data[a]! * under + (colours[b]! * rest + colours[b + 3]! * t) * alpha;
        data[a + 1] = data[a + 1]! * under + (colours[b + 1]! * rest + colours[b + 4]! * t) * alpha;
        data[a + 2] = data[a + 2]! * under + (colours[b + 2]! * rest + colours[b + 5]! * t) * alpha;
        if (coverage) coverage[i] = coverage[i]! + (1 - coverage[i]!) * alpha;
      }
    }
  }
}
