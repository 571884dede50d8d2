// What a careless or hostile caller sends, each answered clearly, and the next caller is served as if nothing happened.

import { join } from "node:path";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startBox, type BoxProcess } from "./harness/box.ts";
import { root } from "./harness/process.ts";
import { connectRtc } from "./harness/rtc-client.ts";

let box: BoxProcess;

beforeAll(async () => {
  box = await startBox();
});

afterAll(() => box?.stop());

/** Every abuse is followed by an ordinary caller. */
afterEach(async () => {
  const client = await connectRtc(box.url);
  await expect.poll(() => client.video.length, { interval: 10 }).toBeGreaterThan(2);
  client.close();
  const left = await fetch(`${box.url}/disconnect`, { method: "POST" });
  expect(left.status).toBe(200);
});

const portrait = (name: string) => sharp(join(root, `box/avatars/stock/${name}.png`));

async function upload(bytes: Uint8Array, filename: string): Promise<{ status: number; body: unknown }> {
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(bytes)]), filename);
  const response = await fetch(`${box.url}/api/avatar`, { method: "POST", body: form });
  return { status: response.status, body: await response.json() };
}

const refusal = (code: RegExp) => ({
  error: { code: expect.stringMatching(code), message: expect.stringMatching(/\w+ \w+/) },
});

describe("photographs", () => {
  it("without a face", async () => {
    const wall = await sharp({ create: { width: 700, height: 700, channels: 3, background: "#7788aa" } })
      .png()
      .toBuffer();
    expect(await upload(wall, "wall.png")).toEqual({ status: 400, body: refusal(/^no_face$/) });
  });

  it("with two faces", async () => {
    const half = (name: string) => portrait(name).resize(800, 800).toBuffer();
    const couple = await sharp({ create: { width: 1600, height: 800, channels: 3, background: "#ccc" } })
      .composite([
        { input: await half("maya"), left: 0, top: 0 },
        { input: await half("theo"), left: 800, top: 0 },
      ])
      .jpeg()
      .toBuffer();
    expect(await upload(couple, "couple.jpg")).toEqual({ status: 400, body: refusal(/^several_faces$/) });
  });

  it("of forty megapixels", async () => {
    const huge = await sharp({ create: { width: 8000, height: 5000, channels: 3, background: "#fff" } })
      .jpeg({ quality: 20 })
      .toBuffer();
    expect(await upload(huge, "huge.jpg")).toEqual({ status: 413, body: refusal(/^image_too/) });
  });

  it("cut off in the middle", async () => {
    const whole = await portrait("theo").jpeg().toBuffer();
    const { status, body } = await upload(whole.subarray(0, whole.length / 2), "half.jpg");
    expect({ status, body }).toEqual({ status: 400, body: refusal(/^image_/) });
  });

  it("that are text files", async () => {
    const { status, body } = await upload(Buffer.from("I am a picture, honestly.\n"), "note.png");
    expect({ status, body }).toEqual({ status: 400, body: refusal(/^image_/) });
  });

  it("in CMYK or turned by EXIF are taken", async () => {
    const cmyk = await portrait("maya").toColourspace("cmyk").jpeg().toBuffer();
    expect((await upload(cmyk, "print.jpg")).status).toBe(200);
    const lying = await portrait("theo").rotate(90).withMetadata({ orientation: 8 }).jpeg().toBuffer();
    expect((await upload(lying, "phone.jpg")).status).toBe(200);
  });

  it("in a body that is no multipart form, or has no file", async () => {
    const plain = await fetch(`${box.url}/api/avatar`, { method: "POST", body: "hello" });
    expect(plain.status).toBe(400);
    const form = new FormData();
    form.set("name", "Nobody");
    const empty = await fetch(`${box.url}/api/avatar`, { method: "POST", body: form });
    expect(empty.status).toBe(400);
  });
});

