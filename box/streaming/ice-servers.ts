import type { IceServer as NativeIceServer } from "node-datachannel";
import type { IceServer } from "../../contract/live.ts";

const URL_SYNTAX =
  /^(stun|turn|turns):(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?(?:\?transport=(udp|tcp))?$/;

/** Turns browser-style entries into the library's. Throws TypeError naming the entry that is wrong, never its credential. */
export function toNativeIceServers(servers: readonly IceServer[]): NativeIceServer[] {
  return servers.flatMap((server) => [server.urls].flat().map((url) => toNative(url, server)));
}

function toNative(url: string, { username, credential }: IceServer): NativeIceServer {
  const match = URL_SYNTAX.exec(url);
  if (!match) throw new TypeError(`ICE server "${url}" is not a stun:, turn: or turns: address.`);
  const [, scheme = "", host = "", portText, transport] = match;
  const port = portText === undefined ? (scheme === "turns" ? 5349 : 3478) : Number(portText);
  if (port < 1 || port > 65535) throw new TypeError(`ICE server "${url}" has a port outside 1..65535.`);
  const hostname = host.replace(/^\[|\]$/g, "");
  if (scheme === "stun") return { hostname, port };
  if (!username || !credential) throw new TypeError(`ICE server "${url}" needs username and credential.`);
  const relayType = scheme === "turns" ? "TurnTls" : transport === "tcp" ? "TurnTcp" : "TurnUdp";
  return { hostname, port, username, password: credential, relayType };
}
