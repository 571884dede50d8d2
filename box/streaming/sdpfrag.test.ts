import { describe, expect, it } from "vitest";
import { isUsable, parseCandidate } from "./candidates.ts";
import { OfferError } from "./errors.ts";
import { parseSdpFragment } from "./sdpfrag.ts";

describe("parseSdpFragment", () => {
  it("reads credentials, candidates with their line, and the end mark", () => {
    const text = [
      "a=ice-ufrag:EsAw",
      "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1",
      "m=video 9 UDP/TLS/RTP/SAVPF 0",
      "a=mid:0",
      "a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw network-id 1",
      "a=end-of-candidates",
    ].join("\r\n");
    expect(parseSdpFragment(text)).toEqual({
      iceUfrag: "EsAw",
      icePwd: "P2uYro0UCOQ4zxjKXaWCBui1",
      candidates: [
        {
          mid: "0",
          candidate:
            "candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw network-id 1",
        },
      ],
      endOfCandidates: true,
    });
  });

  it.each([
    ["an empty body", ""],
    ["a body that is not SDP", '{"candidate":"x"}'],
    ["a malformed candidate", "a=mid:0\r\na=candidate:1 1 udp x 192.0.2.1 1 typ host"],
    ["a port past 65535", "a=candidate:1 1 udp 1 192.0.2.1 70000 typ host"],
    ["too many candidates", "a=candidate:1 1 udp 1 192.0.2.1 5 typ host\n".repeat(65)],
    ["an oversized body", `a=x:${"y".repeat(17_000)}`],
  ])("refuses %s", (_, text) => {
    expect(() => parseSdpFragment(text)).toThrow(OfferError);
  });
});

describe("isUsable", () => {
  it.each([
    ["candidate:1 1 udp 1 192.0.2.1 5 typ host", true],
    ["candidate:1 1 UDP 1 2001:db8::1 5 typ relay raddr 0.0.0.0 rport 0", true],
    ["candidate:1 1 udp 1 abc.local 5 typ host", false],
    ["candidate:1 1 udp 1 example.com 5 typ host", false],
    ["candidate:1 1 tcp 1 192.0.2.1 9 typ host tcptype active", false],
    ["candidate:1 2 udp 1 192.0.2.1 5 typ host", false],
    ["candidate:1 1 udp 1 192.0.2.1 0 typ host", false],
  ])("%s: %s", (value, usable) => {
    const candidate = parseCandidate(value);
    expect(candidate && isUsable(candidate)).toBe(usable);
  });
});
