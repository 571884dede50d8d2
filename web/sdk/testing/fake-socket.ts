// A WebSocket under the test's hand.

import { vi } from "vitest";
import type { ServerEvent } from "../../../contract/control-socket.ts";

export class FakeSocket extends EventTarget {
  static all: FakeSocket[] = [];
  readonly url: string;
  readyState = 0;
  binaryType = "blob";
  bufferedAmount = 0;
  readonly sent: Record<string, unknown>[] = [];
  readonly sentSound: ArrayBuffer[] = [];
  /** Code this side closed with, or null. */
  closedWith: number | null = null;

  constructor(url: string) {
    super();
    this.url = url;
    FakeSocket.all.push(this);
  }

  static get last(): FakeSocket {
    const socket = FakeSocket.all.at(-1);
    if (!socket) throw new Error("No WebSocket was opened.");
    return socket;
  }

  send(data: string | ArrayBuffer): void {
    if (this.readyState !== 1) throw new Error("The socket is not open.");
    if (typeof data !== "string") this.sentSound.push(data);
    else this.sent.push(JSON.parse(data) as Record<string, unknown>);
  }

  /** The newest socket to a path. */
  static at(path: string): FakeSocket {
    const socket = FakeSocket.all.findLast(({ url }) => new URL(url).pathname === path);
    if (!socket) throw new Error(`No WebSocket was opened at ${path}.`);
    return socket;
  }

  close(code: number): void {
    this.readyState = 2;
    this.closedWith = code;
  }

  /** What the box does. */
  accept(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  receive(event: ServerEvent | object | string): void {
    const data = typeof event === "string" ? event : JSON.stringify(event);
    this.dispatchEvent(new MessageEvent("message", { data }));
  }

  drop(code = 1006, reason = ""): void {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event("close"), { code, reason }));
  }

  sentTypes(): unknown[] {
    return this.sent.map((message) => message["type"]);
  }
}

export function installFakeSocket(): void {
  FakeSocket.all = [];
  vi.stubGlobal("WebSocket", FakeSocket);
}
