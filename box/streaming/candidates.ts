import { isIP } from "node:net";

/** One ICE candidate line (RFC 8839), as far as this side looks at it. */
export interface Candidate {
  component: number;
  transport: string;
  address: string;
  port: number;
  type: string;
}

/** More than any client gathers; each one costs connectivity checks. */
export const MAX_CANDIDATES = 64;

const CANDIDATE =
  /^candidate:[A-Za-z0-9+/]{1,32} (\d{1,3}) ([A-Za-z]+) \d{1,10} ([A-Za-z0-9.:%_-]{1,255}) (\d{1,5}) typ (host|srflx|prflx|relay)(?: .*)?$/;

/** Reads the value of `a=candidate` with its `candidate:` prefix; undefined when malformed. */
export function parseCandidate(value: string): Candidate | undefined {
  const match = CANDIDATE.exec(value);
  if (!match) return undefined;
  const [, component = "", transport = "", address = "", port = "", type = ""] = match;
  const candidate = {
    component: Number(component),
    transport: transport.toLowerCase(),
    address,
    port: Number(port),
    type,
  };
  return candidate.port > 65535 ? undefined : candidate;
}

/**
 * True for a candidate worth a connectivity check: RTP component, UDP, a literal address. Names are left out: browsers
 * hide host addresses behind mDNS names (`….local`), and resolving one stalls for a second or more, while the browser's
 * own checks reach us first and make its address known as a peer-reflexive candidate.
 */
export function isUsable(candidate: Candidate): boolean {
  return (
    candidate.component === 1 &&
    candidate.transport === "udp" &&
    isIP(candidate.address) !== 0 &&
    candidate.port > 0
  );
}

/**
 * The candidate lines of an answer with, before each IPv4 or IPv6 host candidate of UDP, the same one under the address that
 * the world sees (one-to-one NAT). It goes first: most callers are outside.
 */
export function withPublicAddress(lines: readonly string[], publicAddress: string): string[] {
  const family = isIP(publicAddress);
  const seen = new Set<string>();
  return lines.flatMap((line) => {
    const candidate = line.startsWith("a=candidate:") ? parseCandidate(line.slice(2)) : undefined;
    if (candidate?.type !== "host" || candidate.transport !== "udp" || isIP(candidate.address) !== family)
      return [line];
    const key = `${candidate.component} ${candidate.port}`;
    if (candidate.address === publicAddress || seen.has(key)) return [line];
    seen.add(key);
    const fields = line.split(" ");
    fields[0] = `${fields[0]}p`;
    fields[4] = publicAddress;
    return [fields.join(" "), line];
  });
}
