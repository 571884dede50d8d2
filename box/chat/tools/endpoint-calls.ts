// Tools that run somewhere on the internet: signed HTTPS requests, to public addresses only.

import { Agent, request as httpsRequest, type RequestOptions } from "node:https";
import type { IncomingMessage } from "node:http";
import { limits } from "../../../contract/limits.ts";
import { boundedJson, boundedText, interruptedCall, tooLate } from "./content.ts";
import {
  ForbiddenAddressError,
  guardedLookup,
  mayConnect,
  UnknownNameError,
  type AddressOptions,
} from "./public-address.ts";
import { signatureOf } from "./signature.ts";

/** A character is at most four bytes of UTF-8: what lies behind cannot be among the characters that are kept. */
const readBytes = limits.toolResultChars * 4;
/** Shorter than most servers keep an idle connection: one that is gone already would fail a call. */
const idleMs = 4_000;

/** What went wrong, for the log; never an address, a body or somebody else's words. */
export type EndpointFault =
  | "address"
  | "name"
  | "network"
  | "certificate"
  | "timeout"
  | "interrupted"
  | "redirect"
  | "status"
  | "content";

/** A call that brought nothing; the message is for the model to read. */
export class EndpointError extends Error {
  readonly fault: EndpointFault;
  readonly status: number | null;

  constructor(fault: EndpointFault, message: string, status: number | null = null) {
    super(message);
    this.name = "EndpointError";
    this.fault = fault;
    this.status = status;
  }
}

export interface EndpointCall {
  endpoint: string;
  tool: string;
  arguments: Record<string, unknown>;
  sessionId: string | null;
  correlationId: string | null;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface EndpointCallsOptions extends AddressOptions {
  signingSecret: string;
  /** Certificate authorities to trust instead of the usual ones. */
  ca?: string;
}

export class EndpointCalls {
  readonly #options: EndpointCallsOptions;
  readonly #agent: Agent;
  /** What ends the calls that are under way. */
  readonly #underWay = new Set<AbortController>();
  #closed = false;

  constructor(options: EndpointCallsOptions) {
    this.#options = options;
    // No proxy is asked: it would resolve names by itself. Redirects are followed by nobody here.
    this.#agent = new Agent({
      keepAlive: true,
      timeout: idleMs,
      maxFreeSockets: 8,
      lookup: guardedLookup(options),
      rejectUnauthorized: true,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
  }

  /** The answer as text for the model. Rejects with EndpointError. */
  async call(call: EndpointCall): Promise<string> {
    const url = URL.parse(call.endpoint);
    if (url?.protocol !== "https:" || !mayConnect(url.hostname, this.#options)) throw forbidden();
    // A controller of its own, let go of afterwards: signals combined with one that lives on are kept for as long.
    const stop = new AbortController();
    const interrupt = () => stop.abort();
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      stop.abort();
    }, call.timeoutMs);
    call.signal.addEventListener("abort", interrupt, { once: true });
    if (call.signal.aborted || this.#closed) interrupt();
    this.#underWay.add(stop);
    try {
      return await this.#exchange(url, call, stop.signal);
    } catch (error) {
      if (late) throw new EndpointError("timeout", tooLate(call.timeoutMs));
      if (stop.signal.aborted) throw new EndpointError("interrupted", interruptedCall);
      throw error instanceof EndpointError ? error : described(error);
    } finally {
      clearTimeout(timer);
      call.signal.removeEventListener("abort", interrupt);
      this.#underWay.delete(stop);
    }
  }

  /** Calls under way. */
  get size(): number {
    return this.#underWay.size;
  }

  /** Ends what is under way, and the connections that are kept. */
  close(): void {
    this.#closed = true;
    for (const stop of this.#underWay) stop.abort();
    this.#agent.destroy();
  }

  #exchange(url: URL, call: EndpointCall, signal: AbortSignal): Promise<string> {
    const body = JSON.stringify({
      tool: call.tool,
      arguments: call.arguments,
      session_id: call.sessionId,
      correlation_id: call.correlationId,
    });
    const options: RequestOptions = {
      agent: this.#agent,
      method: "POST",
      signal,
      headers: {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        "X-Signature": signatureOf({ body, secret: this.#options.signingSecret, nowMs: Date.now() }),
        Accept: "application/json, text/*;q=0.9",
        "Accept-Encoding": "identity",
        "User-Agent": "visavis",
      },
    };
    return new Promise((resolve, reject) => {
      // An abort is not waited for: a request that has no connection yet notices it late.
      if (signal.aborted) throw new Error("aborted");
      signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
      const sent = httpsRequest(url, options, (response) => {
        readAnswer(response).then(resolve, (error: unknown) => {
          sent.destroy();
          reject(error);
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  const status = response.statusCode ?? 0;
  if (status >= 300 && status < 400)
    throw new EndpointError("redirect", "The tool answered with a redirect, which is not followed.", status);
  if (status < 200 || status >= 300)
    throw new EndpointError("status", `The tool answered with status ${status}.`, status);
  const encoding = response.headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") throw unreadable();
  const { bytes, goesOn } = await readUpTo(response, readBytes);
  const type = (response.headers["content-type"] ?? "").toLowerCase();
  const text = decode(bytes, goesOn);
  if (goesOn || !/^[^;]*[/+]json\b/.test(type) || text.trim() === "") return boundedText(text, { goesOn });
  return boundedJson(parse(text)) ?? unreadableJson();
}

/** Leaving the loop early ends the response, and the connection with it. */
async function readUpTo(
  source: AsyncIterable<Buffer>,
  most: number,
): Promise<{ bytes: Buffer; goesOn: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) return { bytes: Buffer.concat(chunks).subarray(0, most), goesOn: true };
  }
  return { bytes: Buffer.concat(chunks), goesOn: false };
}

/** Where the bytes were cut, the character cut in two is left out. */
function decode(bytes: Buffer, goesOn: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: goesOn });
  } catch {
    throw unreadable();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return unreadableJson();
  }
}

function unreadableJson(): never {
  throw new EndpointError("content", "The tool's answer is not valid JSON.");
}

const unreadable = () => new EndpointError("content", "The tool's answer is not text.");

const forbidden = () => new EndpointError("address", "The tool's address is not on the public internet.");

/** Failures of TLS have codes of many beginnings; those of certificates are told apart by these. */
const certificateFault = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/;

function described(error: unknown): EndpointError {
  if (error instanceof ForbiddenAddressError) return forbidden();
  if (error instanceof UnknownNameError)
    return new EndpointError("name", "The tool's address could not be found.");
  const code = String((error as NodeJS.ErrnoException | null)?.code ?? "");
  if (certificateFault.test(code))
    return new EndpointError("certificate", "The tool's server could not prove who it is.");
  return new EndpointError("network", "The tool could not be reached.");
}
