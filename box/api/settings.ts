import { Hono } from "hono";
import { settingsPatchSchema } from "../../contract/settings.ts";
import { limits } from "../../contract/limits.ts";
import { Refusal } from "../failure.ts";
import { describeIssue } from "../issues.ts";
import type { Services } from "../services.ts";
import { readText } from "./body.ts";
import { callerOf, type BoxEnv } from "./env.ts";

const refusal = (message: string) => ({ ok: false, error: { code: "setting_refused", message } }) as const;

/** The caller's settings, as the portal keeps them; kept here for older clients. */
export function settingsRoutes({ portal }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.get("/api/settings", async (c) => c.json(await portal.settings(callerOf(c).account)));

  app.post("/api/settings", async (c) => {
    const text = await readText(c, limits.jsonBodyBytes);
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw new Refusal("invalid_body", "The body is not JSON.");
    }
    if (typeof body !== "object" || body === null || Array.isArray(body))
      throw new Refusal("invalid_body", "The body must be a JSON object.");
    const patch = settingsPatchSchema.safeParse(body);
    if (!patch.success) return c.json(refusal(describeIssue(patch.error)), 400);
    const saved = await portal.saveSettings(callerOf(c).account, patch.data);
    return saved.ok ? c.json(saved) : c.json(refusal(saved.message), 400);
  });

  return app;
}
