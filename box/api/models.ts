// Model readiness as this box sees it; kept for older clients.

import { Hono } from "hono";
import type { Services } from "../services.ts";
import type { BoxEnv } from "./env.ts";

export function modelRoutes(_services: Services): Hono<BoxEnv> {
  return new Hono<BoxEnv>();
}
