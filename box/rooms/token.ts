// What a room token says. The box never holds the secret it was signed with, so it reads the token and verifies nothing: the
// room server does. What the server would refuse, or could only accept for something else, is told before anybody dials.

import { decodeJwt } from "jose";
import { z } from "zod";
import { Refusal } from "../failure.ts";
import { describeIssue } from "../issues.ts";

/** Names the agent whose picture and voice the avatar is, as LiveKit's frameworks set it. */
export const publishOnBehalf = "lk.publish_on_behalf";

/** Clocks differ; a server that checks a token allows for as much (go-jose's default leeway). */
const leewaySeconds = 60;

/** The claims that a server reads: https://docs.livekit.io/home/get-started/authentication/. */
const claimsSchema = z.object({
  sub: z.string().min(1),
  exp: z.number().optional(),
  nbf: z.number().optional(),
  kind: z.string().optional(),
  attributes: z.record(z.string(), z.string()).default({}),
  video: z
    .object({
      roomJoin: z.boolean().optional(),
      room: z.string().optional(),
      canPublish: z.boolean().optional(),
      canPublishData: z.boolean().optional(),
      canPublishSources: z.array(z.string()).optional(),
    })
    .default({}),
});
type Claims = z.infer<typeof claimsSchema>;

export interface RoomToken {
  identity: string;
  /** The agent that it publishes for; null where the token leaves that open. */
  publishesFor: string | null;
}

export interface TokenExpectation {
  roomName: string;
  /** Whom it must be for. */
  identity: string;
  nowSeconds: number;
}

const unusable = (message: string) => new Refusal("rtc_join_failed", `The token cannot be used: ${message}`);

/** Throws Refusal `rtc_identity_mismatch` or, for everything else that is wrong with it, `rtc_join_failed`. */
export function readRoomToken(token: string, expected: TokenExpectation): RoomToken {
  const claims = claimsOf(token);
  const { identity, nowSeconds, roomName } = expected;
  if (claims.sub !== identity)
    throw new Refusal(
      "rtc_identity_mismatch",
      `The token joins as ${quote(claims.sub)}, not as ${quote(identity)}; sign it for that identity, or send its own.`,
    );
  if (claims.exp === undefined) throw unusable("it never expires, which no room server accepts.");
  if (claims.exp + leewaySeconds <= nowSeconds) throw unusable("it has expired.");
  if (claims.nbf !== undefined && claims.nbf - leewaySeconds > nowSeconds)
    throw unusable("it is not valid yet.");
  requireGrants(claims, roomName);
  if (claims.kind !== "agent")
    throw unusable(`its kind is ${quote(claims.kind ?? "standard")}; an avatar joins as kind "agent".`);
  const publishesFor = claims.attributes[publishOnBehalf];
  if (publishesFor === undefined)
    throw unusable(`it lacks the attribute ${publishOnBehalf}, which names the agent's identity.`);
  if (publishesFor === identity)
    throw unusable(`its attribute ${publishOnBehalf} names the avatar itself, not its agent.`);
  return { identity, publishesFor: publishesFor === "" ? null : publishesFor };
}

function claimsOf(token: string): Claims {
  let payload: unknown;
  try {
    payload = decodeJwt(token);
  } catch {
    throw unusable("it is not a JSON Web Token.");
  }
  const checked = claimsSchema.safeParse(payload);
  if (!checked.success) throw unusable(`its claim ${describeIssue(checked.error)}`);
  return checked.data;
}

function requireGrants({ video }: Claims, roomName: string): void {
  if (video.roomJoin !== true) throw unusable("it does not grant roomJoin.");
  if (!video.room) throw unusable("it names no room.");
  if (video.room !== roomName)
    throw unusable(`it is for the room ${quote(video.room)}, not for ${quote(roomName)}.`);
  if (video.canPublish === false) throw unusable("it does not allow to publish (canPublish).");
  if (video.canPublishData === false) throw unusable("it does not allow to send data (canPublishData).");
  // An empty list allows every source.
  const sources = video.canPublishSources ?? [];
  for (const source of ["microphone", "camera"])
    if (sources.length > 0 && !sources.some((allowed) => allowed.toLowerCase() === source))
      throw unusable(`it does not allow to publish a ${source} (canPublishSources).`);
}

const quote = (text: string) => JSON.stringify(text.slice(0, 200));
