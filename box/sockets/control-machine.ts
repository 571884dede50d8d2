// The control socket as a state machine: what comes in, what goes out, no I/O and no clock.

import {
  clientMessageSchemas,
  closeCode,
  type ClientMessage,
  type ClientMessageType,
  type ServerEvent,
} from "../../contract/control-socket.ts";
import { limits } from "../../contract/limits.ts";
import { describeIssue } from "../issues.ts";
import { jsonMessage, notJson } from "./json-message.ts";
import { TalkStreams, type Talk } from "./talk-streams.ts";
import { TokenBucket } from "./token-bucket.ts";

/** `live` → `lapsed` (the credential aged out) → `live` (a fresh one) …, and from everywhere → `closed`. */
export type ControlState = "opening" | "live" | "lapsed" | "closed";

export type ControlInput =
  | { case: "opened"; ready: Extract<ServerEvent, { type: "session_ready" }> }
  | { case: "text"; data: string; nowMs: number }
  | { case: "binary" }
  | { case: "event"; event: ServerEvent }
  /** The answer to a `verify`; `live` when the credential is good and the same account's. */
  | { case: "verified"; live: boolean }
  | { case: "credential_lapsed" }
  | { case: "credential_revoked" }
  | { case: "session_expired"; reason: "idle" | "max_length"; seconds: number }
  | { case: "evicted"; error: string }
  /** The reader does not keep up. */
  | { case: "backlog" }
  | { case: "shutdown" }
  | { case: "disconnected" };

export type ControlOutput =
  | { case: "send"; event: ServerEvent }
  /** `defect`: the peer's doing, worth a line in the log. */
  | { case: "close"; code: number; reason: string; defect: boolean }
  | { case: "message"; message: Extract<ClientMessage, { type: "message" }> }
  | { case: "talk"; talk: Talk }
  | { case: "interrupt" }
  | { case: "tool_result"; id: string; result: unknown }
  | { case: "verify"; token: string };

/** Malformed messages are answered until there are this many; the next one closes the socket. */
const forgivenMistakes = 5;
/** Credentials that are being looked up at once; nobody has as many. */
const mostVerifying = 16;

const text = {
  lapsed: "The credential has expired; send a fresh one in an auth message.",
  revoked: "The credential was revoked; sign in again.",
  idle: "The session sat idle and was released.",
  max_length: "The session reached its allowed length.",
  binary: "This socket takes text only.",
  flood: `More than ${limits.controlMessagesPerSecond} messages a second.`,
  mistakes: "Too many malformed messages.",
  verifying: "Too many auth messages at once.",
  backlog: "The socket is read too slowly.",
  shutdown: "The box is shutting down.",
};

const blank = "content: must not be blank.";

const isKnown = (type: string): type is ClientMessageType => Object.hasOwn(clientMessageSchemas, type);

export class ControlMachine {
  #state: ControlState = "opening";
  #mistakes = 0;
  #verifying = 0;
  /** Interrupts of this socket that have not been acknowledged. */
  #interrupting = 0;
  readonly #bucket: TokenBucket;
  readonly #talkStreams = new TalkStreams();

  constructor(nowMs: number) {
    this.#bucket = new TokenBucket(limits.controlMessagesPerSecond, nowMs);
  }

  get state(): ControlState {
    return this.#state;
  }

