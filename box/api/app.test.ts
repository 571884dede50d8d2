import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { boxRoutes } from "../../contract/box-routes/box-routes.ts";
import { boxHealthSchema } from "../../contract/health.ts";
import { statsSchema } from "../../contract/live.ts";
import { settingsReadSchema, settingsSavedSchema } from "../../contract/settings.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
beforeAll(async () => {
  box = await startTestBox();
});
afterAll(() => box.close());

test("health says what the contract says", async () => {
  const response = await box.ask("/health", { key: null });
  expect(boxHealthSchema.strict().parse(await response.json())).toMatchObject({
    service: "box",
    state: "free",
  });
});

test("the page shell is HTML that may load nothing", async () => {
  const response = await box.ask("/", { key: null });
  expect(response.headers.get("content-type")).toContain("text/html");
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
});

test("an unknown path and a wrong method are told apart", async () => {
  const unknown = await box.ask("/api/nothing");
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toEqual({ error: { code: "not_found", message: expect.any(String) } });
  const wrong = await box.ask("/api/chat", { method: "DELETE" });
  expect(wrong.status).toBe(405);
  expect(wrong.headers.get("allow")).toBe("POST, OPTIONS");
  expect(await wrong.json()).toEqual({ error: { code: "method_not_allowed", message: expect.any(String) } });
});

test("every answer carries a request id, the caller's own when it is one", async () => {
  expect((await box.ask("/health")).headers.get("x-request-id")).toMatch(/^[\w-]{8,64}$/);
  const named = await box.ask("/nowhere", { headers: { "X-Request-Id": "trace-0001" } });
  expect(named.headers.get("x-request-id")).toBe("trace-0001");
  const bad = await box.ask("/health", { headers: { "X-Request-Id": "two words" } });
  expect(bad.headers.get("x-request-id")).not.toBe("two words");
});

test("a request is one line in the log, with its id and without its query", async () => {
  await box.ask("/api/avatar/preview?avatar=secretive", { headers: { "X-Request-Id": "trace-0002" } });
  const lines = box.logged.filter((line) => line.request_id === "trace-0002");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ msg: "request", method: "GET", path: "/api/avatar/preview", status: 404 });
  expect(JSON.stringify(lines)).not.toContain("secretive");
});

test("pages of other sites may call a box that has keys, and may ask first", async () => {
  const headers = { Origin: "https://elsewhere.example" };
  const answer = await box.ask("/api/avatars", { headers });
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  const refused = await box.ask("/api/avatars", { headers, key: null });
  expect(refused.headers.get("access-control-allow-origin")).toBe("*");
  const preflight = await box.ask("/api/chat", { method: "OPTIONS", key: null, headers });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-headers")).toContain("X-Api-Key");
});

test("an open box serves its own machine and no foreign page", async () => {
  const open = await startTestBox({ SERVICE_API_KEYS: "" });
  try {
    expect((await open.ask("/api/avatars", { key: null })).status).toBe(200);
    const local = { Origin: "http://localhost:8787" };
    expect((await open.ask("/api/avatars", { key: null, headers: local })).status).toBe(200);
    const foreign = await open.ask("/api/interrupt", {
      method: "POST",
      key: null,
      headers: { Origin: "https://elsewhere.example" },
    });
    expect(foreign.status).toBe(409);
    expect(await (await open.ask("/v1/streaming.create_token", { method: "POST" })).json()).toMatchObject({
      code: "auth_disabled",
    });
  } finally {
    await open.close();
  }
});

test.each([
  ["no JSON", "{", "not JSON"],
  ["an array", "[]", "JSON object"],
  ["nothing", "", "not JSON"],
  ["an unknown field", { message: "Hi", loudness: 3 }, "loudness"],
  ["a field of another type", { message: 3 }, "message"],
  ["a missing field", {}, "message"],
  ["a blank message", { message: " \n" }, "message"],
  ["a message over the limit", { message: "x".repeat(20_001) }, "message"],
  ["an engine the box does not have", { message: "Hi", voice_provider: "megaphone" }, "megaphone"],
  ["a voice of another engine", { message: "Hi", voice: "someone-else" }, "voice_provider"],
])("a chat body with %s is a flat 400 that names the trouble", async (_, body, named) => {
  const response = await box.ask("/api/chat", { method: "POST", body });
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error: expect.stringContaining(named) });
});

