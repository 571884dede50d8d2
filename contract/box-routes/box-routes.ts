// Every route of a box, as its callers see it. The policy of each is `boxPolicy`'s; the portal describes them in its OpenAPI
// document, and a test of the box holds this table against the routes it serves.

import { avatarRoutes } from "./avatars.ts";
import { chatRoutes } from "./chat.ts";
import { liveRoutes } from "./live.ts";
import { roomRoutes } from "./rooms.ts";
import type { BoxRoute } from "./route.ts";
import { settingsRoutes } from "./settings.ts";
import { voiceRoutes } from "./voices.ts";

export type { BoxBody, BoxRoute } from "./route.ts";

export const boxRoutes: BoxRoute[] = [
  ...liveRoutes,
  ...roomRoutes,
  ...chatRoutes,
  ...voiceRoutes,
  ...avatarRoutes,
  ...settingsRoutes,
];
