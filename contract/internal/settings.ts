// An account's settings, as boxes read and save them.

import { z } from "zod";
import { settingsPatchSchema, settingsReadSchema } from "../settings.ts";

/** `POST /internal/settings/read`: the account's settings as `GET /auth/settings` would answer them. */
export const settingsReadRequestSchema = z.strictObject({ account: z.string() });
export const internalSettingsReadSchema = settingsReadSchema;

/** `POST /internal/settings/save`: the box's `POST /api/settings`. */
export const settingsSaveRequestSchema = z.strictObject({
  account: z.string(),
  patch: settingsPatchSchema,
});
