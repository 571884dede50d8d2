import type { Context } from "hono";
import type { Caller } from "../access/caller.ts";
import type { Sight } from "../live/turns.ts";
import type { Log } from "../ops/log.ts";

export interface BoxEnv {
  Variables: {
    requestId: string;
    log: Log;
    /** Null on public routes. */
    caller: Caller | null;
    /** What ran when the request came in. */
    sight: Sight;
  };
}

export type BoxContext = Context<BoxEnv>;

/** Who is asking, on a route that is not public. */
export function callerOf(c: BoxContext): Caller {
  const caller = c.get("caller");
  if (!caller) throw new Error(`${c.req.path} is public and has no caller.`);
  return caller;
}
