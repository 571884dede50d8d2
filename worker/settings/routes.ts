import {
  settingsPatchSchema,
  settingsReadSchema,
  settingsRefusedSchema,
  settingsSavedSchema,
} from "../../contract/settings.ts";
import { refuse, unwrap } from "../platform/errors.ts";
import type { PortalContext } from "../platform/context.ts";
import { answers, declareRoute, explainIssues, takes, type PortalApp } from "../platform/portal.ts";
import { readSettings, saveSettings, type SettingsScope } from "./settings.ts";
import { settingsFacts } from "./store.ts";

const read = declareRoute(
  "portal-or-full-key",
  {
    method: "get",
    path: "/auth/settings",
    responses: { 200: answers(settingsReadSchema, "The caller's whole effective record") },
  },
  { along: settingsFacts },
);

const save = declareRoute(
  "portal-or-full-key",
  {
    method: "post",
    path: "/auth/settings",
    request: { body: takes(settingsPatchSchema) },
    responses: {
      200: answers(settingsSavedSchema, "The whole record after the write"),
      400: answers(settingsRefusedSchema, "Nothing was saved"),
    },
  },
  { along: settingsFacts },
);

function scopeOf({ var: { env, caller, along } }: PortalContext): SettingsScope {
  return { env, account: caller.account, facts: along };
}

export function mountSettings(app: PortalApp): void {
  app.openapi(read, async (c) => c.json(unwrap(await readSettings(scopeOf(c))), 200));

  app.openapi(
    save,
    async (c) => {
      const settings = unwrap(await saveSettings(scopeOf(c), c.req.valid("json")));
      return c.json({ ok: true as const, saved: true, settings }, 200);
    },
    (result) => {
      if (!result.success) refuse("setting_refused", explainIssues(result.error));
    },
  );
}
