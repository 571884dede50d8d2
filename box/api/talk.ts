// Speaking words as they are, and stopping.

import { Hono } from "hono";
import { talkRequestSchema } from "../../contract/chat.ts";
import type { Services } from "../services.ts";
import { readJson } from "./body.ts";
import { callerOf, type BoxEnv } from "./env.ts";

export function talkRoutes({ turns }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.post("/api/talk", async (c) => {
    const { text, content, voice, tone } = await readJson(c, talkRequestSchema);
    const spoken = (text ?? content ?? "").toWellFormed();
    const caller = callerOf(c);
    const { failure } = await turns.talk({ caller, content: spoken, voice, tone, correlationId: null });
    if (failure) throw failure;
    return c.json({ ok: true, spoken });
  });

  // What is named here is what ran when the request came in: looking the caller up may take longer than a turn.
  app.post("/api/interrupt", async (c) => {
    await turns.interrupt(callerOf(c).account, { sight: c.get("sight") });
    return c.json({ ok: true });
  });

  return app;
}
