// One turn over HTTP, as a single answer or as a stream of lines.

import { Hono } from "hono";
import {
  chatRequestSchema,
  type ChatFrame,
  type ChatRequest,
  type ChatStatus,
  type LiveReply,
  type RecordedReply,
} from "../../contract/chat.ts";
import { Refusal } from "../failure.ts";
import { faceOf, tonesOf } from "../live/faces.ts";
import type { PreparedMessage } from "../live/turn.ts";
import type { Clause } from "../chat/speech.ts";
import { turnFailure } from "../live/turns.ts";
import { describeError } from "../ops/log.ts";
import type { Services } from "../services.ts";
import type { Pcm } from "../voices/voice.ts";
import { readJson } from "./body.ts";
import { callerOf, type BoxContext, type BoxEnv } from "./env.ts";
import { streamFrames } from "./ndjson.ts";

/** By the `Accept` header among other media types, or by `stream` being the boolean true and nothing like it. */
function wantsStream(c: BoxContext, { stream }: ChatRequest): boolean {
  if (stream === true) return true;
  const accepted = (c.req.header("accept") ?? "").toLowerCase().split(",");
  return accepted.some((type) => type.split(";")[0]?.trim() === "application/x-ndjson");
}

export function chatRoutes(services: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();
  const { faces, models, portal, recordings, slot, turns, voices } = services;

  /** The turn spoken into the live session. */
  async function live(
    prepared: PreparedMessage,
    session: NonNullable<PreparedMessage["live"]>,
    onClause?: (clause: Clause) => void,
  ): Promise<LiveReply | { failure: Refusal; interrupted: boolean }> {
    const { reply, tone, interrupted, failure } = await turns.message(prepared, onClause ? { onClause } : {});
    if (reply === "")
      return { failure: failure ?? new Refusal("model_failed", "There was no reply."), interrupted };
    return {
      reply,
      tone,
      avatar: session.session.avatar.id,
      tools: [],
      streamed: true,
      identity: session.session.avatar.id,
      tones: session.session.avatar.tones,
      voice_notice: session.voice.notice,
    };
  }

  /** The turn spoken to a file, for a caller with no live session. */
  async function recorded(
    c: BoxContext,
    prepared: PreparedMessage,
    body: ChatRequest,
  ): Promise<() => Promise<RecordedReply>> {
    const { account } = prepared.request.caller;
    const { settings } = await portal.settings(account);
    const face = faceOf(faces, account, { asked: body.avatar, saved: settings.avatar });
    if (body.avatar && !face)
      throw new Refusal("unknown_avatar", `There is no avatar ${JSON.stringify(body.avatar)}.`);
    const chosen = voices.choose(prepared.request, null, settings, face?.id ?? null);
    const { signal } = c.req.raw;
    return async () => {
      const said: Clause[] = [];
      const speech = async function* (): AsyncGenerator<Pcm> {
        for await (const clause of turns.written(prepared, signal)) {
          said.push(clause);
          yield* chosen.engine.synthesize({
            text: clause.text,
            tone: clause.tone,
            voice: chosen.voice,
            signal,
          });
        }
        if (said.length === 0) throw new Refusal("model_failed", "The model wrote nothing.");
      };
      const audio = await recordings.save(account, speech());
      return {
        reply: said.map((clause) => clause.text).join(" "),
        tone: said[0]?.tone ?? "neutral",
        audio,
        identity: face?.id ?? "",
        tones: face ? tonesOf(faces, account, face.id) : ["neutral"],
        voice_notice: chosen.notice,
      };
    };
  }

  app.post("/api/chat", async (c) => {
    const body = await readJson(c, chatRequestSchema);
    const prepared = await turns.prepare({
      caller: callerOf(c),
      source: "posted",
      content: body.message,
      avatar: body.avatar,
      voice: body.voice,
      voiceProvider: body.voice_provider,
      correlationId: null,
    });
    const session = prepared.live;
    const record = session ? null : await recorded(c, prepared, body);

    if (wantsStream(c, body)) {
      return streamFrames(async (write: (frame: ChatFrame) => void) => {
        try {
          if (!session) {
            if (record) write({ type: "reply", ...(await record()) });
            return;
          }
          const reply = await live(prepared, session, ({ text, tone }) =>
            write({ type: "reply_chunk", text, tone }),
          );
          if ("failure" in reply)
            write({ type: "error", error: reply.failure.message, interrupted: reply.interrupted });
          else write({ type: "reply", ...reply });
        } catch (error) {
          const failure = turnFailure(error);
          c.get("log").warn(
            { ...describeError(failure.cause ?? failure), code: failure.code },
            "turn failed",
          );
          write({ type: "error", error: failure.message });
        }
      });
    }
    if (record) {
      try {
        return c.json(await record());
      } catch (error) {
        throw turnFailure(error);
      }
    }
    if (!session) throw new Error("A turn is either live or recorded.");
    const reply = await live(prepared, session);
    if (!("failure" in reply)) return c.json(reply);
    return c.json({ error: reply.failure.message, interrupted: reply.interrupted }, 502);
  });

  app.post("/api/chat/reset", async (c) => {
    const conversationId = await turns.reset(callerOf(c).account);
    return c.json({ ok: true, data: { conversation_id: conversationId } });
  });

  app.get("/api/chat/status", async (c) => {
    const { account } = callerOf(c);
    const { settings } = await portal.settings(account);
    const session = slot.of(account);
    const engine = voices.builtin;
    const tts = engine.state();
    let llmDetail = "";
    try {
      models.choose(settings, session !== null);
    } catch (error) {
      llmDetail = turnFailure(error).message;
    }
    let notice = "";
    try {
      notice = voices.choose({}, session?.voice ?? null, settings, null).notice;
    } catch {
      // The state below says what is down.
    }
    const [llm, speaks] = [llmDetail === "", tts.state === "ready"];
    const status: ChatStatus = {
      ready: llm && speaks,
      llm,
      tts: speaks,
      voice: false,
      transcribe: false,
      voice_origin: "box",
      voice_provider: engine.id,
      llm_state: llm ? "ready" : "unavailable",
      tts_state: tts.state,
      llm_detail: llmDetail,
      tts_detail: tts.detail,
      starting: tts.state === "starting",
      voice_notice: notice,
      reason: [llmDetail, speaks ? "" : `Text-to-speech is not configured: ${tts.detail}`]
        .filter(Boolean)
        .join(" "),
    };
    return c.json(status);
  });

  return app;
}
