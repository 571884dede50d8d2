import { Hono } from "hono";
import { Refusal } from "../failure.ts";
import type { Services } from "../services.ts";
import type { BoxEnv } from "./env.ts";

/** Stream-only tokens are minted by the portal; a box's own host can only say why it does not. */
export function tokenRoutes({ access }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  app.post("/v1/streaming.create_token", () => {
    throw access.open
      ? new Refusal(
          "auth_disabled",
          "This box takes requests without credentials, so there is nothing to mint.",
        )
      : new Refusal("mint_failed", "This box keeps no key table to write a token to.");
  });

  return app;
}