test("a body of 2 MB is refused, whether its size was announced or not, and the box serves on", async () => {
  const message = "x".repeat(2 * 1024 * 1024);
  const announced = await box.ask("/api/chat", { body: { message } });
  expect(announced.status).toBe(413);
  expect(await announced.json()).toEqual({ error: expect.any(String) });

  const { port } = new URL(box.url);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    socket.on("close", () => resolve(text));
    socket.on("error", (error) => (text === "" ? reject(error) : resolve(text)));
    socket.write("POST /api/chat HTTP/1.1\r\nHost: box\r\nX-Api-Key: key-of-the-first-caller\r\n");
    socket.write("Transfer-Encoding: chunked\r\n\r\n");
    const chunk = "x".repeat(65_536);
    for (let sent = 0; sent < 40; sent++) socket.write(`10000\r\n${chunk}\r\n`);
    socket.write("0\r\n\r\n");
  });
  expect(answer).toMatch(/^HTTP\/1.1 413 /);
  expect((await box.ask("/health")).status).toBe(200);
});

test("settings are read, saved and refused in their own envelope", async () => {
  const read = await box.ask("/api/settings");
  expect(settingsReadSchema.strict().parse(await read.json()).persisted).toBe(false);
  const saved = await box.ask("/api/settings", { body: { system_prompt: "You are a lighthouse." } });
  expect(settingsSavedSchema.strict().parse(await saved.json())).toMatchObject({
    saved: false,
    settings: { system_prompt: "You are a lighthouse.", model: "rehearsal" },
  });
  for (const body of [{ model: "nobody" }, { shoe_size: 43 }, { max_tokens: 0 }]) {
    const refused = await box.ask("/api/settings", { body });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({
      ok: false,
      error: {
        code: "setting_refused",
        message: expect.stringContaining(
          Object.keys(body)[0] === "model" ? "nobody" : String(Object.keys(body)[0]),
        ),
      },
    });
  }
});

test("stats are those of the contract, with and without a session", async () => {
  const idle = statsSchema.strict().parse(await (await box.ask("/api/stats")).json());
  expect(idle.session).toBeNull();
  const { session_id } = await box.connect();
  const live = statsSchema.strict().parse(await (await box.ask("/api/stats")).json());
  expect(live).toMatchObject({ session: { session_id, avatar: "maya" }, fps: 25, rtt_ms: 5 });
  expect(live).toMatchObject({ net_device: "fake", gpu: "", gpu_off: "no NVIDIA driver" });
});

test("a defect is a 500 that tells nothing but its request id", async () => {
  box.faces.list = () => {
    throw new Error("the database password is hunter2");
  };
  const response = await box.ask("/api/avatars");
  expect(response.status).toBe(500);
  const text = await response.text();
  expect(text).not.toContain("hunter2");
  const id = response.headers.get("x-request-id");
  expect(
    box.logged.find((line) => line.request_id === id && String(line.error).includes("hunter2")),
  ).toBeDefined();
});

test("the routes the contract describes are the routes the box has", async () => {
  const overHttp = boxRoutes.filter(({ status }) => status !== 101);
  for (const path of new Set(overHttp.map((route) => route.path))) {
    const methods = overHttp.filter((route) => route.path === path).map(({ method }) => method.toUpperCase());
    const response = await box.ask(path.replace("{id}", "x"), { method: "PUT" });
    expect.soft([path, response.status]).toEqual([path, 405]);
    const allowed = (response.headers.get("allow") ?? "").split(", ");
    expect
      .soft(allowed.filter((method) => !["HEAD", "OPTIONS"].includes(method)).sort())
      .toEqual(methods.sort());
  }
});
