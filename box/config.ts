// The environment, read and checked once.

import { hostname } from "node:os";
import { resolve } from "node:path";
import { z } from "zod";
import { limits } from "../contract/limits.ts";
import { iceServerSchema, type IceServer } from "../contract/live.ts";
import { parseResidencyOptIn, type Residency } from "../contract/models.ts";
import { toNativeIceServers } from "./streaming/ice-servers.ts";

/** Who understands what the microphone hears. */
export type RecogniserConfig =
  | { kind: "none" }
  | { kind: "pocketsphinx" }
  | { kind: "deepgram"; apiKey: string; url: string; model: string }
  | { kind: "openai_realtime"; apiKey: string; url: string; model: string };

export interface BoxConfig {
  id: string;
  host: string;
  port: number;
  region: string;
  /** Where the portal and browsers reach this box; null when only its own machine does. */
  publicUrl: string | null;
  stateDir: string;
  /** Name of the volume that avatars are prepared on; null: the one that the state folder keeps. */
  weightsVolume: string | null;
  commit: string;
  logLevel: string;
  portal: { url: string; secret: string } | null;
  /** Full keys that only this box knows. */
  staticKeys: string[];
  /** A file of keys, and of the tokens minted here; null: none of its own. */
  keysTablePath: string | null;
  anthropic: { apiKey: string; baseUrl: string | null } | null;
  /** Claude through Amazon Bedrock; the credentials are where AWS keeps them. */
  bedrock: { region: string; url: string | null } | null;
  residencyOptIn: Residency[];
  recogniser: RecogniserConfig;
  moderation: {
    /** A JSON file of rules. */
    rulesPath: string | null;
    /** A service that is asked about every message and clause. */
    url: string | null;
    secret: string | null;
    /** What becomes of words that the service could not be asked about. */
    onFailure: "allow" | "remove";
  };
  /** Begins a reply while the speaker pauses, and drops it unheard when they go on: faster, for some tokens more. */
  speculativeReplies: boolean;
  /** Signs calls of custom tools; null: the one that the state folder keeps. */
  toolSigningSecret: string | null;
  /** The engine under the name `local`: a self-hosted speech server, or the built-in one. */
  speechServer: { url: string; apiKey: string | null; model: string } | null;
  /** Where callers' own accounts speak, and the box's accounts there for callers who have none. */
  cartesia: { url: string; apiKey: string | null };
  elevenlabs: { url: string; apiKey: string | null };
  avatars: {
    /** Whether `POST /v1/photo_avatar.create` is served. */
    photoCreation: boolean;
    /** Who renders the clips of delivery tones. */
    clips: { kind: "builtin" } | { kind: "none" } | { kind: "http"; url: string; secret: string | null };
    /** Whether the stock faces get the delivery tones too, built when nothing else is to be. */
    stockTones: boolean;
  };
  /** An HTTP generator of seated stills; null: photographs are re-framed here. */
  stillUrl: string | null;
  /** Whether sessions may be recorded where their callers agree. */
  recordings: boolean;
  ice: {
    servers: IceServer[];
    publicAddress: string | null;
    portRange: { begin: number; end: number } | null;
  };
  session: { idleSeconds: number; maxSeconds: number };
  rooms: {
    /** Whether rooms may be joined at all. */
    offered: boolean;
    /** Who tokens are expected to be for, unless a join names another. */
    identity: string;
    maxMinutes: number;
    idleMinutes: number;
  };
  /** 0: the box never ends by itself. */
  lifeSeconds: number;
  video: { fps: 25 | 30; bitrateBps: number };
}

