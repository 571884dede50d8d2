// What the portal asks of whoever runs a model: one tiny request, judged by its status alone.

import { readTextWithin } from "../../platform/body.ts";

/**
 * - `accepted`: the model answered.
 * - `refused`: the request itself is invalid for this model.
 * - `no_access`, `not_found`, `rate_limited`: the account may not use it, it does not exist there, or not just now.
 * - `unreachable`: no answer in time, or one that says nothing about the model.
 */
export type Verdict = "accepted" | "refused" | "no_access" | "not_found" | "rate_limited" | "unreachable";

/** A Messages request without the model's id, which each host carries its own way. */
export interface ProbeBody {
  max_tokens: number;
  messages: readonly { role: "user"; content: string }[];
  [parameter: string]: unknown;
}

export interface ModelHost {
  /** Never throws. The upstream's words are read for their kind alone and go nowhere. */
  ask(model: string, body: ProbeBody, signal: AbortSignal): Promise<Verdict>;
}

const kinds: Readonly<Record<number, Verdict>> = {
  401: "no_access",
  403: "no_access",
  404: "not_found",
  429: "rate_limited",
};

/** Error bodies are a few hundred bytes long. */
const errorBytes = 16 * 1024;

/** Judges a response; `isInvalidRequest` is asked about the body of a 400, which other servers send for other reasons. */
export async function judge(
  response: Response,
  isInvalidRequest: (body: unknown) => boolean,
): Promise<Verdict> {
  if (response.status !== 400) {
    await response.body?.cancel();
    return response.ok ? "accepted" : (kinds[response.status] ?? "unreachable");
  }
  const text = await readTextWithin(response, errorBytes);
  if (!response.bodyUsed) await response.body?.cancel();
  try {
    return isInvalidRequest(JSON.parse(text ?? "")) ? "refused" : "unreachable";
  } catch {
    return "unreachable";
  }
}

/** The text of a field, however deep, or the empty string. */
export function textAt(value: unknown, ...path: string[]): string {
  const [name, ...rest] = path;
  if (name === undefined) return typeof value === "string" ? value : "";
  return typeof value === "object" && value !== null
    ? textAt((value as Record<string, unknown>)[name], ...rest)
    : "";
}
