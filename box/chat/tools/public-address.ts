// Which addresses a tool may have: those of the public internet, and no other way into the box's own network.

import { lookup as resolveName } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import ipaddr from "ipaddr.js";

/** Global unicast as it is handed out; what IPv6 has outside of it is no host on the internet. */
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/**
 * Whether an address is one host on the public internet. Loopback, private, link-local and shared ones are not, nor are
 * ways to write an IPv4 address as IPv6 or to tunnel one through it.
 */
export function isPublicAddress(address: string): boolean {
  // One with a zone is meant for a link.
  if (isIP(address) === 0 || address.includes("%")) return false;
  const parsed = ipaddr.parse(address);
  // What the library has no name for is unicast to it.
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || parsed.match(globalUnicast));
}

/** The name resolves to an address that no tool may have. */
export class ForbiddenAddressError extends Error {
  constructor() {
    super("The address is not on the public internet.");
    this.name = "ForbiddenAddressError";
  }
}

export interface AddressOptions {
  /** Every address of a name. Default: as the machine resolves names. */
  resolve?(hostname: string): Promise<LookupAddress[]>;
  /** Default: isPublicAddress. */
  allows?(address: string): boolean;
}

const resolveAll = (hostname: string) => resolveName(hostname, { all: true, verbatim: true });

/**
 * The name resolution of a connection. A name is resolved once, every address of it is judged, and the connection goes to
 * what was judged: an answer that changes meanwhile changes nothing. One forbidden address among them refuses the name.
 */
export function guardedLookup({
  resolve = resolveAll,
  allows = isPublicAddress,
}: AddressOptions): LookupFunction {
  const judge = callbackify(async (hostname: string) => {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw Object.assign(new Error("No address."), { code: "ENOTFOUND" });
    if (!addresses.every(({ address }) => allows(address))) throw new ForbiddenAddressError();
    return addresses;
  });
  return (hostname, options, callback) =>
    judge(hostname, (error: NodeJS.ErrnoException | null, addresses: LookupAddress[] = []) => {
      const [first] = addresses;
      if (options.all) callback(error, addresses);
      else callback(error, first?.address ?? "", first?.family);
    });
}

/** Whether a host written as an address may be connected to; names are judged when they are resolved. */
export function mayConnect(hostname: string, { allows = isPublicAddress }: AddressOptions): boolean {
  const literal = hostname.replace(/^\[|\]$/g, "");
  return isIP(literal) === 0 || allows(literal);
}