describe("offers", () => {
  const connect = (body: string, type = "application/json") =>
    fetch(`${box.url}/connect`, { method: "POST", headers: { "content-type": type }, body });

  it("that are broken", async () => {
    expect((await connect(JSON.stringify({ sdp: "v=0\r\nnonsense", type: "offer" }))).status).toBe(400);
    expect((await connect("not sdp at all", "application/sdp")).status).toBe(400);
    expect((await connect("{", "application/json")).status).toBe(400);
  });

  it("without H.264", async () => {
    const sdp = [
      "v=0",
      "o=- 1 1 IN IP4 127.0.0.1",
      "s=-",
      "t=0 0",
      "a=group:BUNDLE 0 1",
      "m=audio 9 UDP/TLS/RTP/SAVPF 111",
      "c=IN IP4 0.0.0.0",
      "a=mid:0",
      "a=recvonly",
      "a=rtcp-mux",
      "a=ice-ufrag:abcd",
      "a=ice-pwd:abcdefghijklmnopqrstuvwx",
      `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => "AB").join(":")}`,
      "a=setup:actpass",
      "a=rtpmap:111 opus/48000/2",
      "m=video 9 UDP/TLS/RTP/SAVPF 96",
      "c=IN IP4 0.0.0.0",
      "a=mid:1",
      "a=recvonly",
      "a=rtcp-mux",
      "a=ice-ufrag:abcd",
      "a=ice-pwd:abcdefghijklmnopqrstuvwx",
      `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => "AB").join(":")}`,
      "a=setup:actpass",
      "a=rtpmap:96 VP8/90000",
      "",
    ].join("\r\n");
    const answer = await connect(JSON.stringify({ sdp, type: "offer" }));
    expect(answer.status).toBe(400);
    expect(JSON.stringify(await answer.json())).toMatch(/H\.?264/i);
  });
});

describe("chat", () => {
  const chat = (body: object) =>
    fetch(`${box.url}/api/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  it("of two megabytes", async () => {
    expect((await chat({ message: "a".repeat(2 * 1024 * 1024) })).status).toBe(413);
  });

  it("with a field nobody knows", async () => {
    const answer = await chat({ message: "hello", volume: 11 });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(await answer.json())).toContain("volume");
  });

  it("that is blank", async () => {
    expect((await chat({ message: "  \n" })).status).toBe(400);
  });
});

describe("control sockets", () => {
  /** Opens a socket, does something to it, and answers the code it was closed with. */
  function closedAfter(abuse: (socket: WebSocket) => void): Promise<number> {
    const socket = new WebSocket(`${box.url.replace("http", "ws")}/api/session/ws`);
    return new Promise((resolve, reject) => {
      socket.once("open", () => abuse(socket));
      socket.once("close", resolve);
      // A peer that is cut off while it still writes sees an error as well.
      socket.on("error", () => {});
      setTimeout(() => reject(new Error("The socket stayed open.")), 10_000).unref();
    });
  }

  it("that send binary", async () => {
    expect(await closedAfter((socket) => socket.send(Buffer.from([1, 2, 3])))).toBe(1003);
  });

  it("that send a megabyte at once", async () => {
    const frame = JSON.stringify({ type: "message", content: "x".repeat(1024 * 1024) });
    expect(await closedAfter((socket) => socket.send(frame))).toBe(1009);
  });

  it("that send ten thousand messages", async () => {
    const flood = (socket: WebSocket) => {
      for (let i = 0; i < 10_000; i += 1) socket.send('{"type":"heartbeat"}');
    };
    expect(await closedAfter(flood)).toBe(1008);
  });

  it("may send types nobody knows", async () => {
    const socket = new WebSocket(`${box.url.replace("http", "ws")}/api/session/ws`);
    const events: string[] = [];
    socket.on("message", (data) => events.push(JSON.parse(data.toString()).type));
    await new Promise((resolve) => {
      socket.once("open", resolve);
    });
    socket.send('{"type":"teleport"}');
    socket.send('{"type":"interrupt"}');
    await expect.poll(() => events).toContain("interrupted");
    expect(events).not.toContain("error");
    socket.close();
  });
});

it("leaves no stack trace in the log", () => {
  expect(box.output()).not.toMatch(/\n\s+at .*:\d+:\d+/);
});
