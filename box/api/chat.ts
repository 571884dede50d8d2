// One turn over HTTP, as a single answer or as a stream of lines.

import { Hono } from "hono";
import { parseAccept } from "hono/utils/accept";
import {
  chatRequestSchema,
  type ChatFrame,
  type ChatRequest,
  type ChatStatus,
  type LiveReply,
  type RecordedReply,
} from "../../contract/chat.ts";
import type { Settings } from "../../contract/settings.ts";
import type { Refusal } from "../failure.ts";
import { faceOf, tonesOf } from "../live/faces.ts";
import type { LiveSession } from "../live/session.ts";
import { abortable } from "../chat/abortable.ts";
import type { Clause } from "../chat/speech.ts";
import { complain, turnFailure } from "../live/failure.ts";
import type { PreparedMessage, Recorder, TurnObserver } from "../live/turn.ts";
import type { Services } from "../services.ts";
import type { EngineState, Pcm } from "../voices/voice.ts";
import { readJson } from "./body.ts";
import { callerOf, type BoxContext, type BoxEnv } from "./env.ts";
import { streamFrames } from "./ndjson.ts";

/** By the `Accept` header among other media types, or by `stream` being the boolean true and nothing like it. */
function wantsStream(c: BoxContext, { stream }: ChatRequest): boolean {
  if (stream === true) return true;
  const accepted = parseAccept(c.req.header("accept") ?? "");
  return accepted.some(({ type, q }) => type.toLowerCase() === "application/x-ndjson" && q > 0);
}

export function chatRoutes(services: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();
  const { audios, ears, faces, models, ownership, portal, slot, turns, voices } = services;

  /** The turn spoken into the live session. */
  async function live(
    prepared: PreparedMessage,
    { session, voice }: NonNullable<PreparedMessage["live"]>,
    observer?: TurnObserver,
  ): Promise<LiveReply | { failure: Refusal; interrupted: boolean }> {
    const { reply, tone, tools, interrupted, failure } = await turns.message(prepared, observer);
    // Words said before something broke are the reply; a persona that only acted gives an empty one.
    if (reply === "" && failure) return { failure, interrupted };
    return {
      reply,
      tone,
      avatar: session.avatar.id,
      tools,
      streamed: true,
      identity: session.avatar.id,
      tones: session.avatar.tones,
      voice_notice: voice.notice,
    };
  }

  /** The turn spoken to a file, for a caller with no live session; it stops when they leave. */
  async function recorded(
    prepared: PreparedMessage,
    body: ChatRequest,
  ): Promise<(left: AbortSignal) => Promise<RecordedReply>> {
    const { settings, request } = prepared;
    const { account } = request.caller;
    const face = faceOf(faces, account, { asked: body.avatar, saved: settings.avatar });
    const own = await voices.of(account, { settings, wishes: [request] });
    const chosen = own.choose(request, null, settings, face?.id ?? null);
    chosen.engine.warm?.(chosen.voice);
    const speech = async function* (
      clauses: AsyncIterable<Clause>,
      signal: AbortSignal,
    ): AsyncGenerator<Pcm> {
      for await (const { text, tone } of clauses) {
        // An engine that does not heed its signal must not hold up the account.
        yield* abortable(chosen.engine.synthesize({ text, tone, voice: chosen.voice, signal }), signal);
      }
    };
    const record: Recorder = (clauses, signal) => audios.save(account, speech(clauses, signal));
    return async (reader) => {
      const { reply, tone, audio } = await turns.record(prepared, { record, reader });
      return {
        reply,
        tone,
        audio,
        identity: face?.id ?? "",
        tones: face ? tonesOf(faces, account, face.id) : ["neutral"],
        voice_notice: chosen.notice,
      };
    };
  }

  app.post("/api/chat", async (c) => {
    ownership.require(callerOf(c));
    const body = await readJson(c, chatRequestSchema);
    const prepared = await turns.prepare({
      caller: ownership.driver(callerOf(c)),
      source: "posted",
      content: body.message,
      avatar: body.avatar,
      voice: body.voice,
      voiceProvider: body.voice_provider,
      correlationId: null,
    });
    const session = prepared.live;
    const turn = session
      ? { case: "live" as const, speak: (observer?: TurnObserver) => live(prepared, session, observer) }
      : { case: "recorded" as const, record: await recorded(prepared, body) };

    if (wantsStream(c, body)) {
      return streamFrames(async (write: (frame: ChatFrame) => void, left) => {
        try {
          if (turn.case === "recorded") {
            write({ type: "reply", ...(await turn.record(left)) });
            return;
          }
          const reply = await turn.speak({
            onClause: ({ text, tone }) => write({ type: "reply_chunk", text, tone }),
            onTool: ({ name, label }) => write({ type: "tool", name, label }),
          });
          if ("failure" in reply)
            write({ type: "error", error: reply.failure.message, interrupted: reply.interrupted });
          else write({ type: "reply", ...reply });
        } catch (error) {
          write({ type: "error", error: complain(c.get("log"), error, "turn failed").message });
        }
      });
    }
    if (turn.case === "recorded") {
      try {
        return c.json(await turn.record(c.req.raw.signal));
      } catch (error) {
        throw turnFailure(error);
      }
    }
    const reply = await turn.speak();
    if (!("failure" in reply)) return c.json(reply);
    return c.json({ error: reply.failure.message, interrupted: reply.interrupted }, 502);
  });

  app.post("/api/chat/reset", async (c) => {
    const conversationId = await turns.reset(callerOf(c).account);
    return c.json({ ok: true, data: { conversation_id: conversationId } });
  });

  /** What the next reply would be spoken with, and whether it can be. */
  async function speech(account: string, settings: Settings, session: LiveSession | null) {
    const own = await voices.of(account, { settings, wishes: [session?.voice ?? null] });
    const builtin = voices.builtin;
    try {
      const chosen = own.choose({}, session?.voice ?? null, settings, session?.avatar.id ?? null);
      return { chosen, engine: chosen.engine, tts: chosen.engine.state() };
    } catch (error) {
      const state = builtin.state();
      // Everything is up, and a voice has to be chosen first.
      const refused: EngineState = { state: "unavailable", detail: turnFailure(error).message };
      return { chosen: null, engine: builtin, tts: state.state === "ready" ? refused : state };
    }
  }

  app.get("/api/chat/status", async (c) => {
    const { account } = callerOf(c);
    const { settings } = await portal.settings(account);
    const session = slot.of(account);
    let llmDetail = "";
    try {
      models.choose(settings, session !== null);
    } catch (error) {
      llmDetail = turnFailure(error).message;
    }
    const { chosen, engine, tts } = await speech(account, settings, session);
    const hears = ears.state().state === "ready";
    const [llm, speaks] = [llmDetail === "", tts.state === "ready"];
    const status: ChatStatus = {
      ready: llm && speaks,
      llm,
      tts: speaks,
      voice: hears,
      transcribe: hears,
      voice_origin: chosen?.origin ?? "box",
      voice_provider: engine.id,
      llm_state: llm ? "ready" : "unavailable",
      tts_state: tts.state,
      llm_detail: llmDetail,
      tts_detail: tts.detail,
      starting: tts.state === "starting",
      voice_notice: chosen?.notice ?? "",
      reason: [llmDetail, speaks ? "" : `Text-to-speech is not configured: ${tts.detail}`]
        .filter(Boolean)
        .join(" "),
    };
    return c.json(status);
  });

  return app;
}
