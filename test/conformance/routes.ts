// Every route of the portal: who may call it, one harmless request, and what that answers to whoever is let in.

import { accountRoutes } from "./account-routes.ts";
import { avatarRoutes } from "./avatar-routes.ts";
import { boxRoutes } from "./box-routes.ts";
import type { Route } from "./route.ts";
import { sessionRoutes } from "./session-routes.ts";

export const routes: Route[] = [...accountRoutes, ...avatarRoutes, ...sessionRoutes, ...boxRoutes];