/** Every variable at fault, one sentence each. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
  }
}

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });

const webSocketUrl = z.url({ protocol: /^wss?$/, error: "must be a ws or wss URL" });

const iceServers = z.string().transform((text, context): IceServer[] => {
  try {
    const servers = z.array(iceServerSchema).parse(JSON.parse(text));
    toNativeIceServers(servers);
    return servers;
  } catch {
    // Falls through to the same sentence: the value may hold a credential and is not repeated.
  }
  context.addIssue({
    code: "custom",
    message: 'must be JSON such as [{"urls":"stun:host:3478"}], with username and credential for turn:',
  });
  return z.NEVER;
});

const portRange = z.string().transform((text, context) => {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(text);
  const [begin, end] = [Number(match?.[1]), Number(match?.[2])];
  if (match && begin >= 1024 && begin <= end && end <= 65_535) return { begin, end };
  context.addIssue({ code: "custom", message: "must be two ports such as 40000-40100" });
  return z.NEVER;
});

const environmentSchema = z.object({
  BOX_PORT: wholeNumber(0, 65_535).default(8788),
  BOX_HOST: z.string().default("127.0.0.1"),
  BOX_ID: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, "may hold letters, digits, dots, dashes and underscores")
    .optional(),
  BOX_SECRET: z.string().min(16, "must have at least 16 characters").optional(),
  BOX_PUBLIC_URL: httpUrl.optional(),
  BOX_REGION: z.string().max(64).default("local"),
  BOX_COMMIT: z.string().max(64).default("unknown"),
  PORTAL_URL: httpUrl.optional(),
  WEIGHTS_VOLUME: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, "may hold letters, digits, dots, dashes and underscores")
    .optional(),
  VISAVIS_STATE: z.string().default(".local"),
  SERVICE_API_KEYS: z.string().default(""),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: httpUrl.optional(),
  BEDROCK_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, "must be a region such as ap-southeast-2")
    .optional(),
  BEDROCK_URL: httpUrl.optional(),
  RESIDENCY_OPT_IN: z.string().optional(),
  RECOGNISER: z.enum(["pocketsphinx", "deepgram", "openai_realtime", "none"]).default("pocketsphinx"),
  DEEPGRAM_API_KEY: z.string().optional(),
  DEEPGRAM_URL: webSocketUrl.default("wss://api.deepgram.com/v1/listen"),
  DEEPGRAM_MODEL: z.string().max(64).default("nova-3"),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_REALTIME_URL: webSocketUrl.default("wss://api.openai.com/v1/realtime"),
  OPENAI_TRANSCRIBE_MODEL: z.string().max(64).default("gpt-4o-transcribe"),
  MODERATION_RULES: z.string().optional(),
  MODERATION_URL: httpUrl.optional(),
  MODERATION_SECRET: z.string().optional(),
  MODERATION_ON_FAILURE: z.enum(["allow", "remove"]).default("remove"),
  SPECULATIVE_REPLIES: z.enum(["on", "off"]).default("on"),
  TOOL_SIGNING_SECRET: z.string().min(16, "must have at least 16 characters").optional(),
  SERVICE_API_KEYS_TABLE: z.string().optional(),
  SPEECH_URL: httpUrl.optional(),
  SPEECH_API_KEY: z.string().optional(),
  SPEECH_MODEL: z.string().max(200).default("tts-1"),
  CARTESIA_URL: httpUrl.default("https://api.cartesia.ai"),
  CARTESIA_API_KEY: z.string().optional(),
  ELEVENLABS_URL: httpUrl.default("https://api.elevenlabs.io"),
  ELEVENLABS_API_KEY: z.string().optional(),
  PHOTO_AVATARS: z.enum(["on", "off"]).default("on"),
  STOCK_TONES: z.enum(["on", "off"]).default("on"),
  AVATAR_CLIPS: z.enum(["builtin", "http", "none"]).default("builtin"),
  CLIP_URL: httpUrl.optional(),
  CLIP_SECRET: z.string().optional(),
  STILL_URL: httpUrl.optional(),
  RECORDINGS: z.enum(["on", "off"]).default("on"),
  ICE_SERVERS: iceServers.default([]),
  ICE_PUBLIC_ADDRESS: z.union([z.ipv4(), z.ipv6()], { error: "must be an IP address" }).optional(),
  ICE_PORT_RANGE: portRange.optional(),
  SESSION_IDLE_SECONDS: wholeNumber(1, 86_400).default(limits.idleSeconds),
  SESSION_MAX_SECONDS: wholeNumber(0, 86_400).default(limits.maxSessionSeconds),
  ROOMS: z.enum(["on", "off"]).default("on"),
  ROOM_IDENTITY: z.string().max(512).default("visavis-avatar"),
  ROOM_MAX_MINUTES: wholeNumber(1, 24 * 60).default(limits.roomMaxMinutes),
  ROOM_IDLE_MINUTES: wholeNumber(1, 24 * 60).default(limits.roomIdleMinutes),
  // A timer of Node.js reaches no further than 24 days.
  BOX_LIFE_SECONDS: wholeNumber(0, 24 * 86_400).default(0),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  VIDEO_FPS: z.enum(["25", "30"]).default("25"),
  VIDEO_BITRATE: wholeNumber(100_000, 20_000_000).default(1_500_000),
});

/** Every variable that a box reads. */
export const variableNames: readonly string[] = Object.keys(environmentSchema.shape);

