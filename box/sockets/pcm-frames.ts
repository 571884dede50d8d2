// Samples out of binary frames that may be cut anywhere, also inside a sample.

export class PcmFrames {
  /** The first byte of a sample whose second has not come yet. */
  #odd: number | null = null;

  /** The whole samples so far. */
  push(bytes: Uint8Array): Int16Array {
    const ahead = this.#odd === null ? 0 : 1;
    const samples = new Int16Array((bytes.length + ahead) >> 1);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    let index = 0;
    if (this.#odd !== null && bytes.length > 0) {
      // The high byte carries the sign.
      samples[index++] = (view.getInt8(0) << 8) | this.#odd;
      this.#odd = null;
      at = 1;
    }
    for (; at + 1 < bytes.length; at += 2) samples[index++] = view.getInt16(at, true);
    if (at < bytes.length) this.#odd = view.getUint8(at);
    return samples;
  }
}
