// The library's own listing in the words of the wire.

import type { AvatarList } from "../../contract/avatars.ts";
import { baseTone, toneSchema, type Tone } from "../../contract/tones.ts";
import type { AvatarListing } from "../avatars/library.ts";

const buildState = { preparing: "generating", ready: "generated", failed: "failed" } as const;

function knownTones(names: readonly string[]): Tone[] {
  return names.flatMap((name) => toneSchema.safeParse(name).data ?? []);
}

/** `GET /api/avatars`. The base face is built as the clip of the base tone. */
export function avatarList({
  avatars,
  groups,
  preparing,
  active,
  active_group,
  builds,
}: AvatarListing): AvatarList {
  return {
    avatars,
    groups: groups.map((group) => ({
      ...group,
      tones: knownTones(group.tones),
      preview: group.preview ?? "",
    })),
    preparing,
    active: active ?? "",
    active_group: active_group ?? "",
    builds: Object.fromEntries(
      Object.entries(builds).map(([id, { state, detail, started_at, finished_at }]) => [
        id,
        [{ tone: baseTone, state: buildState[state], detail, started_at, finished_at }],
      ]),
    ),
  };
}
