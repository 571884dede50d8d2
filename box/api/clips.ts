// Clips of delivery tones: listed, built again, played.

import { Hono } from "hono";
import type { Services } from "../services.ts";
import type { BoxEnv } from "./env.ts";

export function clipRoutes(_services: Services): Hono<BoxEnv> {
  return new Hono<BoxEnv>();
}
