// Where a custom tool may call: public hosts only.

/** IPv4 blocks that are not reachable on, or not part of, the public internet (RFC 6890; the former 6to4 relays: RFC 7526). */
const reservedV4: [base: string, bits: number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

function v4Number(text: string): number | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return null;
  return parts.reduce((value, part) => value * 256 + Number(part), 0);
}

function isReservedV4(address: number): boolean {
  return reservedV4.some(([base, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor((v4Number(base) ?? 0) / size);
  });
}

/**
 * Outside 2000::/3 nothing is global unicast (RFC 4291). Inside it, these are not either: protocol assignments with
 * Teredo (2001::/23, RFC 6890), documentation (2001:db8::/32, RFC 3849; 3fff::/20, RFC 9637) and 6to4 (RFC 7526).
 */
function isReservedV6(text: string): boolean {
  const head = Number.parseInt(text.split(":")[0] || "0", 16);
  const second = Number.parseInt(text.split(":")[1] || "0", 16);
  if (head < 0x2000 || head > 0x3fff || head === 0x2002) return true;
  if (head === 0x3fff) return second < 0x1000;
  return head === 0x2001 && (second < 0x0200 || second === 0x0db8);
}

/**
 * Top-level names that no public zone holds: RFC 6761 (localhost), RFC 6762 (local, and in appendix G those that
 * networks use by themselves), RFC 8375 (home.arpa). ICANN delegates neither internal (2024) nor corp, home and mail
 * (2018). `localdomain` is what many systems append to their own name.
 */
const privateSuffix =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|mail|home\.arpa)$/;

/** True for a host that only this machine or its own network could mean. The URL parser has normalised it. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host.startsWith("[")) return isReservedV6(host.slice(1, -1));
  const labels = host.split(".");
  // An empty label is the root's alone (RFC 1034), yet some resolvers pass over one.
  if (labels.length === 1 || labels.includes("")) return true;
  const v4 = v4Number(host);
  return v4 === null ? privateSuffix.test(host) : isReservedV4(v4);
}
