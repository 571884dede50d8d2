// The rooms of developers that the box joins, one at a time.

import {
  roomAudioTopic,
  type RoomJoinAnswer,
  type RoomLeaveAnswer,
  type RoomReadiness,
  type RoomStatus,
} from "../../contract/rooms.ts";
import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import type { BoxConfig } from "../config.ts";
import { Refusal } from "../failure.ts";
import type { MediaEngine } from "../live/engine.ts";
import type { Faces } from "../live/faces.ts";
import { settingOf } from "../live/setting.ts";
import type { LiveSession } from "../live/session.ts";
import type { Slot } from "../live/slot.ts";
import type { Log } from "../ops/log.ts";
import type { Portal } from "../portal/portal.ts";
import type { Voices } from "../voices/voices.ts";
import type { RoomDialer } from "./connection.ts";
import { readJoinWish, type JoinWish } from "./join-wish.ts";
import type { Lifetime } from "./lifetime.ts";
import { notOwner, type Ownership } from "./ownership.ts";
import { RoomCall } from "./room-call.ts";
import { readRoomToken, type RoomToken } from "./token.ts";
import { joinFailure } from "./trouble.ts";

export interface RoomsOptions {
  config: Pick<BoxConfig, "id" | "commit" | "rooms">;
  access: Pick<Access, "requireUnrevoked">;
  faces: Faces;
  portal: Pick<Portal, "settings">;
  voices: Voices;
  slot: Slot;
  ownership: Ownership;
  lifetime: Lifetime;
  /** Null when the native addon has not been built. */
  engine: MediaEngine | null;
  dialer: RoomDialer;
  log: Log;
}

/** A join on its way. */
interface Joining {
  account: string;
  roomName: string;
  stop: AbortController;
  /** Resolves when it is over, whatever came of it. */
  over: PromiseWithResolvers<void>;
}

export class Rooms {
  readonly #options: RoomsOptions;
  #joining: Joining | null = null;
  #closed = false;

  constructor(options: RoomsOptions) {
    this.#options = options;
  }

  /** A join is on its way. */
  get joining(): boolean {
    return this.#joining !== null;
  }

  async readiness(): Promise<RoomReadiness> {
    const { config, dialer, engine } = this.#options;
    const { problem: missing, versions } = config.rooms.offered
      ? await dialer.readiness()
      : { problem: "Rooms are switched off on this box (ROOMS).", versions: {} };
    const problem = engine ? missing : "The media engine of this box is not built.";
    return {
      ok: true,
      installed: problem === null,
      problem,
      versions,
      identity: config.rooms.identity,
      topic: roomAudioTopic,
    };
  }

  /** `asked`: an avatar to be told of. */
  status({ account }: Caller, asked?: string): RoomStatus {
    const { config, faces, lifetime, slot } = this.#options;
    const own = slot.of(account);
    const shutdown = lifetime.minutesLeft;
    const live = slot.current?.room ? slot.current : null;
    return {
      ok: true,
      state: slot.state,
      minutes_remaining: live && minutes(minutesLeft(live)),
      shutdown_minutes_remaining: shutdown === null ? null : minutes(shutdown),
      drain_threshold_minutes: minutes(lifetime.thresholdMinutes),
      idle_shutdown: false,
      drain: slot.draining || lifetime.nearEnd,
      limits: {
        max_minutes_ceiling: config.rooms.maxMinutes,
        idle_minutes_ceiling: config.rooms.idleMinutes,
      },
      room: own?.room?.name ?? null,
      session_id: own?.room ? own.id : null,
      avatar: asked ?? (own?.room ? own.avatar.id : null),
      avatar_warmed: asked === undefined ? null : faces.resolve(account, asked)?.status === "ready",
      box_id: config.id,
      build: { known: config.commit !== "unknown", short_commit: config.commit.slice(0, 7) },
    };
  }

