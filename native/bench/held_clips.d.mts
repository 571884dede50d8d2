// The types of held_clips.mjs, for tests.

export function digest(dev?: string): string;
