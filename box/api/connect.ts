// Going live: signalling as JSON and as WHEP, and the end of a session.

import { Hono } from "hono";
import { limits } from "../../contract/limits.ts";
import {
  connectRequestSchema,
  type ConnectAnswer,
  type ConnectRequest,
  type IceServer,
} from "../../contract/live.ts";
import type { Caller } from "../access/caller.ts";
import { Refusal } from "../failure.ts";
import type { LiveSession } from "../live/session.ts";
import { settingOf } from "../live/setting.ts";
import type { Services } from "../services.ts";
import { readJson, readText } from "./body.ts";
import { callerOf, type BoxContext, type BoxEnv } from "./env.ts";

const sdpType = "application/sdp";
const fragmentType = "application/trickle-ice-sdpfrag";

const mediaType = (c: BoxContext) => (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase();

/** ICE servers the way WHEP gives them (RFC 9725 section 4.4). */
function linkHeader(servers: readonly IceServer[]): string {
  return servers
    .flatMap(({ urls, username, credential }) =>
      [urls].flat().map((url) => {
        const login = username && credential ? `; username="${username}"; credential="${credential}"` : "";
        return `<${url}>; rel="ice-server"${login}${login && '; credential-type="password"'}`;
      }),
    )
    .join(", ");
}

/** Opens the slot for an offer, with the avatar and voice the caller wishes for. */
export async function goLive(
  services: Services,
  caller: Caller,
  wish: Omit<ConnectRequest, "type"> & { signal: AbortSignal },
): Promise<{ session: LiveSession; answerSdp: string }> {
  const { access, config, ownership, recordings, slot, sockets } = services;
  slot.requireTaking();
  ownership.require(caller);
  const consent = wish.recording && (await recordings.agree(wish.recording));
  const setting = await settingOf(services, caller, {
    avatar: wish.avatar,
    voice: wish.voice,
    voiceProvider: wish.voice_provider,
  });
  return slot.open({
    ...setting,
    caller,
    offerSdp: wish.sdp,
    kind: wish.kind ?? "api",
    signal: wish.signal,
    requireAllowed: () => {
      access.requireUnrevoked(caller);
      // A room may have been joined while the answer was made.
      ownership.require(caller);
    },
    ...(consent && { record: (session: LiveSession) => recordings.begin(session, consent) }),
    maxSeconds:
      wish.max_session_length_seconds ?? sockets.ceilingOf(caller.account) ?? config.session.maxSeconds,
  });
}

/** What a caller who went live with JSON is answered. */
export function connectAnswer(
  { config }: Services,
  { session, answerSdp }: { session: LiveSession; answerSdp: string },
): ConnectAnswer {
  return {
    sdp: answerSdp,
    type: "answer",
    session_id: session.id,
    avatar: session.avatar.id,
    tones: session.avatar.tones,
    ice_servers: config.ice.servers,
    limits: {
      max_session_length_seconds: session.limits.maxSeconds,
      idle_seconds: config.session.idleSeconds,
    },
  };
}

export function connectRoutes(services: Services): Hono<BoxEnv> {
  const app = new Hono<BoxEnv>();
  const { config, ownership, slot } = services;
  const iceServers = config.ice.servers;

  const ownSession = (c: BoxContext): LiveSession => {
    const session = slot.of(callerOf(c).account);
    if (!session || session.id !== c.req.param("id"))
      throw new Refusal("session_not_found", "There is no such live session.");
    return session;
  };

  app.get("/connect", (c) => c.json({ ice_servers: iceServers }));

  app.post("/connect", async (c) => {
    const caller = callerOf(c);
    if (mediaType(c) === sdpType) {
      const sdp = await readText(c, limits.sdpBytes);
      const { session, answerSdp } = await goLive(services, caller, {
        sdp,
        signal: c.req.raw.signal,
        avatar: c.req.query("avatar"),
        voice: c.req.query("voice"),
        voice_provider: c.req.query("voice_provider"),
      });
      const link = linkHeader(iceServers);
      return c.body(answerSdp, 201, {
        "Content-Type": sdpType,
        Location: `/connect/${session.id}`,
        ETag: `"${session.id}"`,
        ...(link ? { Link: link } : {}),
      });
    }
    const request = await readJson(c, connectRequestSchema);
    const live = await goLive(services, caller, { ...request, signal: c.req.raw.signal });
    return c.json(connectAnswer(services, live));
  });

  app.patch("/connect/:id", async (c) => {
    const session = ownSession(c);
    if (mediaType(c) !== fragmentType)
      throw new Refusal("invalid_body", `Content-Type must be ${fragmentType}.`);
    session.peer?.addCandidates(await readText(c, limits.sdpBytes));
    return c.body(null, 204);
  });

  app.delete("/connect/:id", async (c) => {
    await ownSession(c).end("disconnected");
    return c.json({ ok: true });
  });

  app.post("/disconnect", async (c) => {
    const caller = callerOf(c);
    ownership.require(caller);
    // The box's operator may end anybody's session; everybody else has only their own.
    const session = slot.of(caller.account) ?? (caller.operator ? slot.current : null);
    await session?.end("disconnected");
    return c.json({ ok: true });
  });

  return app;
}
