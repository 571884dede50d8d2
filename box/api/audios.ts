// Sound files to speak: taken in, listed.

import { Hono } from "hono";
import type { Services } from "../services.ts";
import type { BoxEnv } from "./env.ts";

export function audioRoutes(_services: Services): Hono<BoxEnv> {
  return new Hono<BoxEnv>();
}
