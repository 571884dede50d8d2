// What a request carries with it through the portal.

import type { Context } from "hono";
import type { Caller } from "../access/caller.ts";
import type { Bindings, Env } from "./env.ts";

export interface Portal {
  Bindings: Bindings;
  Variables: {
    env: Env;
    requestId: string;
    /** Set by every policy but `public` and `box`. */
    caller: Caller;
    /** What the route's read along with the look-up came to; null where there is none, or it could not be read. */
    along: string | null;
    /** Id of the box that is speaking; set by the policy `box`. */
    boxId: string;
  };
}

export type PortalContext = Context<Portal>;
