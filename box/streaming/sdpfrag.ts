import { attribute } from "./sdp.ts";
import { MAX_CANDIDATES, parseCandidate } from "./candidates.ts";
import { OfferError } from "./errors.ts";

export interface SdpFragment {
  iceUfrag?: string;
  icePwd?: string;
  /** `mid` is null for candidates above the first m= line. */
  candidates: { mid: string | null; candidate: string }[];
  endOfCandidates: boolean;
}

const MAX_FRAGMENT_BYTES = 16 * 1024;

/** Reads a body of `application/trickle-ice-sdpfrag` (RFC 8840). Throws OfferError on anything else. */
export function parseSdpFragment(text: string): SdpFragment {
  if (Buffer.byteLength(text) > MAX_FRAGMENT_BYTES) {
    throw new OfferError(
      "candidates_malformed",
      `The candidate fragment is larger than ${MAX_FRAGMENT_BYTES} bytes.`,
    );
  }
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  if (lines.length === 0) throw new OfferError("candidates_malformed", "The candidate fragment is empty.");
  const fragment: SdpFragment = { candidates: [], endOfCandidates: false };
  const iceUfrag = attribute(lines, "ice-ufrag");
  const icePwd = attribute(lines, "ice-pwd");
  if (iceUfrag !== undefined) fragment.iceUfrag = iceUfrag;
  if (icePwd !== undefined) fragment.icePwd = icePwd;
  let mid: string | null = null;
  for (const line of lines) {
    if (!/^[a-z]=/.test(line)) {
      throw new OfferError(
        "candidates_malformed",
        "The candidate fragment has a line that is not of the form x=value.",
      );
    }
    if (line.startsWith("a=mid:")) mid = line.slice("a=mid:".length);
    else if (line === "a=end-of-candidates") fragment.endOfCandidates = true;
    else if (line.startsWith("a=candidate:")) {
      const candidate = line.slice(2);
      if (!parseCandidate(candidate)) {
        throw new OfferError("candidates_malformed", "The candidate fragment has a malformed candidate.");
      }
      if (fragment.candidates.length === MAX_CANDIDATES) {
        throw new OfferError(
          "candidates_malformed",
          `The candidate fragment has more than ${MAX_CANDIDATES} candidates.`,
        );
      }
      fragment.candidates.push({ mid, candidate });
    }
  }
  return fragment;
}
