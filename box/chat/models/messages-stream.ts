// Asks a model through the Messages API and reads its reply as it streams in, whoever hosts the model.

import { setTimeout as sleep } from "node:timers/promises";
import { Stream } from "@anthropic-ai/sdk/core/streaming";
import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages";
import { endedEarly, explain, isPassing, notAStream, StreamError } from "./messages-failure.ts";
import { MessagesReply } from "./messages-reply.ts";
import { CarriedContent, messagesRequest } from "./messages-request.ts";
import { ModelError, type ModelPiece, type ModelRequest } from "./model.ts";
import { Patience, type PatienceLimits } from "./patience.ts";

/** As much of an SDK's client as is needed here. */
export interface MessagesClient {
  messages: {
    create(
      body: MessageCreateParamsStreaming,
      options: { signal: AbortSignal },
    ): { asResponse(): Promise<Response> };
  };
}

/** The SDK repeats 408, 409, 429 and 5xx answers, overload (529) among them, as `Retry-After` says. */
export const maxRetries = 2;
/** A person on a call waits no longer than this for a second try; a host that asks for more is given up at once. */
const longestRetryMs = 10_000;
/** Streams that break before their first words are asked for again so often. */
const brokenStreamRetries = 2;
const brokenStreamPauseMs = 250;
/** A reply that pauses is continued so often. */
const continuations = 3;

function retryAfterMs(headers: Headers): number {
  const milliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  const header = headers.get("retry-after") ?? "";
  const seconds = Number(header);
  const waitMs = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return waitMs > 0 ? waitMs : 0;
}

/** For the SDK, which would otherwise wait for as long as the host says. */
export const impatientFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.ok || retryAfterMs(response.headers) <= longestRetryMs) return response;
  const headers = new Headers(response.headers);
  headers.set("x-should-retry", "false");
  return new Response(response.body, { status: response.status, headers });
};

/** Reads one event; null when it is none that matters here. Throws StreamError. */
function readEvent(
  name: string | null,
  data: string,
  requestId: string | null,
): RawMessageStreamEvent | null {
  if (name === null || name === "ping" || (data === "" && name !== "error")) return null;
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    throw new StreamError(name === "error" ? "error" : notAStream, requestId);
  }
  if (name === "error") {
    const kind = (event as { error?: { type?: unknown } } | null)?.error?.type;
    throw new StreamError(typeof kind === "string" ? kind : "error", requestId);
  }
  if (typeof event !== "object" || event === null) throw new StreamError(notAStream, requestId);
  return event as RawMessageStreamEvent;
}

/** The words of an event. Throws StreamError for one that lacks what its kind has. */
function takeIn(reply: MessagesReply, event: RawMessageStreamEvent, requestId: string | null): string {
  try {
    return reply.push(event);
  } catch {
    throw new StreamError(notAStream, requestId);
  }
}

interface Round {
  client: MessagesClient;
  body: MessageCreateParamsStreaming;
  signal: AbortSignal;
  limits: PatienceLimits;
  reply: MessagesReply;
}

/** One request: its words as they come, everything else into `reply`. Ends early on an abort. */
async function* readRound({ client, body, signal, limits, reply }: Round): AsyncGenerator<string> {
  const hangUp = new AbortController();
  const patience = new Patience(limits, () => hangUp.abort());
  let requestId: string | null = null;
  let answered = false;
  try {
    patience.progress();
    const either = AbortSignal.any([signal, hangUp.signal]);
    const response = await client.messages.create(body, { signal: either }).asResponse();
    answered = true;
    requestId = response.headers.get("request-id") ?? response.headers.get("x-amzn-requestid");
    for await (const { event: name, data } of Stream.rawEvents(response, hangUp)) {
      if (signal.aborted) return;
      const event = readEvent(name, data, requestId);
      if (!event) {
        patience.life();
        continue;
      }
      patience.progress();
      const words = takeIn(reply, event, requestId);
      if (words === "") continue;
      // Whoever takes the words may take their time.
      patience.pause();
      yield words;
      patience.progress();
    }
    // A connection that closes politely in the middle looks like an end.
    if (!reply.complete || patience.lost) throw new StreamError(endedEarly, requestId);
  } catch (error) {
    if (signal.aborted) return;
    if (patience.lost) throw new ModelError("The model took too long to answer.");
    // Whatever else breaks a stream that had begun is its connection.
    throw answered && !(error instanceof StreamError) ? new StreamError(endedEarly, requestId) : error;
  } finally {
    patience.pause();
    hangUp.abort();
  }
}

const wordless: Record<string, string> = {
  refusal: "The model declined to answer this.",
  max_tokens: "The model reached its limit before it said anything.",
  model_context_window_exceeded: "The conversation is too long for the model.",
};

/** The tools of a reply that came to its end. A reply that was cut short keeps its words and calls nothing. */
function toolPieces(
  reply: MessagesReply,
  before: readonly ContentBlockParam[],
  spoke: boolean,
): ModelPiece[] {
  const { uses, broken } = reply.toolUses();
  const reason = reply.stopReason ?? "";
  const cutShort = reason in wordless;
  if (cutShort && !spoke) throw new ModelError(wordless[reason] ?? "The model failed.");
  if (cutShort) return [];
  if (broken) throw new ModelError("The model called a tool in a way that cannot be understood.");
  if (uses.length === 0) return [];
  const carry = new CarriedContent([...before, ...reply.content()]);
  return [...uses.map((use): ModelPiece => ({ case: "tool_use", use })), { case: "carry", carry }];
}

export interface MessagesStreamOptions {
  client: MessagesClient;
  request: ModelRequest;
  limits: PatienceLimits;
}

/** The reply in pieces. Throws ModelError; an abort hangs up and ends it. Words are never repeated. */
export async function* streamMessages({
  client,
  request,
  limits,
}: MessagesStreamOptions): AsyncGenerator<ModelPiece, void, undefined> {
  const { signal } = request;
  const first = messagesRequest(request);
  /** The content of the rounds that paused. */
  const before: ContentBlockParam[] = [];
  let spoke = false;
  let broken = 0;
  for (let round = 0; ; round++) {
    if (signal.aborted) return;
    const asked = before.length === 0 ? [] : [{ role: "assistant" as const, content: [...before] }];
    const body = { ...first, messages: [...first.messages, ...asked] };
    const reply = new MessagesReply();
    try {
      for await (const text of readRound({ client, body, signal, limits, reply })) {
        spoke ||= text.trim() !== "";
        yield { case: "text", text };
      }
      if (signal.aborted) return;
      if (reply.stopReason === "pause_turn" && round < continuations) {
        before.push(...reply.content());
        continue;
      }
      yield* toolPieces(reply, before, spoke);
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (spoke || broken >= brokenStreamRetries || !isPassing(error)) throw explain(error);
      broken++;
      await sleep(brokenStreamPauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
