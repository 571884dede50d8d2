// Every page of the console: where it is, what it is called, and who may see it.

import { type ComponentType, lazy } from "react";
import {
  AvatarsIcon,
  FleetIcon,
  KeysIcon,
  SessionsIcon,
  SettingsIcon,
  StudioIcon,
  VoicesIcon,
} from "../ui/icons.tsx";
import type { PageComponentProps } from "./page-props.ts";

export interface PageEntry {
  path: string;
  label: string;
  icon: ComponentType;
  adminsOnly?: boolean;
  /** Loaded when it is first visited. The studio has none: the shell keeps it, so that a live session goes on. */
  component?: ComponentType<PageComponentProps>;
}

export const studioPage: PageEntry = { path: "/studio", label: "Studio", icon: StudioIcon };

export const pages: readonly PageEntry[] = [
  studioPage,
  {
    path: "/avatars",
    label: "Avatars",
    icon: AvatarsIcon,
    component: lazy(async () => ({ default: (await import("../avatars/page.tsx")).AvatarsPage })),
  },
  {
    path: "/sessions",
    label: "Sessions",
    icon: SessionsIcon,
    component: lazy(async () => ({ default: (await import("../sessions/page.tsx")).SessionsPage })),
  },
  {
    path: "/voices",
    label: "Voices",
    icon: VoicesIcon,
    component: lazy(async () => ({ default: (await import("../voices/page.tsx")).VoicesPage })),
  },
  {
    path: "/keys",
    label: "Keys",
    icon: KeysIcon,
    component: lazy(async () => ({ default: (await import("../keys/page.tsx")).KeysPage })),
  },
  {
    path: "/settings",
    label: "Settings",
    icon: SettingsIcon,
    component: lazy(async () => ({ default: (await import("../settings/page.tsx")).SettingsPage })),
  },
  {
    path: "/fleet",
    label: "Fleet",
    icon: FleetIcon,
    adminsOnly: true,
    component: lazy(async () => ({ default: (await import("../fleet/page.tsx")).FleetPage })),
  },
];

export interface PageMatch {
  page: PageEntry;
  rest: string;
}

/** The page at a path; null when there is none, or none for this person. */
export function matchPage(path: string, { admin }: { admin: boolean }): PageMatch | null {
  if (path === "/") return { page: studioPage, rest: "" };
  const [first = "", ...others] = path.split("/").filter((part) => part !== "");
  const page = pages.find((candidate) => candidate.path === `/${first}`);
  if (!page || (page.adminsOnly && !admin)) return null;
  const rest = others.join("/");
  // The studio has nothing below it.
  return page === studioPage && rest !== "" ? null : { page, rest };
}
