// Sessions name their avatar by its id; people know it by its name.

import type { AvatarsApi } from "../avatars/avatars-api.ts";

/** Display names by avatar id. */
export type AvatarNames = ReadonlyMap<string, string>;

/** Empty when the library cannot be read: ids are shown then, and nothing else is amiss. */
export async function readAvatarNames(api: Pick<AvatarsApi, "own">): Promise<AvatarNames> {
  try {
    return new Map((await api.own()).map(({ avatar_id: id, display_name: name }) => [id, name]));
  } catch {
    return new Map();
  }
}

/** The avatar's name; its id read as words where the library does not hold it, as with the house's own faces. */
export function nameOf(names: AvatarNames, id: string): string {
  const words = id.replaceAll(/[-_\s]+/g, " ").trim();
  return names.get(id) ?? words.charAt(0).toUpperCase() + words.slice(1);
}
