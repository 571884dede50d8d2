import { isUsable, MAX_CANDIDATES, parseCandidate, withPublicAddress } from "./candidates.ts";
import { OfferError } from "./errors.ts";
import { attribute, attributes, formatSdp, parseSdp } from "./sdp.ts";
import type { Sdp, SdpSection } from "./sdp.ts";

/** What we agree to send on one m= line. `fmtp` is the offer's own, mirrored; empty when it gave none. */
export interface OfferedLine {
  mid: string;
  payloadType: number;
  fmtp: string;
}

export interface Offer {
  video: OfferedLine;
  audio: OfferedLine;
  iceUfrag: string;
  /** The offer reduced to the two lines we use, with usable candidates only: what the WebRTC library is given. */
  sdp: string;
  /** Every m= line of the offer in order, for the answer must have as many (RFC 3264, section 6). */
  sections: { kind: string; protocol: string; format: string; mid: string; accepted: boolean }[];
  candidateCount: number;
}

/**
 * Reads an SDP offer of WebRTC. Throws OfferError when it is broken or cannot be served: H.264 with packetization-mode 1,
 * Opus, both received by the client over one bundled transport.
 */
export function readOffer(text: string): Offer {
  const sdp = parseSdp(text);
  const bundled = bundledMids(sdp);
  const video = pickLine(sdp, "video", chooseH264);
  if (!video) {
    throw new OfferError(
      "offer_no_h264",
      "The offer has no video line that receives H.264 with packetization-mode=1, the only video this service sends.",
    );
  }
  const audio = pickLine(sdp, "audio", chooseOpus);
  if (!audio) {
    throw new OfferError(
      "offer_no_opus",
      "The offer has no audio line that receives Opus, the only audio this service sends.",
    );
  }
  for (const { line } of [video, audio]) {
    if (!bundled.has(line.mid)) {
      throw new OfferError(
        "offer_not_bundled",
        "The offer does not bundle its audio and video lines (a=group:BUNDLE).",
      );
    }
  }
  const kept = sdp.media.filter((section) => section === video.section || section === audio.section);
  const candidates = usableCandidates(sdp, bundled);
  const transport = transportLines(sdp, bundled, kept);
  const reduced: Sdp = {
    session: sdp.session.filter((line) => !/^a=(group|candidate|end-of-candidates|msid-semantic)/.test(line)),
    media: kept.map((section, index) => {
      const lines = section.lines.filter(
        (line) => !/^a=(candidate:|end-of-candidates|bundle-only)/.test(line),
      );
      const own = transport
        .filter(({ name }) => attribute(lines, name) === undefined)
        .map(({ line }) => line);
      // A bundle-only line has port 0, which without the group would read as rejected.
      return {
        ...section,
        port: 9,
        lines: [...lines, ...own, ...(index === 0 ? candidates.map((value) => `a=${value}`) : [])],
      };
    }),
  };
  reduced.session.push(`a=group:BUNDLE ${kept.map((section) => attribute(section.lines, "mid")).join(" ")}`);
  return {
    video: video.line,
    audio: audio.line,
    iceUfrag: transport.find(({ name }) => name === "ice-ufrag")?.line.slice("a=ice-ufrag:".length) ?? "",
    sdp: formatSdp(reduced),
    sections: sdp.media.map((section) => ({
      kind: section.kind,
      protocol: section.protocol,
      format: section.formats[0] ?? "0",
      mid: attribute(section.lines, "mid") ?? "",
      accepted: kept.includes(section),
    })),
    candidateCount: candidates.length,
  };
}

/** Puts back, as rejected, the m= lines of the offer that the library was not shown, and adds the public address. */
export function completeAnswer({
  answerSdp,
  offer,
  publicAddress,
}: {
  answerSdp: string;
  offer: Offer;
  publicAddress?: string;
}): string {
  const answer = parseSdp(answerSdp);
  const ours = new Map(answer.media.map((section) => [attribute(section.lines, "mid") ?? "", section]));
  const media = offer.sections.map((offered): SdpSection => {
    const section = offered.accepted ? ours.get(offered.mid) : undefined;
    if (section) {
      return publicAddress ? { ...section, lines: withPublicAddress(section.lines, publicAddress) } : section;
    }
    return {
      kind: offered.kind,
      port: 0,
      protocol: offered.protocol,
      formats: [offered.format],
      lines: ["c=IN IP4 0.0.0.0", "a=inactive", ...(offered.mid === "" ? [] : [`a=mid:${offered.mid}`])],
    };
  });
  return formatSdp({ session: answer.session, media });
}

interface Choice {
  payloadType: number;
  fmtp: string;
}

function pickLine(sdp: Sdp, kind: string, choose: (section: SdpSection) => Choice | undefined) {
  for (const section of sdp.media) {
    const mid = attribute(section.lines, "mid");
    if (section.kind !== kind || mid === undefined || !receives(section, sdp)) continue;
    const choice = choose(section);
    if (choice) return { section, line: { mid, ...choice } };
  }
  return undefined;
}

