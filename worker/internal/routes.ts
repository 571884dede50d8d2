import {
  heartbeatAnswerSchema,
  heartbeatSchema,
  lookupAnswerSchema,
  lookupRequestSchema,
} from "../../contract/internal/boxes.ts";
import {
  internalSettingsReadSchema,
  settingsReadRequestSchema,
  settingsSaveRequestSchema,
} from "../../contract/internal/settings.ts";
import { settingsRefusedSchema, settingsSavedSchema } from "../../contract/settings.ts";
import type { PortalContext } from "../platform/context.ts";
import { refuse, unwrap } from "../platform/errors.ts";
import { answers, declareRoute, explainIssues, takes, type PortalApp } from "../platform/portal.ts";
import { readSettings, saveSettings, type SettingsScope } from "../settings/settings.ts";
import { answerHeartbeat, lookUpCredential } from "./internal.ts";

const heartbeat = declareRoute("box", {
  method: "post",
  path: "/internal/heartbeat",
  request: { body: takes(heartbeatSchema) },
  responses: { 200: answers(heartbeatAnswerSchema, "Drain orders and what was revoked since the last one") },
});

const lookup = declareRoute("box", {
  method: "post",
  path: "/internal/credentials/lookup",
  request: { body: takes(lookupRequestSchema) },
  responses: { 200: answers(lookupAnswerSchema, "The live credential of a digest") },
});

const settingsRead = declareRoute("box", {
  method: "post",
  path: "/internal/settings/read",
  request: { body: takes(settingsReadRequestSchema) },
  responses: { 200: answers(internalSettingsReadSchema, "An account's settings") },
});

const settingsSave = declareRoute("box", {
  method: "post",
  path: "/internal/settings/save",
  request: { body: takes(settingsSaveRequestSchema) },
  responses: {
    200: answers(settingsSavedSchema, "The whole record after the write"),
    400: answers(settingsRefusedSchema, "Nothing was saved"),
  },
});

function settingsOf({ var: { env } }: PortalContext, account: string): SettingsScope {
  return { env, account, facts: null };
}

export function mountInternal(app: PortalApp): void {
  app.openapi(heartbeat, async (c) =>
    c.json(await answerHeartbeat(c.var.env.db, c.var.boxId, c.req.valid("json")), 200),
  );

  app.openapi(lookup, async (c) =>
    c.json(await lookUpCredential(c.var.env.db, c.req.valid("json").digest), 200),
  );

  app.openapi(settingsRead, async (c) => {
    const { account } = c.req.valid("json");
    const scope = settingsOf(c, account);
    return c.json(unwrap(await readSettings(scope)), 200);
  });

  app.openapi(
    settingsSave,
    async (c) => {
      const { account, patch } = c.req.valid("json");
      const scope = settingsOf(c, account);
      const settings = unwrap(await saveSettings(scope, patch));
      return c.json({ ok: true as const, saved: true, settings }, 200);
    },
    (result) => {
      if (result.success) return;
      const inPatch = result.error.issues.every((issue) => issue.path[0] === "patch");
      refuse(inPatch ? "setting_refused" : "invalid_body", explainIssues(result.error));
    },
  );
}
