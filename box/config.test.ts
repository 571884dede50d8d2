import { expect, test } from "vitest";
import { ConfigError, isLoopback, readConfig } from "./config.ts";

test("nothing set: an open box on loopback, and no life of its own", () => {
  expect(readConfig({ BOX_ID: "b", BOX_PORT: "" })).toMatchObject({
    id: "b",
    host: "127.0.0.1",
    port: 8788,
    portal: null,
    staticKeys: [],
    anthropic: null,
    session: { idleSeconds: 300, maxSeconds: 3600 },
    rooms: { offered: true, identity: "visavis-avatar", maxMinutes: 120, idleMinutes: 20 },
    lifeSeconds: 0,
    video: { fps: 25 },
  });
});

test("everything set", () => {
  expect(
    readConfig({
      BOX_PORT: "9000",
      BOX_HOST: "0.0.0.0",
      BOX_SECRET: "0123456789abcdef",
      PORTAL_URL: "https://portal.example/",
      BOX_PUBLIC_URL: "https://box.example/",
      SERVICE_API_KEYS: " one ,,two",
      ANTHROPIC_API_KEY: "k",
      RESIDENCY_OPT_IN: "global,apac",
      ICE_SERVERS: '[{"urls":"stun:s.example"}]',
      ICE_PORT_RANGE: "40000-40010",
      VIDEO_FPS: "30",
      ROOMS: "off",
      ROOM_IDENTITY: "face",
      ROOM_MAX_MINUTES: "30",
      ROOM_IDLE_MINUTES: "5",
    }),
  ).toMatchObject({
    port: 9000,
    publicUrl: "https://box.example",
    portal: { url: "https://portal.example", secret: "0123456789abcdef" },
    staticKeys: ["one", "two"],
    anthropic: { apiKey: "k", baseUrl: null },
    residencyOptIn: ["apac", "global"],
    ice: { servers: [{ urls: "stun:s.example" }], portRange: { begin: 40_000, end: 40_010 } },
    video: { fps: 30 },
    rooms: { offered: false, identity: "face", maxMinutes: 30, idleMinutes: 5 },
  });
});

test.each<[string, Record<string, string>]>([
  ["BOX_PORT", { BOX_PORT: "http" }],
  ["BOX_PORT", { BOX_PORT: "70000" }],
  ["PORTAL_URL", { PORTAL_URL: "portal", BOX_SECRET: "0123456789abcdef" }],
  ["BOX_SECRET", { PORTAL_URL: "https://portal.example" }],
  ["BOX_SECRET", { BOX_SECRET: "short" }],
  ["ICE_SERVERS", { ICE_SERVERS: "[{}]" }],
  ["ICE_SERVERS", { ICE_SERVERS: "{" }],
  ["ICE_SERVERS", { ICE_SERVERS: '[{"urls":"http://s.example"}]' }],
  ["ICE_SERVERS", { ICE_SERVERS: '[{"urls":"turn:s.example","username":"u"}]' }],
  ["ICE_PUBLIC_ADDRESS", { ICE_PUBLIC_ADDRESS: "box.example" }],
  ["ICE_PORT_RANGE", { ICE_PORT_RANGE: "9-1" }],
  ["VIDEO_FPS", { VIDEO_FPS: "60" }],
  ["SESSION_IDLE_SECONDS", { SESSION_IDLE_SECONDS: "0" }],
  ["ROOMS", { ROOMS: "some" }],
  ["ROOM_MAX_MINUTES", { ROOM_MAX_MINUTES: "0" }],
  ["BOX_LIFE_SECONDS", { BOX_LIFE_SECONDS: "2592000" }],
  ["LOG_LEVEL", { LOG_LEVEL: "loud" }],
])("%s is named when it is wrong, and its value is not", (name, environment) => {
  const value = environment[name];
  expect(() => readConfig(environment)).toThrow(ConfigError);
  expect(() => readConfig(environment)).toThrow(name);
  if (value && value.length > 4) expect(() => readConfig(environment)).not.toThrow(value);
});

test("a box without keys does not start where others can reach it", () => {
  expect(() => readConfig({ BOX_PUBLIC_URL: "https://box.example" })).toThrow("BOX_PUBLIC_URL");
  expect(() => readConfig({ BOX_HOST: "0.0.0.0" })).toThrow("BOX_HOST");
  expect(readConfig({ BOX_PUBLIC_URL: "http://localhost:8788" }).staticKeys).toEqual([]);
  expect(readConfig({ BOX_PUBLIC_URL: "https://box.example", SERVICE_API_KEYS: "k" }).staticKeys).toEqual([
    "k",
  ]);
});

test("loopback is this machine and nothing that looks like it", () => {
  for (const host of ["localhost", "127.0.0.1", "127.8.9.1", "[::1]", "::1", "box.localhost"])
    expect(isLoopback(host)).toBe(true);
  for (const host of ["localhost.example", "127.0.0.1.example", "10.0.0.1", "::", "0.0.0.0"])
    expect(isLoopback(host)).toBe(false);
});