/** False for a line the client rejected, keeps inactive, or only sends on. */
function receives(section: SdpSection, sdp: Sdp): boolean {
  if (section.port === 0 && attribute(section.lines, "bundle-only") === undefined) return false;
  if (!/^(UDP\/TLS\/)?RTP\/SAVPF$/.test(section.protocol)) return false;
  const direction = /^a=(sendrecv|recvonly|sendonly|inactive)$/;
  const own =
    section.lines.find((line) => direction.test(line)) ?? sdp.session.find((line) => direction.test(line));
  return own === undefined || own === "a=sendrecv" || own === "a=recvonly";
}

function bundledMids(sdp: Sdp): Set<string> {
  const groups = attributes(sdp.session, "group").map((value) => value.split(" "));
  return new Set(groups.find(([semantics]) => semantics === "BUNDLE")?.slice(1));
}

function payloads(section: SdpSection, codec: RegExp): Choice[] {
  return attributes(section.lines, "rtpmap").flatMap((value) => {
    const [payloadType = "", encoding = ""] = value.split(" ");
    if (!codec.test(encoding) || !/^\d{1,3}$/.test(payloadType) || !section.formats.includes(payloadType))
      return [];
    // RFC 5761, section 4: 64..95 collide with RTCP on a shared port.
    const number = Number(payloadType);
    if (number > 127 || (number >= 64 && number <= 95)) return [];
    const fmtp = attributes(section.lines, "fmtp").find((line) => line.startsWith(`${payloadType} `));
    return [{ payloadType: number, fmtp: fmtp?.slice(payloadType.length + 1).trim() ?? "" }];
  });
}

function chooseOpus(section: SdpSection): Choice | undefined {
  return payloads(section, /^opus\/48000\/2$/i)[0];
}

/**
 * The payload type whose decoder fits a constrained-baseline stream best: a constrained-baseline one, else plain baseline,
 * else main or high, which contain it (H.264, annex A.2); among equals the highest level, then the client's order.
 */
function chooseH264(section: SdpSection): Choice | undefined {
  let best: { rank: number; choice: Choice } | undefined;
  for (const choice of payloads(section, /^H264\/90000$/i)) {
    const parameters = new Map(
      choice.fmtp.split(";").map((pair) => {
        const [name = "", value = ""] = pair.split("=");
        return [name.trim().toLowerCase(), value.trim().toLowerCase()] as const;
      }),
    );
    // Defaults from RFC 6184, section 8.1.
    const profile = parameters.get("profile-level-id") ?? "42000a";
    if (parameters.get("packetization-mode") !== "1" || !/^[0-9a-f]{6}$/.test(profile)) continue;
    const fit = profileFit(
      Number.parseInt(profile.slice(0, 2), 16),
      Number.parseInt(profile.slice(2, 4), 16),
    );
    if (fit === 0) continue;
    const rank = fit * 256 + Number.parseInt(profile.slice(4), 16);
    if (!best || rank > best.rank) best = { rank, choice };
  }
  return best?.choice;
}

function profileFit(profileIdc: number, constraints: number): number {
  if (profileIdc === 0x42) return constraints & 0x40 ? 4 : 3;
  if (profileIdc === 0x4d) return constraints & 0x80 ? 4 : 2;
  return profileIdc === 0x64 ? 1 : 0;
}

function usableCandidates(sdp: Sdp, bundled: ReadonlySet<string>): string[] {
  const lines = [
    sdp.session,
    ...sdp.media
      .filter((section) => bundled.has(attribute(section.lines, "mid") ?? ""))
      .map(({ lines }) => lines),
  ];
  const values = lines
    .flatMap((group) => attributes(group, "candidate"))
    .map((value) => `candidate:${value}`);
  const unique = [...new Set(values)].filter((value) => {
    const candidate = parseCandidate(value);
    return candidate !== undefined && isUsable(candidate);
  });
  return unique.slice(0, MAX_CANDIDATES);
}

/** ICE and DTLS attributes of the bundle: a kept section's own, the session's, or those of the line that carries the bundle. */
function transportLines(sdp: Sdp, bundled: ReadonlySet<string>, kept: readonly SdpSection[]) {
  const carriers = sdp.media.filter((section) => bundled.has(attribute(section.lines, "mid") ?? ""));
  const places = [...kept, { lines: sdp.session }, ...carriers];
  return ["ice-ufrag", "ice-pwd", "fingerprint", "setup"].map((name) => {
    for (const { lines } of places) {
      const value = attribute(lines, name);
      if (value !== undefined && TRANSPORT_SYNTAX[name]?.test(value))
        return { name, line: `a=${name}:${value}` };
    }
    throw new OfferError(
      "offer_no_transport",
      `The offer has no valid a=${name} line, which an encrypted connection needs.`,
    );
  });
}

const TRANSPORT_SYNTAX: Record<string, RegExp> = {
  "ice-ufrag": /^[A-Za-z0-9+/=_-]{4,256}$/,
  "ice-pwd": /^[A-Za-z0-9+/=_-]{22,256}$/,
  fingerprint: /^sha-(1|224|256|384|512) ([0-9A-Fa-f]{2}:){19,63}[0-9A-Fa-f]{2}$/,
  setup: /^(actpass|active|passive)$/,
};
