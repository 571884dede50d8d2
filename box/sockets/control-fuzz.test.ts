import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { clientMessageSchemas, closeCode, serverEventSchema } from "../../contract/control-socket.ts";
import { limits } from "../../contract/limits.ts";
import { brokenJson } from "../testing/broken-json.ts";
import { Random } from "../testing/random.ts";
import { startTestBox, staticKey } from "../testing/test-box.ts";
import { ControlMachine, type ControlOutput } from "./control-machine.ts";

/** Of a machine that has other things to do. */
const patience = { timeout: 60_000, interval: 5 };

const ready = {
  type: "session_ready" as const,
  sessionId: null,
  avatar: "maya",
  tones: ["neutral" as const],
};

/** One of every kind, and more of those with more in them. */
const messages: object[] = [
  { type: "message", content: "Hello.", avatar: "maya", voice: "en-us", correlationId: "c1" },
  { type: "message", content: "Hello." },
  { type: "talk", content: "As written.", voice: "en-us", tone: "warm", correlationId: "c2" },
  { type: "talkstream", content: "A ", startOfSpeech: true, endOfSpeech: false, correlationId: "c3" },
  { type: "talkstream", content: "reply.", startOfSpeech: false, endOfSpeech: true, correlationId: "c3" },
  { type: "talkstream", content: "Whole.", startOfSpeech: true, endOfSpeech: true },
  { type: "interrupt" },
  { type: "auth", token: "nobody's" },
  { type: "heartbeat" },
  { type: "tool_result", id: "t1", result: { state: "sent", nested: [1, [2, { three: 3 }]] } },
];

const schemas = new Map<string, { safeParse(value: unknown): { success: boolean } }>(
  Object.entries(clientMessageSchemas),
);

/** What the contract makes of a frame, found without the machine. */
function sense(data: string): { type: string } | "nonsense" | "unknown" | "wrong" {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return "nonsense";
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) return "nonsense";
  const type: unknown = Object.getOwnPropertyDescriptor(value, "type")?.value;
  if (typeof type !== "string") return "nonsense";
  const schema = schemas.get(type);
  if (!schema) return "unknown";
  return schema.safeParse(value).success ? { type } : "wrong";
}

const refusable = new Set(["message", "talk", "talkstream"]);

const commands: Record<string, ControlOutput["case"]> = {
  message: "message",
  talk: "talk",
  talkstream: "talk",
  interrupt: "interrupt",
  auth: "verify",
  tool_result: "tool_result",
};

/** What is wrong with the answer to a frame; null when it is one of those that are documented for it. */
function fault(data: string, outputs: ControlOutput[]): string | null {
  const [first, second, third] = outputs;
  const said = sense(data);
  const type = typeof said === "object" ? said.type : null;
  if (third) return "more than an error and a close";
  if (said === "unknown") return first ? "an unknown type was answered" : null;
  if (first?.case === "send") {
    if (first.event.type !== "error") return `answered with ${first.event.type}`;
    const { error, fatal } = first.event;
    if (error.length > 1_000 || !error.isWellFormed()) return "an error that repeats too much";
    if (fatal !== (second?.case === "close")) return "fatal and closed are not the same";
    if (second?.case === "close" && (second.code !== closeCode.policy || second.reason !== error))
      return "another close than its error";
    // Only blank words and broken talkstreams are refused although they are well formed.
    return type === null || refusable.has(type) ? null : `${type} was refused`;
  }
  if (second) return "more than one command";
  if (type === null) return "it was not refused";
  if (!first) return type === "heartbeat" || type === "talkstream" ? null : `${type} went nowhere`;
  if (first.case !== commands[type]) return `${type} became ${first.case}`;
  const content =
    first.case === "message" ? first.message.content : first.case === "talk" ? first.talk.content : "";
  return content.isWellFormed() ? null : "half a character";
}

