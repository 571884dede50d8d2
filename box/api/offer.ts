// Going live with something to say: a session as `/connect` opens it, and a sound file that it speaks.

import { Hono } from "hono";
import { offerRequestSchema } from "../../contract/live.ts";
import { speakFile } from "../audios/spoken-file.ts";
import { describeError } from "../ops/log.ts";
import type { Services } from "../services.ts";
import { readJson } from "./body.ts";
import { connectAnswer, goLive } from "./connect.ts";
import { callerOf, type BoxEnv } from "./env.ts";

export function offerRoutes(services: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();
  const { audios, hub } = services;

  app.post("/offer", async (c) => {
    const caller = callerOf(c);
    const { audio, ...request } = await readJson(c, offerRequestSchema);
    // Open before anybody is sent away for it: it cannot go missing any more.
    const sound = await audios.open(caller.account, audio);
    try {
      const live = await goLive(services, caller, { ...request, signal: c.req.raw.signal });
      const log = c.get("log");
      void speakFile({ session: live.session, sound, hub, log }).catch((error: unknown) =>
        log.error(describeError(error), "a sound file could not be spoken"),
      );
      return c.json(connectAnswer(services, live));
    } catch (error) {
      await sound.close();
      throw error;
    }
  });

  return app;
}
