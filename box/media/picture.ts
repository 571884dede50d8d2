/** An upright picture in sRGB, 8 bit, three interleaved channels without row padding. */
export interface Picture {
  rgb: Buffer;
  width: number;
  height: number;
}
