// A service that is asked about every message and clause.

import { z } from "zod";
import type { Log } from "../../ops/log.ts";
import { signatureOf } from "../tools/signature.ts";
import type { Screened } from "./screen.ts";

const answerWithinMs = 1_500;
const largestAnswerBytes = 128 * 1024;
/** After so many failures in a row the service is left alone for a while: a reply would wait for each of them. */
const failuresInARow = 3;
const leftAloneMs = 10_000;

const answerSchema = z.object({ allowed: z.boolean(), text: z.string().max(40_000).optional() });

/** For the log. */
type Fault = "timeout" | "network" | "status" | "content" | "left alone";

class ServiceFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault);
    this.fault = fault;
  }
}

export interface ModerationServiceOptions {
  url: string;
  /** Signs every question; null: they are not signed. */
  secret: string | null;
  onFailure: "allow" | "remove";
  log: Log;
  answerWithinMs?: number;
  leftAloneMs?: number;
}

export class ModerationService {
  readonly #options: ModerationServiceOptions;
  #failures = 0;
  #leftAloneUntilMs = 0;

  constructor(options: ModerationServiceOptions) {
    this.#options = options;
  }

  /** Never rejects. A question that is not wanted any more comes out empty. */
  async screen(role: "user" | "persona", text: string, signal: AbortSignal): Promise<Screened> {
    const { onFailure, log } = this.#options;
    try {
      const answer = await this.#ask(role, text, signal);
      this.#failures = 0;
      if (!answer.allowed) return { text: "", reason: "service" };
      const kept = answer.text ?? text;
      return { text: kept, reason: kept === text ? null : "service" };
    } catch (error) {
      if (signal.aborted) return { text: "", reason: null };
      const fault = error instanceof ServiceFault ? error.fault : "network";
      if (fault !== "left alone") {
        log.warn({ fault, onFailure }, "the moderation service did not answer");
        if (++this.#failures >= failuresInARow)
          this.#leftAloneUntilMs = performance.now() + (this.#options.leftAloneMs ?? leftAloneMs);
      }
      return onFailure === "allow" ? { text, reason: null } : { text: "", reason: "service unavailable" };
    }
  }

  async #ask(role: string, text: string, signal: AbortSignal): Promise<z.infer<typeof answerSchema>> {
    if (performance.now() < this.#leftAloneUntilMs) throw new ServiceFault("left alone");
    const { url, secret } = this.#options;
    const body = JSON.stringify({ role, text });
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#options.answerWithinMs ?? answerWithinMs);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(secret === null ? {} : { "X-Signature": signatureOf({ body, secret, nowMs: Date.now() }) }),
        },
        body,
        // A redirect would take the words elsewhere.
        redirect: "error",
        signal: AbortSignal.any([signal, late.signal]),
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new ServiceFault("status");
      }
      const answer = answerSchema.safeParse(parse(await bounded(response)));
      if (!answer.success) throw new ServiceFault("content");
      return answer.data;
    } catch (error) {
      throw late.signal.aborted ? new ServiceFault("timeout") : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceFault("content");
  }
}

async function bounded(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    // Leaving the loop cancels the rest.
    if (bytes > largestAnswerBytes) throw new ServiceFault("content");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
