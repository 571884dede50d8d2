// One control socket: the machine, wired to a WebSocket, the hub and the turns.

import type { WebSocket } from "ws";
import { closeCode } from "../../contract/control-socket.ts";
import type { Tone } from "../../contract/tones.ts";
import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import type { ClientTools } from "../chat/tools/client-tools.ts";
import { Refusal } from "../failure.ts";
import type { Hub, HubMessage } from "../live/hub.ts";
import type { Slot } from "../live/slot.ts";
import { turnFailure, type Turns } from "../live/turns.ts";
import { describeError, type Log } from "../ops/log.ts";
import { ControlMachine, type ControlInput, type ControlOutput } from "./control-machine.ts";
import { CredentialWatch } from "./credential-watch.ts";
import type { Talk } from "./talk-streams.ts";
import { describeSocketError, Wire } from "./wire.ts";

/** Messages and talks that may wait for one before them to be settled. */
const mostWaiting = 16;

const overtaken = {
  message: "The message was interrupted before it was accepted.",
  talk: "The words were interrupted before they were spoken.",
};
const tooManyWaiting = "Too many messages wait for the ones before them.";

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

const notHeard = "No media session yet: the reply will not be heard.";

/** A message or talk that has not reached the turns yet. */
interface Waiting {
  kind: "message" | "talk";
  dropped: boolean;
}

export class ControlSocket {
  readonly #options: ControlSocketOptions;
  readonly #machine = new ControlMachine(performance.now());
  readonly #wire: Wire;
  readonly #credential: CredentialWatch;
  readonly #unsubscribe: () => void;
  /** What a client says takes effect in the order it was said, however long each takes to settle. */
  readonly #waiting = new Set<Waiting>();
  #settled: Promise<void> = Promise.resolve();
  #verified: Promise<void> = Promise.resolve();
  /** The session it was opened for, or the first one after it: it ends when that one is taken over or runs out. */
  #boundTo: string | null = null;

  constructor(options: ControlSocketOptions) {
    this.#options = options;
    const { socket, hub, slot, caller, access, log } = options;
    this.#unsubscribe = hub.subscribe(caller.account, (message) => this.#hear(message));
    socket.on("message", (data, binary) => {
      if (binary) this.#input({ case: "binary" });
      else this.#input({ case: "text", data: (data as Buffer).toString("utf8"), nowMs: performance.now() });
    });
    socket.on("error", (error) => {
      log.warn(describeSocketError(error), "control socket broke the protocol");
      // A frame over the limit or outside the protocol: ws has sent its own code, and waits long for the peer's.
      this.#wire.close(closeCode.policy, "");
    });
    socket.once("close", (code) => this.#closed(code));
    this.#wire = new Wire({ socket, onBacklog: () => this.#input({ case: "backlog" }) });
    this.#credential = new CredentialWatch({
      caller,
      access,
      log,
      onLapsed: () => this.#input({ case: "credential_lapsed" }),
    });

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
    return this.#credential.caller.digest;
  }

  /** Whether its client can still be told something, and answer. */
  get open(): boolean {
    const { socket } = this.#options;
    return this.#machine.state !== "closed" && socket.readyState === socket.OPEN;
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
      case "voice":
        this.#input({ case: "event", event: { type: "warning", message: message.notice } });
        break;
    }
  }

  #input(input: ControlInput): void {
    for (const output of this.#machine.handle(input)) this.#do(output);
  }

  #do(output: ControlOutput): void {
    const { caller, clientTools, log, turns } = this.#options;
    switch (output.case) {
      case "send":
        this.#wire.send(output.event);
        break;
      case "close": {
        const { code, reason, defect } = output;
        if (defect) log.warn({ code, reason }, "control socket refused");
        this.#drop();
        this.#wire.close(code, reason);
        break;
      }
      case "message":
        this.#inTurn("message", (waiting) => this.#message(output.message, waiting));
        break;
      case "talk":
        this.#inTurn("talk", (waiting) => this.#talk(output.talk, waiting));
        break;
      case "interrupt":
        this.#drop();
        turns.interrupt(caller.account).catch((error: unknown) => this.#refused(error));
        break;
      case "tool_result":
        clientTools.answer(caller.account, output.id, output.result);
        break;
      case "verify":
        // One after another: the credential that was sent last is the one that stays.
        this.#verified = this.#verified.then(() => this.#verify(output.token));
        break;
    }
  }

  /** Lets a step begin once the ones before it have reached the turns, talks and messages alike. */
  #inTurn(kind: Waiting["kind"], step: (waiting: Waiting) => Promise<void>): void {
    if (this.#waiting.size >= mostWaiting) {
      this.#complain(tooManyWaiting);
      return;
    }
    const waiting: Waiting = { kind, dropped: false };
    this.#waiting.add(waiting);
    this.#settled = this.#settled.then(() => this.#settle(waiting, step));
  }

  async #settle(waiting: Waiting, step: (waiting: Waiting) => Promise<void>): Promise<void> {
    try {
      if (!waiting.dropped) await step(waiting);
    } catch (error) {
      if (!waiting.dropped) this.#refused(error);
    }
    this.#waiting.delete(waiting);
  }

  /** What has not begun when an interrupt comes, or when the socket ends, does not begin after it. */
  #drop(): void {
    for (const waiting of this.#waiting) {
      waiting.dropped = true;
      this.#complain(overtaken[waiting.kind]);
    }
    this.#waiting.clear();
    // Nor does anything that comes later wait for it.
    this.#settled = Promise.resolve();
  }

  /** Resolves once the turns have it; how it goes on is told by them. */
  async #message(
    message: Extract<ControlOutput, { case: "message" }>["message"],
    waiting: Waiting,
  ): Promise<void> {
    const { content, voice, avatar, correlationId = null } = message;
    const { caller, turns } = this.#options;
    const prepared = await turns.prepare({ caller, source: "typed", content, voice, avatar, correlationId });
    if (waiting.dropped) return;
    const warning = prepared.live ? prepared.live.voice.notice : notHeard;
    if (warning) this.#input({ case: "event", event: { type: "warning", message: warning } });
    turns.message(prepared).catch((error: unknown) => this.#refused(error));
  }

  /** Resolves once the words have their place among what is said; how it goes on is told by the turns. */
  async #talk({ content, voice, tone, correlationId }: Talk, waiting: Waiting): Promise<void> {
    const { caller, turns } = this.#options;
    const placed = Promise.withResolvers<void>();
    const request = { caller, content, voice, tone, correlationId: correlationId ?? null };
    turns
      .talk(request, { onPlaced: () => placed.resolve() })
      .catch((error: unknown) => {
        if (!waiting.dropped) this.#refused(error);
      })
      .finally(() => placed.resolve());
    await placed.promise;
  }

  #refused(error: unknown): void {
    if (!(error instanceof Refusal)) this.#options.log.error(describeError(error), "a turn broke");
    this.#complain(turnFailure(error).message);
  }

  #complain(error: string): void {
    this.#input({ case: "event", event: { type: "error", error, fatal: false } });
  }

  async #verify(token: string): Promise<void> {
    const live = await this.#credential.renew(token);
    const session = this.#options.slot.of(this.account);
    // The session stands on what its owner last showed.
    if (live && session) session.digest = this.digest;
    this.#input({ case: "verified", live });
  }

  #closed(code: number): void {
    this.#input({ case: "disconnected" });
    this.#drop();
    this.#unsubscribe();
    this.#credential.close();
    this.#options.log.info({ code }, "control socket closed");
  }
}
