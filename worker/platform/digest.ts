// Secrets are kept and compared as digests only.

const encoder = new TextEncoder();
const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** SHA-256 of the text's UTF-8 bytes, as 64 lower-case hex digits. */
export async function sha256Hex(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
  let hex = "";
  for (const byte of bytes) hex += hexOf[byte];
  return hex;
}

/** Compares two digests in a time that depends on their length alone. */
export function digestsEqual(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let i = 0; i < left.length; i++) difference |= left.charCodeAt(i) ^ right.charCodeAt(i);
  return difference === 0;
}
