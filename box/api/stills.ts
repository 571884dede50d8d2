// Seated stills: started, polled, fetched.

import { Hono } from "hono";
import type { Services } from "../services.ts";
import type { BoxEnv } from "./env.ts";

export function stillRoutes(_services: Services): Hono<BoxEnv> {
  return new Hono<BoxEnv>();
}
