// LiveKit's signalling socket: binary protobuf, `SignalRequest` in, `SignalResponse` out.

import { gunzipSync } from "node:zlib";
import {
  JoinRequest,
  Pong,
  SignalRequest,
  SignalResponse,
  WrappedJoinRequest,
  WrappedJoinRequest_Compression as Compression,
} from "@livekit/protocol";
import type { RawData, WebSocket } from "ws";
import { Refusal } from "./tokens.ts";

type Response = NonNullable<ConstructorParameters<typeof SignalResponse>[0]>["message"];

/** The join request of a `/rtc/v1` address. @throws Refusal 400. */
export function readJoinRequest(url: URL): JoinRequest {
  try {
    const text = url.searchParams.get("join_request") ?? "";
    const wrapped = WrappedJoinRequest.fromBinary(Buffer.from(text, "base64url"));
    const bytes =
      wrapped.compression === Compression.GZIP ? gunzipSync(wrapped.joinRequest) : wrapped.joinRequest;
    return JoinRequest.fromBinary(bytes);
  } catch {
    throw new Refusal(400, "invalid join request");
  }
}

export interface SignalEvents {
  onRequest(request: SignalRequest): void;
  /** The socket went away, at whosever wish; not fired after `abandon`. */
  onClose(): void;
}

export class Signal {
  #socket: WebSocket;
  #events: SignalEvents | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#take(data));
    socket.on("close", () => this.#events?.onClose());
    socket.on("error", () => {
      // A `close` follows.
    });
  }

  listen(events: SignalEvents): void {
    this.#events = events;
  }

  send(message: Response): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(new SignalResponse({ message }).toBinary());
  }

  #take(data: RawData): void {
    const request = SignalRequest.fromBinary(new Uint8Array(data as Buffer));
    const { message } = request;
    // Clients send both forms of a ping and take either answer.
    if (message.case === "ping") this.send({ case: "pong", value: BigInt(Date.now()) });
    else if (message.case === "pingReq") {
      const value = new Pong({ lastPingTimestamp: message.value.timestamp, timestamp: BigInt(Date.now()) });
      this.send({ case: "pongResp", value });
    } else this.#events?.onRequest(request);
  }

  /** Says goodbye. */
  close(): void {
    this.#events = undefined;
    this.#socket.close();
  }

  /** Vanishes without a word, as a cut cable would. */
  abandon(): void {
    this.#events = undefined;
    this.#socket.terminate();
  }
}