function recogniserOf(env: z.infer<typeof environmentSchema>, problems: string[]): RecogniserConfig {
  const needed = (name: string, value: string | undefined): string => {
    if (!value) problems.push(`${name}: needed because RECOGNISER is ${env.RECOGNISER}.`);
    return value ?? "";
  };
  switch (env.RECOGNISER) {
    case "deepgram":
      return {
        kind: "deepgram",
        apiKey: needed("DEEPGRAM_API_KEY", env.DEEPGRAM_API_KEY),
        url: env.DEEPGRAM_URL,
        model: env.DEEPGRAM_MODEL,
      };
    case "openai_realtime":
      return {
        kind: "openai_realtime",
        apiKey: needed("OPENAI_API_KEY", env.OPENAI_API_KEY),
        url: env.OPENAI_REALTIME_URL,
        model: env.OPENAI_TRANSCRIBE_MODEL,
      };
    default:
      return { kind: env.RECOGNISER };
  }
}

function clipsOf(env: z.infer<typeof environmentSchema>, problems: string[]): BoxConfig["avatars"]["clips"] {
  if (env.AVATAR_CLIPS !== "http") return { kind: env.AVATAR_CLIPS };
  if (!env.CLIP_URL) problems.push("CLIP_URL: needed because AVATAR_CLIPS is http.");
  return { kind: "http", url: env.CLIP_URL ?? "", secret: env.CLIP_SECRET ?? null };
}

const bare = (url: string) => url.replace(/\/+$/, "");

/** True for a host name or address that never leaves the machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return (
    name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(?:\.\d+){3}$/.test(name)
  );
}

/** True when nothing is configured that could tell one caller from another. */
export function isOpen(config: Pick<BoxConfig, "portal" | "staticKeys" | "keysTablePath">): boolean {
  return config.portal === null && config.staticKeys.length === 0 && config.keysTablePath === null;
}

