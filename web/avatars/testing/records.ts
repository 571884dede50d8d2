// Records as the portal answers them, for tests.

import type { LibraryAvatar } from "../../../contract/library.ts";

export function avatarRecord(id: string, parts: Partial<LibraryAvatar> = {}): LibraryAvatar {
  return {
    avatar_id: id,
    display_name: id.charAt(0).toUpperCase() + id.slice(1),
    name: id,
    source_kind: "photo",
    state: "ready",
    created_at: 1_700_000_000,
    updated_at: 1_700_000_100,
    prepared_in_region: "ap-southeast-2",
    weights_volume: "vol-1",
    detail: "",
    visibility: "private",
    ...parts,
  };
}
