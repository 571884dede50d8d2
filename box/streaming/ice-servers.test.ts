import { describe, expect, it } from "vitest";
import { toNativeIceServers } from "./ice-servers.ts";

describe("toNativeIceServers", () => {
  it("translates browser-style entries", () => {
    const login = { username: "u", credential: "c" };
    expect(
      toNativeIceServers([
        { urls: ["stun:stun.example.net", "stun:[2001:db8::1]:3479"] },
        {
          urls: ["turn:turn.example.net:3478?transport=tcp", "turns:turn.example.net", "turn:192.0.2.1"],
          ...login,
        },
      ]),
    ).toEqual([
      { hostname: "stun.example.net", port: 3478 },
      { hostname: "2001:db8::1", port: 3479 },
      { hostname: "turn.example.net", port: 3478, username: "u", password: "c", relayType: "TurnTcp" },
      { hostname: "turn.example.net", port: 5349, username: "u", password: "c", relayType: "TurnTls" },
      { hostname: "192.0.2.1", port: 3478, username: "u", password: "c", relayType: "TurnUdp" },
    ]);
  });

  it.each([
    [{ urls: "http://stun.example.net" }],
    [{ urls: "stun:stun.example.net:99999" }],
    [{ urls: "turn:turn.example.net" }],
  ])("refuses %j", (server) => {
    expect(() => toNativeIceServers([server])).toThrow(TypeError);
  });

  it("does not repeat a credential in its message", () => {
    expect(() => toNativeIceServers([{ urls: "turn:x y", credential: "hush" }])).toThrow(/^(?!.*hush)/);
  });
});
