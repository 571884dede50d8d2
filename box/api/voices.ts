// The voice catalogue, samples, and voices of one's own.

import { Hono } from "hono";
import type { Services } from "../services.ts";
import type { BoxEnv } from "./env.ts";

export function voiceRoutes(_services: Services): Hono<BoxEnv> {
  return new Hono<BoxEnv>();
}
