// What the tables of routes are made of.

import type { z } from "zod";
import type { PolicyName } from "./policies.ts";

/** Things of the owner's that paths name. */
export interface Owned {
  avatar: string;
  session: string;
  portrait: string;
}

export type Answer = { status: number; schema: z.ZodType } | { status: number; code: string };

export interface Route {
  method: string;
  /** As the OpenAPI document writes it. */
  template: string;
  policy: PolicyName;
  path?: (owned: Owned) => string;
  body?: unknown;
  /** What whoever is let in gets. */
  answer: Answer;
  /** What a caller who is let in gets of somebody else's resource; the same as of one that never existed. */
  foreign?: { status: number; code: string };
}

export const ok = (status: number, schema: z.ZodType): Answer => ({ status, schema });
export const no = (status: number, code: string) => ({ status, code });

export const nobody = "nobody-has-this";
export const zeros = "0".repeat(64);
