// The voices' part of the clean-up: keys move to the current vault key, and counted previews are forgotten.

import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { openKey } from "./account.ts";
import { sealPrefix } from "./sealing.ts";
import { deletePreviewsUntil, listSealedWith } from "./store.ts";

/** Keys that one clean-up seals again. */
const resealedAtOnce = 50;
const previewWindowSeconds = 60;

export async function cleanUpVoices(env: Env): Promise<void> {
  await deletePreviewsUntil(env.db, nowSeconds() - previewWindowSeconds);
  if (!env.vault?.previous) return;
  const prefix = await sealPrefix(env.vault.previous);
  for (const row of await listSealedWith(env.db, prefix, resealedAtOnce)) await openKey(env, row);
}