  /** Resolves when the avatar is in the room. Rejects with Refusal. `left`: the caller does not wait any longer. */
  async join(caller: Caller, body: object, left: AbortSignal): Promise<RoomJoinAnswer> {
    const { config } = this.#options;
    const wish = readJoinWish(body, config.rooms);
    const { problem } = await this.readiness();
    if (problem !== null) throw new Refusal("rtc_unavailable", problem);
    this.#requireTime(wish);
    if (this.#joining || this.#options.slot.current) throw inUse();
    const token = readRoomToken(wish.token, {
      roomName: wish.roomName,
      identity: wish.identity ?? config.rooms.identity,
      nowSeconds: Date.now() / 1000,
    });
    const joining: Joining = {
      account: caller.account,
      roomName: wish.roomName,
      stop: new AbortController(),
      over: Promise.withResolvers(),
    };
    const gone = () => joining.stop.abort(aborted());
    left.addEventListener("abort", gone, { once: true });
    if (left.aborted) gone();
    this.#joining = joining;
    const entered = this.#options.slot.expectRoom();
    try {
      const session = await this.#enter({ caller, wish, token, signal: joining.stop.signal });
      return {
        ok: true,
        identity: token.identity,
        room: wish.roomName,
        avatar: session.avatar.id,
        silence: true,
        idle_stand_in: false,
        limits: wish.limits,
        session_id: session.id,
      };
    } finally {
      left.removeEventListener("abort", gone);
      entered();
      this.#joining = null;
      joining.over.resolve();
    }
  }

  /** `roomName` null: whatever room there is. Rejects with Refusal. */
  async leave(caller: Caller, roomName: string | null): Promise<RoomLeaveAnswer> {
    const { ownership, slot } = this.#options;
    const joining = this.#joining;
    if (joining) {
      if (joining.account !== caller.account && !caller.operator) throw notOwner();
      requireThis(joining.roomName, roomName);
      joining.stop.abort(aborted());
      await joining.over.promise;
    }
    ownership.require(caller);
    const session = slot.current;
    if (!session?.room)
      return { ok: true, left: joining !== null, room: joining?.roomName ?? null, session_id: null };
    requireThis(session.room.name, roomName);
    await session.end("disconnected");
    return { ok: true, left: true, room: session.room.name, session_id: session.id };
  }

  /** A join on its way is called off, and none is taken any more. Resolves when it is over. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#joining?.stop.abort(draining());
    await this.#joining?.over.promise;
  }

  async #enter({
    caller,
    wish,
    token,
    signal,
  }: {
    caller: Caller;
    wish: JoinWish;
    token: RoomToken;
    signal: AbortSignal;
  }): Promise<LiveSession> {
    const { access, dialer, engine, log, slot } = this.#options;
    const setting = await settingOf(this.#options, caller, { avatar: wish.avatar });
    signal.throwIfAborted();
    const call = new RoomCall({ engineIdentity: wish.engineIdentity ?? token.publishesFor, log });
    const fail = (error: unknown): never => {
      throw signal.aborted ? signal.reason : joinFailure(error, wish.token);
    };
    const session = await slot.openRoom({
      ...setting,
      caller,
      room: { name: wish.roomName, labels: wish.labels },
      maxSeconds: wish.limits.max_minutes * 60,
      idleSeconds: wish.limits.idle_minutes * 60,
      signal,
      requireAllowed: () => access.requireUnrevoked(caller),
      enter: async (opened) => {
        const size = engine?.sizeOf(setting.avatar.dir) ?? { width: 0, height: 0 };
        const connection = await dialer
          .dial({ url: wish.url, token: wish.token, listener: call, signal })
          .catch(fail);
        try {
          const { peer, published } = call.enter(connection, size, (state) => opened.peerState(state));
          return { peer, published: unlessAborted(published, signal).catch(fail) };
        } catch (error) {
          await connection.close();
          return fail(error);
        }
      },
    });
    call.begin(session);
    return session;
  }

  /** Throws Refusal `box_draining` where the box ends before the call would. */
  #requireTime({ limits: { expected_minutes: expected } }: JoinWish): void {
    const { lifetime, slot } = this.#options;
    const left = lifetime.minutesLeft;
    if (this.#closed || slot.draining) throw draining();
    if (left !== null && (left === 0 || (expected !== null && expected > left))) throw draining();
  }
}

/** Rejects with the signal's reason as soon as it aborts. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
    work.catch(() => undefined);
  }
}

const inUse = () => new Refusal("rtc_session_in_use", "The box is serving a session already.");
const aborted = () => new Refusal("rtc_join_aborted", "The room was left before the join was done.");
const draining = () => new Refusal("box_draining", "The box ends before the call would.");

function requireThis(room: string, named: string | null): void {
  if (named !== null && named !== room)
    throw new Refusal(
      "rtc_not_in_room",
      `The box is not in the room ${JSON.stringify(named.slice(0, 200))}.`,
    );
}

function minutesLeft({ startedAt, limits: { maxSeconds } }: LiveSession): number {
  return Math.max(0, (startedAt + maxSeconds - Date.now() / 1000) / 60);
}

const minutes = (value: number) => Math.round(value * 10) / 10;
