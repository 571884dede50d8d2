// Joining and leaving rooms, under both spellings of the prefix.

import { Hono } from "hono";
import { roomLeaveRequestSchema, roomPrefixes } from "../../contract/rooms.ts";
import { Refusal } from "../failure.ts";
import { describeIssue } from "../issues.ts";
import type { Services } from "../services.ts";
import { readObject } from "./body.ts";
import { callerOf, type BoxEnv } from "./env.ts";

export function roomRoutes({ rooms, ownership }: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();

  for (const prefix of roomPrefixes) {
    app.post(`${prefix}/join`, async (c) =>
      c.json(await rooms.join(callerOf(c), await readObject(c), c.req.raw.signal)),
    );

    app.post(`${prefix}/leave`, async (c) => {
      const caller = callerOf(c);
      ownership.require(caller);
      const checked = roomLeaveRequestSchema.safeParse(await readObject(c, { empty: {} }));
      if (!checked.success) throw new Refusal("rtc_bad_request", describeIssue(checked.error));
      return c.json(await rooms.leave(caller, checked.data.room_name?.trim() || null));
    });

    app.get(`${prefix}/status`, (c) =>
      c.json(rooms.status(callerOf(c), c.req.query("avatar")?.trim() || undefined)),
    );

    app.get(`${prefix}/readiness`, async (c) => c.json(await rooms.readiness()));
  }

  return app;
}
