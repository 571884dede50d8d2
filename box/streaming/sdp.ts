import { limits } from "../../contract/limits.ts";
import { OfferError } from "./errors.ts";

/** One m= section. `lines` are the ones after the m= line, without line ends. */
export interface SdpSection {
  kind: string;
  port: number;
  protocol: string;
  formats: string[];
  lines: string[];
}

export interface Sdp {
  session: string[];
  media: SdpSection[];
}

/** Audio, video, a data channel, and room for transceivers that a page left over. */
export const MAX_MEDIA_LINES = 16;

const LINE = /^[a-z]=[^\0]*$/;
const MEDIA_LINE = /^m=([a-z]+) (\d{1,5})(?:\/\d+)? ([A-Za-z0-9/]+)((?: [^ ]+)+)$/;

/**
 * Splits a session description (RFC 8866) into its sections; CRLF and bare LF are both taken.
 * Throws OfferError when it is too large or is not an SDP.
 */
export function parseSdp(text: string): Sdp {
  if (Buffer.byteLength(text) > limits.sdpBytes) {
    throw new OfferError(
      "offer_too_large",
      `The session description is larger than ${limits.sdpBytes} bytes.`,
    );
  }
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  if (lines[0] !== "v=0") {
    throw new OfferError("offer_malformed", "The session description does not start with v=0.");
  }
  const sdp: Sdp = { session: [], media: [] };
  for (const line of lines) {
    if (!LINE.test(line)) {
      throw new OfferError(
        "offer_malformed",
        "The session description has a line that is not of the form x=value.",
      );
    }
    if (!line.startsWith("m=")) {
      (sdp.media.at(-1)?.lines ?? sdp.session).push(line);
      continue;
    }
    const match = MEDIA_LINE.exec(line);
    if (!match) throw new OfferError("offer_malformed", "The session description has a malformed m= line.");
    if (sdp.media.length === MAX_MEDIA_LINES) {
      throw new OfferError(
        "offer_malformed",
        `The session description has more than ${MAX_MEDIA_LINES} m= lines.`,
      );
    }
    const [, kind = "", port = "", protocol = "", formats = ""] = match;
    sdp.media.push({ kind, port: Number(port), protocol, formats: formats.trim().split(" "), lines: [] });
  }
  if (sdp.media.length === 0)
    throw new OfferError("offer_malformed", "The session description has no m= line.");
  return sdp;
}

/** Writes a description with CRLF line ends, as RFC 8866 asks. */
export function formatSdp(sdp: Sdp): string {
  const lines = [...sdp.session];
  for (const section of sdp.media) {
    lines.push(
      `m=${section.kind} ${section.port} ${section.protocol} ${section.formats.join(" ")}`,
      ...section.lines,
    );
  }
  return `${lines.join("\r\n")}\r\n`;
}

/** Values of every `a=name:value` among the lines, in order; a flag (`a=name`) gives an empty string. */
export function attributes(lines: readonly string[], name: string): string[] {
  const prefix = `a=${name}:`;
  const found: string[] = [];
  for (const line of lines) {
    if (line.startsWith(prefix)) found.push(line.slice(prefix.length));
    else if (line === `a=${name}`) found.push("");
  }
  return found;
}

export function attribute(lines: readonly string[], name: string): string | undefined {
  return attributes(lines, name)[0];
}
