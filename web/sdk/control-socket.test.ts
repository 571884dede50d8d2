import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { closeCode, controlSocketPath, serverEventSchema } from "../../contract/control-socket.ts";
import {
  type ControlEnd,
  controlPath,
  ControlSocket,
  finalCloseCodes,
  parseServerEvent,
} from "./control-socket.ts";
import { Credentials, type GetCredential } from "./credentials.ts";
import { Http } from "./http.ts";
import { FakeSocket, installFakeSocket } from "./testing/fake-socket.ts";

beforeEach(() => {
  vi.useFakeTimers();
  installFakeSocket();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function open(getCredential: GetCredential = async () => "secret") {
  const ended = vi.fn<(reason: ControlEnd) => void>();
  const events: string[] = [];
  const control = new ControlSocket({
    http: new Http({ baseUrl: "https://face.test", credentials: new Credentials({ getCredential }) }),
    maxSessionLengthSeconds: 0,
    onEvent: (event) => events.push(event.type),
    onState: () => undefined,
    onEnded: (reason) => ended(reason),
  });
  control.open();
  return { control, ended, events };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

describe("the copies of the contract's constants", () => {
  it("are equal to it", () => {
    expect(controlPath).toBe(controlSocketPath);
    expect(finalCloseCodes).toEqual({
      credentialRevoked: closeCode.credentialRevoked,
      idle: closeCode.idle,
      maxLength: closeCode.maxLength,
    });
  });

  it("know every event of the contract", () => {
    for (const option of serverEventSchema.options) {
      const [type] = option.shape.type.values;
      expect(parseServerEvent(JSON.stringify({ type }))).toEqual({ type });
    }
  });
});

describe("parseServerEvent", () => {
  it.each([new ArrayBuffer(2), "", "no json", "null", "[]", '{"type":5}', '{"type":"of_tomorrow"}'])(
    "ignores %s",
    (data) => expect(parseServerEvent(data)).toBeNull(),
  );
});

describe("ControlSocket", () => {
  it("dials with its credential and ceiling, sends what was queued in order, and keeps alive", async () => {
    const { control } = open();
    control.send({ type: "message", content: "one" });
    control.send({ type: "message", content: "two" });
    await settle();
    const url = new URL(FakeSocket.last.url);
    expect(url.searchParams.get("session_token")).toBe("secret");
    expect(url.searchParams.get("max_session_length_seconds")).toBe("0");
    FakeSocket.last.accept();
    expect(FakeSocket.last.sent.map((message) => message["content"])).toEqual(["one", "two"]);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(FakeSocket.last.sentTypes().slice(2)).toEqual(["heartbeat", "heartbeat"]);
  });

  it("dials again after an ordinary loss, with a fresh credential each time", async () => {
    let count = 0;
    const { control } = open(async () => `s${++count}`);
    await settle();
    FakeSocket.last.accept();
    FakeSocket.last.drop(1000);
    expect(control.state).toBe("waiting");
    await vi.advanceTimersByTimeAsync(600);
    expect(FakeSocket.all).toHaveLength(2);
    expect(FakeSocket.last.url).toContain("session_token=s2");
    FakeSocket.last.accept();
    expect(control.state).toBe("open");
  });

  it("waits longer each time, and gives up after eight attempts", async () => {
    const { control, ended } = open();
    await settle();
    const dialledAt: number[] = [];
    while (control.state !== "ended" && dialledAt.length < 20) {
      dialledAt.push(performance.now());
      const before = FakeSocket.all.length;
      FakeSocket.last.drop();
      for (let ms = 0; ms < 9000 && FakeSocket.all.length === before; ms += 50) {
        await vi.advanceTimersByTimeAsync(50);
      }
    }
    expect(FakeSocket.all).toHaveLength(9);
    expect(ended).toHaveBeenCalledExactlyOnceWith("lost");
    const waits = dialledAt.slice(1).map((at, index) => at - dialledAt[index]!);
    expect(Math.min(...waits.slice(5, 8))).toBeGreaterThan(Math.max(...waits.slice(0, 2)));
  });

  it.each([
    [4004, "credential"],
    [4007, "idle"],
    [4008, "max_length"],
  ] as const)("does not dial again after close code %i", async (code, reason) => {
    const { ended, control } = open();
    await settle();
    FakeSocket.last.accept();
    FakeSocket.last.drop(code);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.all).toHaveLength(1);
    expect(ended).toHaveBeenCalledExactlyOnceWith(reason);
    expect(() => control.send({ type: "interrupt" })).toThrowError(/over/);
  });

  it("does not dial again after a fatal error or an expiry, whatever the close code", async () => {
    for (const event of [
      { type: "error", error: "Replaced.", fatal: true },
      { type: "session_expired", reason: "idle", message: "Idle.", seconds: 300, code: 4007 },
    ]) {
      installFakeSocket();
      const { ended } = open();
      await settle();
      FakeSocket.last.accept();
      FakeSocket.last.receive(event);
      FakeSocket.last.drop(1006);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(FakeSocket.all).toHaveLength(1);
      expect(ended).toHaveBeenCalledOnce();
    }
  });

  it("goes on after an error that is not fatal", async () => {
    const { events, control } = open();
    await settle();
    FakeSocket.last.accept();
    FakeSocket.last.receive({ type: "error", error: "The model failed.", fatal: false });
    expect(events).toEqual(["error"]);
    expect(control.state).toBe("open");
  });

  it("answers auth_required with a fresh credential, and renews ahead of the end", async () => {
    let count = 0;
    open(async () => ({ secret: `s${++count}`, expires_in: 600 }));
    await settle();
    FakeSocket.last.accept();
    FakeSocket.last.receive({ type: "auth_required", message: "Lapsed." });
    await settle();
    expect(FakeSocket.last.sent).toEqual([{ type: "auth", token: "s2" }]);
    await vi.advanceTimersByTimeAsync(541_000);
    expect(FakeSocket.last.sent.filter((message) => message["type"] === "auth").at(-1)).toEqual({
      type: "auth",
      token: "s3",
    });
  });

  it("ends when the person is signed out", async () => {
    const { VisavisError } = await import("./errors.ts");
    const { ended } = open(() =>
      Promise.reject(new VisavisError({ code: "missing_api_key", message: "Sign in.", status: 401 })),
    );
    await settle();
    expect(ended).toHaveBeenCalledExactlyOnceWith("credential");
    expect(FakeSocket.all).toHaveLength(0);
  });

  it("leaves no timer and no socket behind when it is closed", async () => {
    const { control, ended } = open(async () => ({ secret: "s", expires_in: 600 }));
    await settle();
    FakeSocket.last.accept();
    control.close();
    expect(FakeSocket.last.closedWith).toBe(1000);
    expect(vi.getTimerCount()).toBe(0);
    FakeSocket.last.drop(1000);
    expect(ended).not.toHaveBeenCalled();
  });

  it("refuses to queue without bound", async () => {
    const { control } = open();
    const flood = () => {
      for (let count = 0; count < 100; count++) control.send({ type: "message", content: "x" });
    };
    expect(flood).toThrowError(/too much is waiting/);
  });
});
