// How long a room may last: what was asked for, under the box's ceilings.

import type { RoomJoinAnswer, RoomJoinRequest } from "../../contract/rooms.ts";
import { Refusal } from "../failure.ts";

export type RoomLimits = RoomJoinAnswer["limits"];

export interface RoomCeilings {
  maxMinutes: number;
  idleMinutes: number;
}

/** Throws Refusal `rtc_bad_request` where a call is expected to last longer than it may. */
export function roomLimits(
  {
    expected_minutes: expected,
    max_minutes: max,
    idle_minutes: idle,
  }: Pick<RoomJoinRequest, "expected_minutes" | "max_minutes" | "idle_minutes">,
  { maxMinutes, idleMinutes }: RoomCeilings,
): RoomLimits {
  if (typeof expected === "number" && expected > maxMinutes)
    throw new Refusal("rtc_bad_request", `expected_minutes: a call lasts ${maxMinutes} minutes at most.`);
  if (typeof expected === "number" && typeof max === "number" && expected > max)
    throw new Refusal("rtc_bad_request", "expected_minutes: is more than max_minutes.");
  const clamped: RoomLimits["clamped"] = [];
  if (typeof max === "number" && max > maxMinutes) clamped.push("max_minutes");
  if (typeof idle === "number" && idle > idleMinutes) clamped.push("idle_minutes");
  return {
    max_minutes: Math.min(max ?? maxMinutes, maxMinutes),
    idle_minutes: Math.min(idle ?? idleMinutes, idleMinutes),
    expected_minutes: expected ?? null,
    clamped,
  };
}
