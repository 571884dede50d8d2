// Who asks, as far as the network tells.

const v6Like = /^[0-9a-f.]*:[0-9a-f:.]*$/i;
const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/;

/** The first four groups of an address as the URL parser writes it. */
function networkOf(address: string): string {
  const [head = "", tail] = address.slice(1, -1).split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => "0");
  return `${[...before, ...zeros, ...after].slice(0, 4).join(":")}::/64`;
}

/**
 * What is counted as one client: an IPv4 address, also where it is written as a mapped IPv6 one, or the /64 of an IPv6
 * address, all of which a single host may use (RFC 4291, 2.5.4; RFC 7421). Whatever is no address counts as it is.
 */
export function clientOf(address: string): string {
  const host = v6Like.test(address) ? URL.parse(`http://[${address}]/`)?.hostname : undefined;
  if (host === undefined) return address;
  const [, high, low] = mapped.exec(host) ?? [];
  if (high === undefined || low === undefined) return networkOf(host);
  const [upper, lower] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [upper >> 8, upper & 255, lower >> 8, lower & 255].join(".");
}
