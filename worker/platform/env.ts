// Bindings and variables, checked once at the entry and read from nowhere else.

import { parseResidencyOptIn, type Residency } from "../../contract/models.ts";

/** What the runtime hands over, as wrangler.toml and the secrets name it. */
export interface Bindings {
  DB: D1Database;
  /** The consent ledger; a portal without one publishes nothing. */
  LEDGER?: D1Database;
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
  ANTHROPIC_BASE_URL?: string;
  BEDROCK_REGION?: string;
  BEDROCK_URL?: string;
  AWS_ACCESS_KEY_ID?: string;
  AWS_SECRET_ACCESS_KEY?: string;
  AWS_SESSION_TOKEN?: string;
  RESIDENCY_OPT_IN?: string;
  S3_ENDPOINT?: string;
  S3_BUCKET?: string;
  S3_ACCESS_KEY_ID?: string;
  S3_SECRET_ACCESS_KEY?: string;
  VAULT_KEY?: string;
  VAULT_KEY_PREVIOUS?: string;
  CARTESIA_URL?: string;
  ELEVENLABS_URL?: string;
  PORTRAIT_URL?: string;
  STILL_URL?: string;
  LIFECYCLE?: string;
  LIFECYCLE_URL?: string;
  LIFECYCLE_SECRET?: string;
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

/** How signed URLs are made. */
export interface S3Settings {
  /** Null: the portal's own address, where a local bucket answers over S3. */
  endpoint: string | null;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Raw AES-256 keys, as base64 or hex text decoded: the one that seals, and the one it replaced. */
export interface VaultKeys {
  current: Uint8Array<ArrayBuffer>;
  previous: Uint8Array<ArrayBuffer> | null;
}

export interface AnthropicSettings {
  apiKey: string;
  baseUrl: string;
}

export interface BedrockSettings {
  region: string;
  /** Origin of the runtime API. */
  url: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
}

export type LifecycleSettings = { kind: "none" } | { kind: "webhook"; url: string; secret: string };

export interface Env {
  db: D1Database;
  /** Null: no consent ledger is configured. */
  ledger: D1Database | null;
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
  anthropic: AnthropicSettings | null;
  bedrock: BedrockSettings | null;
  residencyOptIn: readonly Residency[];
  /** Null: no URL can be signed, so nothing can be uploaded or fetched. */
  s3: S3Settings | null;
  /** Null: no provider key can be kept. */
  vault: VaultKeys | null;
  cartesiaUrl: string;
  elevenlabsUrl: string;
  /** An HTTP image generator instead of the illustrated one. */
  portraitUrl: string | null;
  /** Null: this portal makes no seated stills. */
  stillUrl: string | null;
  lifecycle: LifecycleSettings;
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

function readOptionalUrl(name: string, text: string | undefined, problems: string[]): string | null {
  return text ? (readUrl(name, text, problems)?.href ?? null) : null;
}

/** The credentials that wrangler.toml gives a local bucket. */
const localS3: S3Settings = {
  endpoint: null,
  bucket: "visavis-media",
  accessKeyId: "visavis-local",
  secretAccessKey: "visavis-local-secret",
};

function readS3(bindings: Bindings, local: boolean, problems: string[]): S3Settings | null {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = bindings;
  if (!S3_ENDPOINT && !S3_BUCKET && !S3_ACCESS_KEY_ID && !S3_SECRET_ACCESS_KEY) return local ? localS3 : null;
  if (!S3_ENDPOINT || !S3_BUCKET || !S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY) {
    problems.push("S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together.");
    return null;
  }
  const url = readUrl("S3_ENDPOINT", S3_ENDPOINT, problems);
  return (
    url && {
      endpoint: url.href.replace(/\/$/, ""),
      bucket: S3_BUCKET,
      accessKeyId: S3_ACCESS_KEY_ID,
      secretAccessKey: S3_SECRET_ACCESS_KEY,
    }
  );
}

const vaultKeyBytes = 32;

function readVaultKey(name: string, text: string, problems: string[]): Uint8Array<ArrayBuffer> | null {
  const hex = /^[0-9a-f]{64}$/i.test(text);
  if (hex) return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    if (bytes.length === vaultKeyBytes) return bytes;
  } catch {
    // Not base64 either.
  }
  problems.push(`${name} must be 32 random bytes in hex or base64.`);
  return null;
}

function readVault(bindings: Bindings, problems: string[]): VaultKeys | null {
  const { VAULT_KEY: text, VAULT_KEY_PREVIOUS: before } = bindings;
  if (!text) {
    if (before) problems.push("VAULT_KEY_PREVIOUS needs VAULT_KEY beside it.");
    return null;
  }
  const current = readVaultKey("VAULT_KEY", text, problems);
  const previous = before ? readVaultKey("VAULT_KEY_PREVIOUS", before, problems) : null;
  return current && { current, previous };
}

function readBedrock(bindings: Bindings, problems: string[]): BedrockSettings | null {
  const { BEDROCK_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId } = bindings;
  const { AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = bindings;
  if (!region) return null;
  if (!accessKeyId || !secretAccessKey) {
    problems.push("BEDROCK_REGION needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.");
    return null;
  }
  const text = bindings.BEDROCK_URL || `https://bedrock-runtime.${region}.amazonaws.com`;
  const url = readUrl("BEDROCK_URL", text, problems);
  return url && { region, url: url.origin, accessKeyId, secretAccessKey, sessionToken };
}

function readAnthropic(bindings: Bindings, problems: string[]): AnthropicSettings | null {
  const { ANTHROPIC_API_KEY: apiKey } = bindings;
  const text = bindings.ANTHROPIC_BASE_URL || "https://api.anthropic.com";
  const url = readUrl("ANTHROPIC_BASE_URL", text, problems);
  return apiKey && url ? { apiKey, baseUrl: url.href.replace(/\/$/, "") } : null;
}

function readLifecycle(bindings: Bindings, problems: string[]): LifecycleSettings {
  const kind = bindings.LIFECYCLE || "none";
  if (kind === "none") return { kind };
  if (kind !== "webhook") {
    problems.push("LIFECYCLE must be none or webhook.");
    return { kind: "none" };
  }
  const { LIFECYCLE_URL: text, LIFECYCLE_SECRET: secret } = bindings;
  const url = text ? readUrl("LIFECYCLE_URL", text, problems) : null;
  if (!url || !secret || secret.length < 16) {
    problems.push("LIFECYCLE=webhook needs LIFECYCLE_URL and a LIFECYCLE_SECRET of 16 characters or more.");
    return { kind: "none" };
  }
  return { kind, url: url.href, secret };
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
    ledger: bindings.LEDGER ?? null,
    media: bindings.MEDIA,
    kv: bindings.KV,
    assets: bindings.ASSETS,
    local,
    portalOrigin: portalUrl?.origin ?? null,
    admins: new Set(commaList(bindings.ADMIN_EMAILS).map((email) => email.toLowerCase())),
    boxSecrets: readBoxSecrets(bindings.BOX_SECRETS, problems),
    mail: readMail(bindings, { local, identity: identity !== null }, problems),
    identity,
    anthropic: readAnthropic(bindings, problems),
    bedrock: readBedrock(bindings, problems),
    residencyOptIn: parseResidencyOptIn(bindings.RESIDENCY_OPT_IN),
    s3: readS3(bindings, local, problems),
    vault: readVault(bindings, problems),
    cartesiaUrl:
      readOptionalUrl("CARTESIA_URL", bindings.CARTESIA_URL, problems) ?? "https://api.cartesia.ai/",
    elevenlabsUrl:
      readOptionalUrl("ELEVENLABS_URL", bindings.ELEVENLABS_URL, problems) ?? "https://api.elevenlabs.io/",
    portraitUrl: readOptionalUrl("PORTRAIT_URL", bindings.PORTRAIT_URL, problems),
    stillUrl: readOptionalUrl("STILL_URL", bindings.STILL_URL, problems),
    lifecycle: readLifecycle(bindings, problems),
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
