import { describe, expect, it } from "vitest";
import { OfferError } from "./errors.ts";
import { completeAnswer, readOffer } from "./offer.ts";
import { attributes, parseSdp } from "./sdp.ts";

const TRANSPORT = [
  "a=ice-ufrag:abcd",
  "a=ice-pwd:0123456789abcdefghijkl",
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => "AB").join(":")}`,
  "a=setup:actpass",
];

const VIDEO = [
  "m=video 9 UDP/TLS/RTP/SAVPF 96 102 104 106 108",
  "c=IN IP4 0.0.0.0",
  "a=mid:0",
  "a=recvonly",
  "a=rtcp-mux",
  ...TRANSPORT,
  "a=rtpmap:96 VP8/90000",
  "a=rtpmap:102 H264/90000",
  "a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f",
  "a=rtpmap:104 H264/90000",
  "a=fmtp:104 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f",
  "a=rtpmap:106 H264/90000",
  "a=fmtp:106 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
  "a=rtpmap:108 H264/90000",
  "a=fmtp:108 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=64001f",
];
const AUDIO = [
  "m=audio 9 UDP/TLS/RTP/SAVPF 111 0",
  "c=IN IP4 0.0.0.0",
  "a=mid:1",
  "a=sendrecv",
  "a=rtcp-mux",
  ...TRANSPORT,
  "a=rtpmap:111 opus/48000/2",
  "a=fmtp:111 minptime=10;useinbandfec=1",
];
const DATA = [
  "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
  "c=IN IP4 0.0.0.0",
  "a=mid:2",
  ...TRANSPORT,
  "a=sctp-port:5000",
];

function sdp(sections: string[][], session: string[] = ["a=group:BUNDLE 0 1 2"]): string {
  return (
    [["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", ...session], ...sections].flat().join("\r\n") +
    "\r\n"
  );
}

function refusal(text: string): string {
  try {
    readOffer(text);
  } catch (error) {
    if (!(error instanceof OfferError)) throw error;
    expect(error.message).toMatch(/^The .*\.$/);
    return error.code;
  }
  return "accepted";
}

const without = (lines: string[], start: string) => lines.filter((line) => !line.startsWith(start));

describe("readOffer", () => {
  it("takes the constrained-baseline payload with packetization-mode 1 and mirrors its parameters", () => {
    const offer = readOffer(sdp([VIDEO, AUDIO, DATA]));
    expect(offer.video).toEqual({
      mid: "0",
      payloadType: 106,
      fmtp: "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
    });
    expect(offer.audio).toEqual({ mid: "1", payloadType: 111, fmtp: "minptime=10;useinbandfec=1" });
    expect(offer.iceUfrag).toBe("abcd");
  });

  it("takes the highest level among equal profiles, and main or high where nothing better is offered", () => {
    const level = VIDEO.map((line) => line.replace("64001f", "42e034"));
    expect(readOffer(sdp([level, AUDIO])).video.payloadType).toBe(108);
    const noBaseline = VIDEO.map((line) => line.replace(/profile-level-id=42.*/, "profile-level-id=640c1f"));
    expect(readOffer(sdp([noBaseline, AUDIO])).video.payloadType).toBe(102);
  });

  it("hands on the two lines only, bundled, in the offer's order", () => {
    const reduced = parseSdp(readOffer(sdp([DATA, AUDIO, VIDEO])).sdp);
    expect(reduced.media.map((section) => section.kind)).toEqual(["audio", "video"]);
    expect(attributes(reduced.session, "group")).toEqual(["BUNDLE 1 0"]);
  });

  it("keeps literal UDP candidates of any bundled line and drops names, TCP and RTCP components", () => {
    const candidates = [
      "a=candidate:1 1 udp 2113937151 0b6a2f5e-9d0c-4a7b-8a6e-2f6b6b8f2d11.local 50001 typ host",
      "a=candidate:2 1 udp 2113937151 192.0.2.7 50002 typ host generation 0",
      "a=candidate:3 1 tcp 1518280447 192.0.2.7 9 typ host tcptype active",
      "a=candidate:4 2 udp 2113937150 192.0.2.7 50003 typ host",
      "a=candidate:5 1 UDP 2113937151 2001:db8::7 50004 typ srflx raddr :: rport 0",
      "a=end-of-candidates",
    ];
    const offer = readOffer(sdp([DATA.concat(candidates), VIDEO, AUDIO]));
    expect(offer.sdp.match(/^a=candidate.*$/gm)?.map((line) => line.split(" ")[4])).toEqual([
      "192.0.2.7",
      "2001:db8::7",
    ]);
    expect(offer.sdp).not.toContain("end-of-candidates");
    expect(readOffer(sdp([VIDEO, AUDIO])).candidateCount).toBe(0);
  });

  it("finds transport attributes at session level and on the line that carries the bundle", () => {
    const bare = (lines: string[]) => lines.filter((line) => !TRANSPORT.includes(line));
    expect(readOffer(sdp([bare(VIDEO), bare(AUDIO)], ["a=group:BUNDLE 0 1", ...TRANSPORT])).sdp).toContain(
      "a=ice-ufrag:abcd",
    );
    const bundleOnly = bare(VIDEO)
      .map((line) => line.replace("m=video 9", "m=video 0"))
      .concat("a=bundle-only");
    const offer = readOffer(sdp([AUDIO, bundleOnly]));
    expect(offer.video.payloadType).toBe(106);
    expect(parseSdp(offer.sdp).media[1]?.lines).toEqual(expect.arrayContaining(TRANSPORT));
  });

  it("takes bare LF line ends", () => {
    expect(readOffer(sdp([VIDEO, AUDIO]).replaceAll("\r", "")).audio.payloadType).toBe(111);
  });

  it.each([
    ["nothing", "", "offer_malformed"],
    ["prose", "hello there", "offer_malformed"],
    ["a line without a type", sdp([VIDEO, AUDIO, ["garbage"]]), "offer_malformed"],
    ["a malformed m= line", sdp([["m=video x"], AUDIO]), "offer_malformed"],
    ["no m= line", sdp([]), "offer_malformed"],
    [
      "more m= lines than anybody needs",
      sdp([VIDEO, AUDIO, ...Array.from({ length: 15 }, () => DATA)]),
      "offer_malformed",
    ],
    ["more than 64 KiB", sdp([VIDEO, AUDIO, [`a=x:${"y".repeat(70_000)}`]]), "offer_too_large"],
    ["audio alone", sdp([AUDIO]), "offer_no_h264"],
    ["VP8 alone", sdp([VIDEO.filter((line) => !line.includes("H264")), AUDIO]), "offer_no_h264"],
    [
      "packetization-mode 0 alone",
      sdp([VIDEO.map((line) => line.replace("mode=1", "mode=0")), AUDIO]),
      "offer_no_h264",
    ],
    [
      "an extended profile",
      sdp([VIDEO.map((line) => line.replace(/id=\w+/, "id=58001f")), AUDIO]),
      "offer_no_h264",
    ],
    [
      "a video line that only sends",
      sdp([VIDEO.map((line) => line.replace("recvonly", "sendonly")), AUDIO]),
      "offer_no_h264",
    ],
    [
      "a rejected video line",
      sdp([VIDEO.map((line) => line.replace("m=video 9", "m=video 0")), AUDIO]),
      "offer_no_h264",
    ],
    ["no audio", sdp([VIDEO]), "offer_no_opus"],
    [
      "no Opus",
      sdp([VIDEO, AUDIO.map((line) => line.replace("opus/48000/2", "G722/8000"))]),
      "offer_no_opus",
    ],
    ["no bundle", sdp([VIDEO, AUDIO], []), "offer_not_bundled"],
    [
      "no ICE user",
      sdp([without(VIDEO, "a=ice-ufrag"), without(AUDIO, "a=ice-ufrag")]),
      "offer_no_transport",
    ],
    [
      "no fingerprint",
      sdp([without(VIDEO, "a=fingerprint"), without(AUDIO, "a=fingerprint")]),
      "offer_no_transport",
    ],
    [
      "a short ICE password",
      sdp([VIDEO, AUDIO].map((l) => l.map((line) => line.replace(/pwd:.*/, "pwd:x")))),
      "offer_no_transport",
    ],
  ])("refuses %s", (_, text, code) => {
    expect(refusal(text)).toBe(code);
  });
});

describe("completeAnswer", () => {
  const answerSdp = sdp(
    [
      ["m=audio 4000 UDP/TLS/RTP/SAVPF 111", "a=mid:1", "a=sendonly"],
      [
        "m=video 4000 UDP/TLS/RTP/SAVPF 106",
        "a=mid:0",
        "a=sendonly",
        "a=candidate:1 1 UDP 2114977791 10.0.0.5 4000 typ host",
        "a=candidate:2 1 UDP 2116026111 fd00::2 4000 typ host",
      ],
    ],
    ["a=group:BUNDLE 1 0"],
  );
  const offer = readOffer(sdp([DATA, AUDIO, VIDEO]));

  it("answers every m= line in the offer's order, rejecting what was left out", () => {
    const answer = parseSdp(completeAnswer({ answerSdp, offer }));
    expect(answer.media.map(({ kind, port }) => [kind, port])).toEqual([
      ["application", 0],
      ["audio", 4000],
      ["video", 4000],
    ]);
    expect(attributes(answer.media[0]?.lines ?? [], "mid")).toEqual(["2"]);
  });

  it("lists the public address before the host's own of the same family", () => {
    const answer = completeAnswer({ answerSdp, offer, publicAddress: "203.0.113.9" });
    expect(answer.match(/^a=candidate.*$/gm)).toEqual([
      "a=candidate:1p 1 UDP 2114977791 203.0.113.9 4000 typ host",
      "a=candidate:1 1 UDP 2114977791 10.0.0.5 4000 typ host",
      "a=candidate:2 1 UDP 2116026111 fd00::2 4000 typ host",
    ]);
  });
});
