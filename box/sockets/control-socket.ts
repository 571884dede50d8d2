// One control socket: the machine, wired to a WebSocket, the hub and the turns.

import type { WebSocket } from "ws";
import type { Tone } from "../../contract/tones.ts";
import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import type { ClientTools } from "../chat/tools/client-tools.ts";
import { Refusal } from "../failure.ts";
import type { Hub, HubMessage } from "../live/hub.ts";
import { longestTimerMs } from "../live/limits.ts";
import type { Slot } from "../live/slot.ts";
import { turnFailure, type Turns } from "../live/turns.ts";
import { describeError, type Log } from "../ops/log.ts";
import { ControlMachine, type ControlInput, type ControlOutput } from "./control-machine.ts";

const backlogBytes = 1024 * 1024;
/** A peer that does not finish the closing handshake is dropped. */
const closeWithinMs = 2_000;
const pingEveryMs = 30_000;

export interface ControlSocketOptions {
  socket: WebSocket;
  caller: Caller;
  /** What `session_ready` says when no session is live. */
  face: { avatar: string; tones: Tone[] };
  maxSeconds: number | null;
  access: Access;
  hub: Hub;
  slot: Slot;
  turns: Turns;
  clientTools: ClientTools;
  log: Log;
}

export class ControlSocket {
  readonly #options: ControlSocketOptions;
  readonly #machine = new ControlMachine(performance.now());
  readonly #unsubscribe: () => void;
  readonly #ping: NodeJS.Timeout;
  #caller: Caller;
  #lapse: NodeJS.Timeout | undefined;
  #answered = true;
  /** The session it was opened for, or the first one after it: it ends when that one is taken over or runs out. */
  #boundTo: string | null = null;