test("a hundred thousand broken frames: each is answered as documented, and the machine lives on", () => {
  const random = new Random(20_261_121);
  const heard = { machines: 0, commands: 0, refusals: 0, silence: 0 };
  let machine: ControlMachine | null = null;
  let nowMs = 0;
  for (let frame = 0; frame < 100_000; frame++) {
    if (!machine || machine.state === "closed") {
      machine = new ControlMachine(nowMs);
      machine.handle({ case: "opened", ready });
      heard.machines++;
    }
    nowMs += 1_000 / limits.controlMessagesPerSecond;
    const data = brokenJson(random, messages);
    const outputs = machine.handle({ case: "text", data, nowMs });
    const wrong = fault(data, outputs);
    if (wrong !== null) throw new Error(`${wrong}: ${data.slice(0, 500)}`);
    const [first] = outputs;
    if (first?.case === "verify") machine.handle({ case: "verified", live: random.chance(0.5) });
    if (first?.case === "interrupt") machine.handle({ case: "event", event: { type: "interrupted" } });
    if (!first) heard.silence++;
    else if (first.case === "send") heard.refusals++;
    else heard.commands++;
  }
  expect(Object.prototype).not.toHaveProperty("polluted");
  // The noise had all there is in it.
  for (const [what, count] of Object.entries(heard)) expect([what, count > 1_000]).toEqual([what, true]);
});

/** A WebSocket's bytes behind the handshake, for a peer that does not keep to the protocol. */
async function rawPeer(url: string, bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(
    `GET /api/session/ws?session_token=${staticKey} HTTP/1.1\r\nHost: box\r\nUpgrade: websocket\r\n` +
      `Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once("data", resolve));
  socket.end(bytes);
  socket.resume();
  await closed;
}

/** A masked frame with whatever in its header. */
function frame(random: Random, payload: Buffer): Buffer {
  const first = random.chance(0.5) ? random.below(256) : random.pick([0x81, 0x01, 0x80, 0x89, 0x8a, 0x88]);
  const masked = random.chance(0.8) ? 0x80 : 0;
  return Buffer.concat([
    Buffer.from([first, masked | Math.min(125, payload.length), ...(masked ? [0, 0, 0, 0] : [])]),
    payload.subarray(0, 125),
  ]);
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test("ten thousand of them through real sockets: none is left over, and the box serves on", async () => {
  const box = await startTestBox();
  const random = new Random(4_242);
  const { hub, sockets } = box.services;
  try {
    await box.connect();
    const codes = new Map<number, number>();
    let sent = 0;
    const storm = async (until: number) => {
      while (sent < until) {
        const socket = await box.socket();
        // Some peers are only careless, and stay.
        const careless = random.chance(0.4);
        for (let count = 0; count < 80; count++, sent++) {
          const broken = careless ? count % 20 === 0 : true;
          socket.send(broken ? brokenJson(random, messages) : random.pick(messages));
        }
        if (random.chance(0.2)) socket.send(random.bytes(random.below(100)));
        if (random.chance(0.7)) socket.close();
        else socket.drop();
        const { code } = await socket.closed;
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (socket.events.length > 0) expect(socket.events[0]?.type).toBe("session_ready");
        for (const event of socket.events) serverEventSchema.parse(event);
      }
    };
    await storm(3_000);
    await expect.poll(() => sockets.size, patience).toBe(0);
    const before = heapBytes();
    await storm(10_000);
    for (let count = 0; count < 200; count++) {
      const frames = Array.from({ length: 1 + random.below(5) }, () =>
        frame(random, random.bytes(random.below(130))),
      );
      await rawPeer(box.url, Buffer.concat(frames));
    }
    await expect.poll(() => sockets.size, patience).toBe(0);
    expect(hub.size).toBe(0);
    expect(heapBytes() - before).toBeLessThan(24 * 1024 * 1024);
    // Every way out was taken by some; a box that broke inside would have said 1011.
    expect([...codes.keys()].sort((a, b) => a - b)).toEqual(
      expect.arrayContaining([closeCode.unsupported, 1005, 1006, closeCode.policy]),
    );
    expect(codes.has(1011)).toBe(false);
    expect(box.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);

    const next = await box.socket();
    next.send({ type: "message", content: "Still there?" });
    expect((await next.next("message")).content).toBe("Hello there. How are you?");
  } finally {
    await box.close();
  }
});
