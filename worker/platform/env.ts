// Bindings and variables, checked once at the entry and read from nowhere else.

import { parseResidencyOptIn, type Residency } from "../../contract/models.ts";

/** What the runtime hands over, as wrangler.toml and the secrets name it. */
export interface Bindings {
  DB: D1Database;
  MEDIA: R2Bucket;
  KV: KVNamespace;
  ASSETS: Fetcher;
  ENVIRONMENT?: string;
  PORTAL_URL?: string;
  ADMIN_EMAILS?: string;
  BOX_SECRETS?: string;
  MAIL?: string;
  MAIL_FROM?: string;
  RESEND_API_KEY?: string;
  IDENTITY_JWKS_URL?: string;
  IDENTITY_ISSUER?: string;
  IDENTITY_AUDIENCE?: string;
  ANTHROPIC_API_KEY?: string;
  RESIDENCY_OPT_IN?: string;
  COMMIT?: string;
}

export type MailSettings =
  | { kind: "outbox" }
  | { kind: "resend"; apiKey: string; from: string }
  | { kind: "none" };

export interface IdentitySettings {
  jwksUrl: URL;
  issuer: string;
  audience: string;
}

export interface BoxSecret {
  boxId: string;
  secret: string;
}

export interface Env {
  db: D1Database;
  media: R2Bucket;
  kv: KVNamespace;
  assets: Fetcher;
  local: boolean;
  /** Origin that sign-in links lead to; null means the origin of the request (a local portal only). */
  portalOrigin: string | null;
  admins: ReadonlySet<string>;
  boxSecrets: readonly BoxSecret[];
  mail: MailSettings;
  identity: IdentitySettings | null;
  anthropic: boolean;
  residencyOptIn: readonly Residency[];
  commit: string;
}

export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The portal cannot start: ${problems.join(" ")}`);
    this.problems = problems;
  }
}

function commaList(text: string | undefined): string[] {
  return (text ?? "").split(",").flatMap((word) => word.trim() || []);
}

function readBoxSecrets(text: string | undefined, problems: string[]): BoxSecret[] {
  const pairs = commaList(text).map((pair, at): BoxSecret => {
    const colon = pair.indexOf(":");
    const boxId = pair.slice(0, colon);
    const secret = pair.slice(colon + 1);
    if (colon < 1 || secret.length < 16) {
      problems.push(
        `BOX_SECRETS entry ${at + 1} must be "id:secret" with a secret of 16 characters or more.`,
      );
    }
    return { boxId, secret };
  });
  if (new Set(pairs.map((pair) => pair.boxId)).size !== pairs.length) {
    problems.push("BOX_SECRETS names one box twice.");
  }
  return pairs;
}

function readUrl(name: string, text: string, problems: string[]): URL | null {
  const url = URL.parse(text);
  if (url && (url.protocol === "https:" || url.protocol === "http:")) return url;
  problems.push(`${name} must be an http or https URL.`);
  return null;
}

function readIdentity(bindings: Bindings, problems: string[]): IdentitySettings | null {
  const { IDENTITY_JWKS_URL: jwks, IDENTITY_ISSUER: issuer, IDENTITY_AUDIENCE: audience } = bindings;
  if (!jwks && !issuer && !audience) return null;
  if (!jwks || !issuer || !audience) {
    problems.push("IDENTITY_JWKS_URL, IDENTITY_ISSUER and IDENTITY_AUDIENCE must be set together.");
    return null;
  }
  const jwksUrl = readUrl("IDENTITY_JWKS_URL", jwks, problems);
  return jwksUrl && { jwksUrl, issuer, audience };
}

interface MailContext {
  local: boolean;
  identity: boolean;
}

function readMail(bindings: Bindings, { local, identity }: MailContext, problems: string[]): MailSettings {
  const kind = bindings.MAIL || (local ? "outbox" : identity ? "none" : "resend");
  if (kind === "none") return { kind };
  if (kind === "outbox") {
    if (!local) problems.push("MAIL=outbox works on a local portal only; set MAIL=resend.");
    return { kind };
  }
  if (kind !== "resend") {
    problems.push("MAIL must be outbox, resend or none.");
    return { kind: "none" };
  }
  const { RESEND_API_KEY: apiKey, MAIL_FROM: from } = bindings;
  if (!apiKey || !from) {
    problems.push("MAIL=resend needs RESEND_API_KEY and MAIL_FROM.");
    return { kind: "none" };
  }
  return { kind, apiKey, from };
}

/** Checks everything and names every problem at once. */
export function parseEnv(bindings: Bindings): Env {
  const problems: string[] = [];
  for (const name of ["DB", "MEDIA", "KV", "ASSETS"] as const) {
    if (typeof bindings[name] !== "object") problems.push(`The binding ${name} is missing.`);
  }
  const environment = bindings.ENVIRONMENT ?? "";
  if (environment !== "local" && environment !== "production") {
    problems.push('ENVIRONMENT must be "local" or "production".');
  }
  const local = environment === "local";
  if (!local && !bindings.PORTAL_URL) problems.push("PORTAL_URL is missing: the address people open.");
  const portalUrl = bindings.PORTAL_URL ? readUrl("PORTAL_URL", bindings.PORTAL_URL, problems) : null;
  const identity = readIdentity(bindings, problems);
  const env: Env = {
    db: bindings.DB,
    media: bindings.MEDIA,
    kv: bindings.KV,
    assets: bindings.ASSETS,
    local,
    portalOrigin: portalUrl?.origin ?? null,
    admins: new Set(commaList(bindings.ADMIN_EMAILS).map((email) => email.toLowerCase())),
    boxSecrets: readBoxSecrets(bindings.BOX_SECRETS, problems),
    mail: readMail(bindings, { local, identity: identity !== null }, problems),
    identity,
    anthropic: Boolean(bindings.ANTHROPIC_API_KEY),
    residencyOptIn: parseResidencyOptIn(bindings.RESIDENCY_OPT_IN),
    commit: bindings.COMMIT || "unknown",
  };
  if (problems.length > 0) throw new ConfigurationError(problems);
  return env;
}

const parsed = new WeakMap<Bindings, Env>();

/** The checked environment; parsed once for each set of bindings. */
export function envOf(bindings: Bindings): Env {
  const known = parsed.get(bindings);
  if (known) return known;
  const env = parseEnv(bindings);
  parsed.set(bindings, env);
  return env;
}
