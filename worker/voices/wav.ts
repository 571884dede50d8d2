// RIFF WAVE files of 16-bit PCM, checked and made.

const headerBytes = 44;
const pcmFormat = 1;

const tagAt = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));

/** Whether the bytes are a WAV of 16-bit PCM with samples in it. */
export function isWav(bytes: Uint8Array): boolean {
  if (bytes.length < headerBytes || tagAt(bytes, 0) !== "RIFF" || tagAt(bytes, 8) !== "WAVE") return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let formatted = false;
  for (let at = 12; at + 8 <= bytes.length;) {
    const tag = tagAt(bytes, at);
    const size = view.getUint32(at + 4, true);
    const body = at + 8;
    if (tag === "fmt ") {
      if (size < 16 || body + 16 > bytes.length) return false;
      formatted = view.getUint16(body, true) === pcmFormat && view.getUint16(body + 14, true) === 16;
    }
    if (tag === "data") return formatted && size > 0 && body < bytes.length;
    // Chunks are padded to an even length.
    at = body + size + (size % 2);
  }
  return false;
}

/** A WAV file of mono 16-bit little-endian samples. */
export function wavOfPcm(samples: Uint8Array, sampleRateHz: number): Uint8Array<ArrayBuffer> {
  const whole = samples.length - (samples.length % 2);
  const file = new Uint8Array(headerBytes + whole);
  const view = new DataView(file.buffer);
  const tag = (at: number, text: string) => file.set(new TextEncoder().encode(text), at);
  tag(0, "RIFF");
  view.setUint32(4, headerBytes - 8 + whole, true);
  tag(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, pcmFormat, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  tag(36, "data");
  view.setUint32(40, whole, true);
  file.set(samples.subarray(0, whole), headerBytes);
  return file;
}
