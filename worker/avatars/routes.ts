import { libraryListSchema } from "../../contract/library.ts";
import { toneListSchema } from "../../contract/public.ts";
import { tones } from "../../contract/tones.ts";
import { answers, declareRoute, type PortalApp } from "../platform/portal.ts";
import { readLibrary } from "./avatars.ts";

const list = declareRoute("portal", {
  method: "get",
  path: "/auth/avatars",
  responses: { 200: answers(libraryListSchema, "The caller's own avatars") },
});

const toneList = declareRoute("portal", {
  method: "get",
  path: "/auth/avatars/tones",
  responses: { 200: answers(toneListSchema, "The emotion vocabulary") },
});

const publicToneList = declareRoute("any", {
  method: "get",
  path: "/v1/public/tones",
  responses: { 200: answers(toneListSchema, "The emotion vocabulary") },
});

export function mountAvatars(app: PortalApp): void {
  app.openapi(list, async (c) =>
    c.json({ avatars: await readLibrary(c.var.env.db, c.var.caller.account) }, 200),
  );
  app.openapi(toneList, (c) => c.json({ tones: [...tones] }, 200));
  app.openapi(publicToneList, (c) => c.json({ tones: [...tones] }, 200));
}
