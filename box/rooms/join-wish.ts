// What a join asks for, read from its body.

import { roomJoinRequestSchema } from "../../contract/rooms.ts";
import { Refusal } from "../failure.ts";
import { describeIssue } from "../issues.ts";
import { roomLimits, type RoomCeilings, type RoomLimits } from "./limits.ts";

export interface JoinWish {
  url: string;
  token: string;
  roomName: string;
  /** Null: the box's own. */
  identity: string | null;
  /** Null: as the token says. */
  engineIdentity: string | null;
  avatar: string | undefined;
  limits: RoomLimits;
  /** Of the usage record. */
  labels: Record<string, string>;
}

const schemes = new Set(["ws:", "wss:", "http:", "https:"]);

/** Throws Refusal `rtc_bad_request` naming the field at fault. */
export function readJoinWish(body: object, ceilings: RoomCeilings): JoinWish {
  const checked = roomJoinRequestSchema.safeParse(body);
  if (!checked.success) throw new Refusal("rtc_bad_request", describeIssue(checked.error));
  const request = checked.data;
  const url = either(request, "url");
  if (!URL.canParse(url) || !schemes.has(new URL(url).protocol))
    throw new Refusal("rtc_bad_request", "rtc_url: must be a ws or wss URL.");
  return {
    url,
    token: either(request, "token"),
    roomName: required("room_name", request.room_name),
    identity: request.identity?.trim() || null,
    engineIdentity: request.engine_identity?.trim() || null,
    avatar: request.avatar?.trim() || undefined,
    limits: roomLimits(request, ceilings),
    labels: Object.fromEntries(
      Object.entries(request.usage ?? {}).map(([name, value]) => [name, value === null ? "" : String(value)]),
    ),
  };
}

type Named = { [Field in `${"rtc" | "livekit"}_${"url" | "token"}`]?: string | null | undefined };

/** Under one of its two names; the neutral one where both are there. */
function either(request: Named, what: "url" | "token"): string {
  return required(`rtc_${what}`, request[`rtc_${what}`]?.trim() || request[`livekit_${what}`]);
}

function required(field: string, value: string | null | undefined): string {
  const text = value?.trim();
  if (!text) throw new Refusal("rtc_bad_request", `${field}: is missing.`);
  return text;
}