  /** What to do about an input, in order. A closed machine does nothing. */
  handle(input: ControlInput): ControlOutput[] {
    if (this.#state === "closed") return [];
    if (this.#state === "opening") {
      if (input.case === "disconnected") return this.#closed([]);
      if (input.case !== "opened") return [];
      this.#state = "live";
      return [{ case: "send", event: input.ready }];
    }
    switch (input.case) {
      case "opened":
        return [];
      case "text":
        return this.#text(input.data, input.nowMs);
      case "binary":
        return this.#refuse(closeCode.unsupported, text.binary);
      case "event":
        if (input.event.type === "interrupted") this.#interrupted();
        return [{ case: "send", event: input.event }];
      case "verified":
        this.#verifying--;
        if (input.live) this.#state = "live";
        return [{ case: "send", event: { type: "auth_state", live: input.live } }];
      case "credential_lapsed":
        if (this.#state === "lapsed") return [];
        this.#state = "lapsed";
        return [{ case: "send", event: { type: "auth_required", message: text.lapsed } }];
      case "credential_revoked":
        return this.#end(closeCode.credentialRevoked, text.revoked);
      case "session_expired":
        return this.#expire(input.reason, input.seconds);
      case "evicted":
        return this.#end(closeCode.normal, input.error);
      case "backlog":
        return this.#closed([{ case: "close", code: closeCode.policy, reason: text.backlog, defect: true }]);
      case "shutdown":
        return this.#end(1001, text.shutdown);
      case "disconnected":
        return this.#closed([]);
    }
  }

  #text(data: string, nowMs: number): ControlOutput[] {
    if (!this.#bucket.take(nowMs)) return this.#refuse(closeCode.policy, text.flood);
    const parsed = jsonMessage(data);
    if (!parsed) return this.#mistake(notJson);
    // A newer client may say things this box does not know.
    if (!isKnown(parsed.type)) return [];
    const checked = clientMessageSchemas[parsed.type].safeParse(parsed.fields);
    if (!checked.success) return this.#mistake(`${parsed.type}: ${describeIssue(checked.error)}`);
    return this.#message(checked.data);
  }

  #message(message: ClientMessage): ControlOutput[] {
    switch (message.type) {
      case "message":
        return message.content.trim() === ""
          ? this.#complaint(blank)
          : [{ case: "message", message: { ...message, content: message.content.toWellFormed() } }];
      case "talk":
        return this.#talk(message);
      case "talkstream": {
        const step = this.#talkStreams.push(message);
        if (step.case === "more") return [];
        if (step.case === "refused") return this.#complaint(step.reason);
        return this.#talk(step.talk);
      }
      case "interrupt":
        this.#interrupting++;
        this.#talkStreams.interrupt();
        return [{ case: "interrupt" }];
      case "auth":
        if (this.#verifying >= mostVerifying) return this.#refuse(closeCode.policy, text.verifying);
        this.#verifying++;
        return [{ case: "verify", token: message.token }];
      case "tool_result":
        return [{ case: "tool_result", id: message.id, result: message.result }];
      case "heartbeat":
        return [];
    }
  }

  #talk({ content, voice, tone, correlationId }: Talk): ControlOutput[] {
    if (content.trim() === "") return this.#complaint(blank);
    return [{ case: "talk", talk: { content: content.toWellFormed(), voice, tone, correlationId } }];
  }

  /** Whoever spoke up, what is still being fed was meant for before; what came after an interrupt of our own was not. */
  #interrupted(): void {
    if (this.#interrupting > 0) this.#interrupting--;
    else this.#talkStreams.interrupt();
  }

  #complaint(error: string): ControlOutput[] {
    return [{ case: "send", event: { type: "error", error, fatal: false } }];
  }

  #mistake(error: string): ControlOutput[] {
    this.#mistakes++;
    if (this.#mistakes > forgivenMistakes) return this.#refuse(closeCode.policy, text.mistakes);
    return this.#complaint(error);
  }

  #expire(reason: "idle" | "max_length", seconds: number): ControlOutput[] {
    const code = reason === "idle" ? closeCode.idle : closeCode.maxLength;
    const message = text[reason];
    return this.#closed([
      { case: "send", event: { type: "session_expired", reason, message, seconds, code } },
      { case: "close", code, reason: message, defect: false },
    ]);
  }

  /** A fatal error and the close that follows it. */
  #end(code: number, error: string): ControlOutput[] {
    return this.#closed([
      { case: "send", event: { type: "error", error, fatal: true } },
      { case: "close", code, reason: error, defect: false },
    ]);
  }

  /** As #end, for a peer that breaks the rules. */
  #refuse(code: number, error: string): ControlOutput[] {
    return this.#closed([
      { case: "send", event: { type: "error", error, fatal: true } },
      { case: "close", code, reason: error, defect: true },
    ]);
  }

  #closed(outputs: ControlOutput[]): ControlOutput[] {
    this.#state = "closed";
    return outputs;
  }
}