  constructor(options: ControlSocketOptions) {
    this.#options = options;
    this.#caller = options.caller;
    const { socket, hub, slot, caller } = options;
    this.#unsubscribe = hub.subscribe(caller.account, (message) => this.#hear(message));
    socket.on("message", (data, binary) => {
      if (binary) this.#input({ case: "binary" });
      else this.#input({ case: "text", data: (data as Buffer).toString("utf8"), nowMs: performance.now() });
    });
    // A frame over the limit or outside the protocol: ws has closed the socket with its code already.
    socket.on("error", (error) =>
      options.log.warn(describeSocketError(error), "control socket broke the protocol"),
    );
    socket.on("pong", () => (this.#answered = true));
    socket.once("close", (code) => this.#closed(code));
    this.#ping = setInterval(() => this.#checkAlive(), pingEveryMs);
    this.#watchExpiry();

    const session = slot.of(caller.account);
    this.#boundTo = session?.id ?? null;
    if (session && options.maxSeconds !== null) session.limits.setMaxSeconds(options.maxSeconds);
    this.#input({
      case: "opened",
      ready: {
        type: "session_ready",
        sessionId: session?.id ?? null,
        avatar: session?.avatar.id ?? options.face.avatar,
        tones: session?.avatar.tones ?? options.face.tones,
      },
    });
  }

  get account(): string {
    return this.#options.caller.account;
  }

  /** Ceiling of the account's session that its opener asked for; null when it did not. */
  get maxSeconds(): number | null {
    return this.#options.maxSeconds;
  }

  /** The credential it stands on now. */
  get digest(): string {
    return this.#caller.digest;
  }

  revoke(): void {
    this.#input({ case: "credential_revoked" });
  }

  shutdown(): void {
    this.#input({ case: "shutdown" });
  }

  #hear(message: HubMessage): void {
    switch (message.case) {
      case "event":
        this.#input(message);
        break;
      case "began":
        this.#boundTo ??= message.sessionId;
        break;
      case "ended":
        if (this.#boundTo === message.sessionId) this.#boundTo = null;
        break;
      case "expired":
        if (this.#boundTo === message.sessionId)
          this.#input({ case: "session_expired", reason: message.reason, seconds: message.seconds });
        break;
      case "evicted":
        if (this.#boundTo === message.sessionId) this.#input(message);
        break;
    }
  }

  #input(input: ControlInput): void {
    for (const output of this.#machine.handle(input)) this.#do(output);
  }

  #do(output: ControlOutput): void {
    const { caller } = this.#options;
    switch (output.case) {
      case "send":
        this.#send(JSON.stringify(output.event));
        break;
      case "close":
        this.#close(output);
        break;
      case "message":
        void this.#message(output.message);
        break;
      case "talk": {
        const { content, voice, tone, correlationId } = output.talk;
        const talk = this.#options.turns.talk({
          caller,
          content,
          voice,
          tone,
          correlationId: correlationId ?? null,
        });
        talk.catch((error: unknown) => this.#refused(error));
        break;
      }
      case "interrupt":
        void this.#options.turns.interrupt(caller.account);
        break;
      case "tool_result":
        this.#options.clientTools.answer(caller.account, output.id, output.result);
        break;
      case "verify":
        void this.#verify(output.token);
        break;
    }
  }

  async #message(message: Extract<ControlOutput, { case: "message" }>["message"]): Promise<void> {
    const { content, voice, correlationId } = message;
    const { caller, turns } = this.#options;
    try {
      const prepared = await turns.prepare({
        caller,
        source: "typed",
        content,
        voice,
        avatar: message.avatar,
        correlationId: correlationId ?? null,
      });
      if (!prepared.live)
        this.#input({
          case: "event",
          event: { type: "warning", message: "No media session yet: the reply will not be heard." },
        });
      else if (prepared.live.voice.notice)
        this.#input({ case: "event", event: { type: "warning", message: prepared.live.voice.notice } });
      await turns.message(prepared);
    } catch (error) {
      this.#refused(error);
    }
  }

  #refused(error: unknown): void {
    if (!(error instanceof Refusal)) this.#options.log.error(describeError(error), "a turn broke");
    this.#input({ case: "event", event: { type: "error", error: turnFailure(error).message, fatal: false } });
  }

  async #verify(token: string): Promise<void> {
    const { access, caller, slot } = this.#options;
    let fresh: Caller | null = null;
    try {
      fresh = await access.identify(token);
    } catch (error) {
      if (!(error instanceof Refusal))
        this.#options.log.error(describeError(error), "a credential could not be checked");
    }
    // The identity behind a socket is frozen: a good credential of somebody else changes nothing.
    const live = fresh !== null && fresh.account === caller.account;
    if (fresh && live) {
      this.#caller = fresh;
      const session = slot.of(caller.account);
      if (session) session.digest = fresh.digest;
      this.#watchExpiry();
    }
    this.#input({ case: "verified", live });
  }

  #watchExpiry(): void {
    clearTimeout(this.#lapse);
    if (this.#caller.expires_at === null) return;
    const leftMs = this.#caller.expires_at * 1000 - Date.now();
    this.#lapse = setTimeout(
      () => this.#input({ case: "credential_lapsed" }),
      Math.min(longestTimerMs, Math.max(0, leftMs)),
    );
  }

  #send(frame: string): void {
    const { socket } = this.#options;
    if (socket.readyState !== socket.OPEN) return;
    socket.send(frame);
    if (socket.bufferedAmount > backlogBytes) this.#input({ case: "backlog" });
  }

  #close({ code, reason, defect }: Extract<ControlOutput, { case: "close" }>): void {
    const { socket, log } = this.#options;
    if (defect) log.warn({ code, reason }, "control socket refused");
    socket.close(code, reason);
    // Who does not read will not read the close frame either.
    if (socket.bufferedAmount > backlogBytes) socket.terminate();
    const timer = setTimeout(() => socket.terminate(), closeWithinMs);
    socket.once("close", () => clearTimeout(timer));
  }

  #checkAlive(): void {
    if (!this.#answered) {
      this.#options.socket.terminate();
      return;
    }
    this.#answered = false;
    this.#options.socket.ping();
  }

  #closed(code: number): void {
    this.#input({ case: "disconnected" });
    this.#unsubscribe();
    clearInterval(this.#ping);
    clearTimeout(this.#lapse);
    this.#options.log.info({ code }, "control socket closed");
  }
}

function describeSocketError(error: Error): Record<string, unknown> {
  return { error: error.message, code: (error as NodeJS.ErrnoException).code };
}
