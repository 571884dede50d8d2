// The one place that reads a credential and decides.

import { boxPolicy } from "../../contract/policies.ts";
import { isLoopback } from "../config.ts";
import { Refusal } from "../failure.ts";
import { openCaller, type Authority, type Caller } from "./caller.ts";
import { noMinting, type Minting, type Token } from "./minting.ts";

export interface Asking {
  method: string;
  /** Path and query. */
  url: URL;
  header(name: string): string | undefined;
  /** A WebSocket upgrade: a browser cannot set headers there. */
  upgrade: boolean;
}

const longestSecret = 1_000;
/** The portal's own, which means nothing here. */
const portalSession = /(?:^|;\s*)(?:__Host-)?vv_session=/;

/** The credential presented: `X-Api-Key`, else a bearer, else `?session_token=` where a browser has nothing better. */
export function presentedSecret({ url, header, upgrade, method }: Asking): string | null {
  const key = header("x-api-key")?.trim();
  if (key) return key;
  const bearer = /^Bearer[ ]+(\S+)[ ]*$/i.exec(header("authorization") ?? "")?.[1];
  if (bearer) return bearer;
  if (!upgrade && !(method === "POST" && url.pathname === "/connect")) return null;
  return url.searchParams.get("session_token") || null;
}

function challenge(
  code: "missing_api_key" | "invalid_api_key" | "insufficient_scope",
  message: string,
): Refusal {
  return new Refusal(code, message, { headers: { "WWW-Authenticate": "Bearer" } });
}

const unrecognised = () =>
  challenge("invalid_api_key", "The API key is not recognised, was revoked or has expired.");

export class Access {
  readonly #authorities: readonly Authority[];
  readonly #minting: Minting;

  /** With no authority the box is open. */
  constructor(authorities: readonly Authority[], minting: Minting = noMinting) {
    this.#authorities = authorities;
    this.#minting = minting;
  }

  get open(): boolean {
    return this.#authorities.length === 0;
  }

  /** The caller behind a request, or null on a public route. Throws Refusal. */
  async admit(asking: Asking): Promise<Caller | null> {
    if (this.open) this.#refuseForeigners(asking);
    const policy = boxPolicy(asking.method, asking.url.pathname);
    if (policy === "public") return null;
    if (this.open) return openCaller;
    const secret = presentedSecret(asking);
    if (!secret) {
      if (portalSession.test(asking.header("cookie") ?? "")) throw unrecognised();
      throw challenge("missing_api_key", "This route needs an API key.");
    }
    const caller = await this.identify(secret);
    if (!caller) throw unrecognised();
    if (policy === "full" && caller.scope !== "full")
      throw challenge("insufficient_scope", "A session token may only stream; this route needs a full key.");
    return caller;
  }

  /** Who a secret belongs to; null when nobody. Throws Refusal `credential_unverified`. */
  async identify(secret: string): Promise<Caller | null> {
    if (this.open) return openCaller;
    if (secret.length > longestSecret) return null;
    for (const authority of this.#authorities) {
      const caller = await authority.lookup(secret);
      if (caller) return caller;
    }
    return null;
  }

  /** Whether a credential has been revoked since it was let in; the answer holds until the next thing is waited for. */
  revoked(digest: string): boolean {
    return this.#authorities.some((authority) => authority.isRevoked?.(digest) ?? false);
  }

  /**
   * To be asked after the last wait before something lasting is opened: a revocation ends what is open, and finds nothing
   * of what is still on its way. Throws Refusal.
   */
  requireUnrevoked({ digest }: Caller): void {
    if (this.revoked(digest)) throw unrecognised();
  }

  /** Only a key mints: what was itself minted does not, whatever else it may do. Throws Refusal. */
  requireMinter(caller: Caller): void {
    if (this.open)
      throw new Refusal(
        "auth_disabled",
        "This box takes requests without credentials, so there is nothing to mint.",
      );
    if (caller.scope !== "full" || caller.kind === "session")
      throw challenge("insufficient_scope", "A token is minted with a full key, and with nothing else.");
  }

  /** A stream-only token of the caller's account; `asking` is the request that brought the caller in. Rejects with Refusal. */
  async mint(caller: Caller, asking: Asking, ttlSeconds: number | undefined): Promise<Token> {
    this.requireMinter(caller);
    const secret = presentedSecret(asking);
    if (!secret) throw challenge("missing_api_key", "This route needs an API key.");
    return this.#minting.mint({ caller, secret, ttlSeconds });
  }

  /**
   * An open box trusts its own machine, and so must not obey whatever page that machine's browser happens to show: neither one that
   * says whose it is, nor one whose own name has been made to lead here, which alone the host gives away.
   */
  #refuseForeigners({ header, method }: Asking): void {
    if (!isOwnMachine(`http://${header("host") ?? ""}`))
      throw new Refusal("cross_origin", "A box without keys answers to a name of its own machine alone.");
    const origin = header("origin");
    if (!origin || method === "OPTIONS" || isOwnMachine(origin)) return;
    throw new Refusal("cross_origin", "A box without keys takes no requests from other sites' pages.");
  }
}

const isOwnMachine = (url: string) => URL.canParse(url) && isLoopback(new URL(url).hostname);
