// GET /metrics, for the machine the box runs on and for its operator; to anybody else there is no such path.

import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";
import type { Access } from "../access/access.ts";
import { presentedSecret } from "../access/access.ts";
import { isLoopback } from "../config.ts";
import { Refusal } from "../failure.ts";
import type { Services } from "../services.ts";
import type { BoxContext, BoxEnv } from "./env.ts";

/** Behind a proxy of the same machine everybody comes from it, and a page in its browser is nobody's tool. */
const signsOfOthers = [
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-real-ip",
  "via",
  "cf-connecting-ip",
  "origin",
  "sec-fetch-site",
];

function fromThisMachine(c: BoxContext): boolean {
  const { address = "" } = getConnInfo(c).remote;
  if (signsOfOthers.some((name) => c.req.header(name) !== undefined)) return false;
  return isLoopback(address.replace(/^::ffff:/i, ""));
}

async function fromOperator(c: BoxContext, access: Access): Promise<boolean> {
  if (access.open) return false;
  const header = (name: string) => c.req.header(name);
  const secret = presentedSecret({ method: "GET", url: new URL(c.req.url), header, upgrade: false });
  return secret !== null && ((await access.identify(secret))?.operator ?? false);
}

export function metricsRoutes({ access, metrics }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.get("/metrics", async (c) => {
    if (!fromThisMachine(c) && !(await fromOperator(c, access)))
      throw new Refusal("not_found", "There is no such path.");
    const { contentType } = metrics.registry;
    return c.body(await metrics.registry.metrics(), 200, {
      "Content-Type": contentType,
      "Cache-Control": "no-store",
    });
  });

  return app;
}
