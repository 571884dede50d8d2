// One route of a box, as its callers see it.

import type { z } from "zod";
import type { Envelope } from "../errors.ts";

/** One way a body may look, by its media type; null for bytes. */
export interface BoxBody {
  type: string;
  schema: z.ZodType | null;
}

export interface BoxRoute {
  method: "get" | "post" | "patch" | "delete";
  /** Parameters in braces. */
  path: string;
  summary: string;
  /** Query parameters by name, with what each means. */
  query?: Record<string, string>;
  body?: BoxBody[];
  status: number;
  /** Empty: no body. */
  answer: BoxBody[];
  /** Further statuses that are no failure in an envelope, with what each means; 206 has the body of the answer. */
  also?: Record<number, string>;
  envelope: Envelope;
  /** Statuses of its failures beside 401 and 500. */
  failures: number[];
}

export const json = (schema: z.ZodType): BoxBody[] => [{ type: "application/json", schema }];
export const form = (schema: z.ZodType): BoxBody[] => [{ type: "multipart/form-data", schema }];
export const bytes = (type: string): BoxBody => ({ type, schema: null });
