// A photograph, its avatar and all its clips in one request.

import { Hono } from "hono";
import type { Services } from "../services.ts";
import type { BoxEnv } from "./env.ts";

export function photoAvatarRoutes(_services: Services): Hono<BoxEnv> {
  return new Hono<BoxEnv>();
}