/** Reads the box's configuration. Throws ConfigError, whose message never repeats a value. */
export function readConfig(environment: Record<string, string | undefined>): BoxConfig {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const parsed = environmentSchema.safeParse(present);
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}.`));

  const env = parsed.data;
  const problems: string[] = [];
  const keysTable = env.SERVICE_API_KEYS_TABLE?.trim();
  if (keysTable === "portal" && !env.PORTAL_URL)
    problems.push("PORTAL_URL: needed because SERVICE_API_KEYS_TABLE is portal.");
  if (env.PORTAL_URL && !env.BOX_SECRET) problems.push("BOX_SECRET: needed because PORTAL_URL is set.");
  const config: BoxConfig = {
    id: env.BOX_ID ?? hostname(),
    host: env.BOX_HOST,
    port: env.BOX_PORT,
    region: env.BOX_REGION,
    publicUrl: env.BOX_PUBLIC_URL ? bare(env.BOX_PUBLIC_URL) : null,
    stateDir: resolve(env.VISAVIS_STATE),
    weightsVolume: env.WEIGHTS_VOLUME ?? null,
    commit: env.BOX_COMMIT,
    logLevel: env.LOG_LEVEL,
    portal: env.PORTAL_URL && env.BOX_SECRET ? { url: bare(env.PORTAL_URL), secret: env.BOX_SECRET } : null,
    staticKeys: env.SERVICE_API_KEYS.split(",")
      .map((key) => key.trim())
      .filter((key) => key !== ""),
    keysTablePath: keysTable === undefined || keysTable === "portal" ? null : resolve(keysTable),
    speechServer: env.SPEECH_URL
      ? { url: bare(env.SPEECH_URL), apiKey: env.SPEECH_API_KEY ?? null, model: env.SPEECH_MODEL }
      : null,
    cartesia: { url: bare(env.CARTESIA_URL), apiKey: env.CARTESIA_API_KEY ?? null },
    elevenlabs: { url: bare(env.ELEVENLABS_URL), apiKey: env.ELEVENLABS_API_KEY ?? null },
    avatars: {
      photoCreation: env.PHOTO_AVATARS === "on",
      clips: clipsOf(env, problems),
      stockTones: env.STOCK_TONES === "on",
    },
    stillUrl: env.STILL_URL ?? null,
    recordings: env.RECORDINGS === "on",
    anthropic: env.ANTHROPIC_API_KEY
      ? { apiKey: env.ANTHROPIC_API_KEY, baseUrl: env.ANTHROPIC_BASE_URL ?? null }
      : null,
    bedrock: env.BEDROCK_REGION ? { region: env.BEDROCK_REGION, url: env.BEDROCK_URL ?? null } : null,
    residencyOptIn: parseResidencyOptIn(env.RESIDENCY_OPT_IN),
    recogniser: recogniserOf(env, problems),
    moderation: {
      rulesPath: env.MODERATION_RULES ? resolve(env.MODERATION_RULES) : null,
      url: env.MODERATION_URL ?? null,
      secret: env.MODERATION_SECRET ?? null,
      onFailure: env.MODERATION_ON_FAILURE,
    },
    speculativeReplies: env.SPECULATIVE_REPLIES === "on",
    toolSigningSecret: env.TOOL_SIGNING_SECRET ?? null,
    ice: {
      servers: env.ICE_SERVERS,
      publicAddress: env.ICE_PUBLIC_ADDRESS ?? null,
      portRange: env.ICE_PORT_RANGE ?? null,
    },
    session: { idleSeconds: env.SESSION_IDLE_SECONDS, maxSeconds: env.SESSION_MAX_SECONDS },
    rooms: {
      offered: env.ROOMS === "on",
      identity: env.ROOM_IDENTITY,
      maxMinutes: env.ROOM_MAX_MINUTES,
      idleMinutes: env.ROOM_IDLE_MINUTES,
    },
    lifeSeconds: env.BOX_LIFE_SECONDS,
    video: { fps: env.VIDEO_FPS === "30" ? 30 : 25, bitrateBps: env.VIDEO_BITRATE },
  };

  if (isOpen(config)) {
    const publicHost = config.publicUrl ? new URL(config.publicUrl).hostname : null;
    const way = "set SERVICE_API_KEYS, or PORTAL_URL and BOX_SECRET";
    if (publicHost && !isLoopback(publicHost))
      problems.push(
        `BOX_PUBLIC_URL: names a public host, but the box has no keys and would be open; ${way}.`,
      );
    if (!isLoopback(config.host))
      problems.push(
        `BOX_HOST: is reachable from outside, but the box has no keys and would be open; ${way}.`,
      );
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}
