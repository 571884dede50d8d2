// Which addresses a tool may have: those of the public internet, and no other way into the box's own network.

import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
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

/** The name does not resolve. */
export class UnknownNameError extends Error {
  constructor() {
    super("The name does not resolve.");
    this.name = "UnknownNameError";
  }
}

const patience = { timeout: 2_000, tries: 2 };

/**
 * Every address of a name, asked of the name servers directly: the system's own resolution keeps one of a few threads
 * busy for as long as somebody's name server likes, and knows names that are not the internet's.
 */
export async function resolveName(hostname: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  const resolver = new Resolver(patience);
  if (servers) resolver.setServers(servers);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return answers.flatMap((answer, index) =>
    answer.status === "fulfilled"
      ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
      : [],
  );
}

export interface AddressOptions {
  /** Every address of a name. Default: resolveName. */
  resolve?(hostname: string): Promise<LookupAddress[]>;
  /** Default: isPublicAddress. */
  allows?(address: string): boolean;
}

/**
 * The name resolution of a connection. A name is resolved once, every address of it is judged, and the connection goes to
 * what was judged: an answer that changes meanwhile changes nothing. One forbidden address among them refuses the name.
 */
export function guardedLookup({
  resolve = resolveName,
  allows = isPublicAddress,
}: AddressOptions): LookupFunction {
  const judge = callbackify(async (hostname: string) => {
    const addresses = await resolve(hostname).catch(() => []);
    if (addresses.length === 0) throw new UnknownNameError();
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
