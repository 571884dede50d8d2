import { Hono } from "hono";
import { settingsPatchSchema } from "../../contract/settings.ts";
import { describeIssue } from "../issues.ts";
import type { Services } from "../services.ts";
import { readObject } from "./body.ts";
import { callerOf, type BoxEnv } from "./env.ts";

const refusal = (message: string) => ({ ok: false, error: { code: "setting_refused", message } }) as const;

/** The caller's settings, as the portal keeps them; kept here for older clients. */
export function settingsRoutes({ portal }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.get("/api/settings", async (c) => c.json(await portal.settings(callerOf(c).account)));

  app.post("/api/settings", async (c) => {
    const patch = settingsPatchSchema.safeParse(await readObject(c));
    if (!patch.success) return c.json(refusal(describeIssue(patch.error)), 400);
    const saved = await portal.saveSettings(callerOf(c).account, patch.data);
    return saved.ok ? c.json(saved) : c.json(refusal(saved.message), 400);
  });

  return app;
}
