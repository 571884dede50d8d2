// What the server reads from a client's offer.

export interface Codec {
  payloadType: number;
  /** As the offer spells it: "opus", "H264". */
  name: string;
  fmtp: string;
}

export interface Section {
  kind: "audio" | "video" | "application";
  mid: string;
  direction: "sendrecv" | "sendonly" | "recvonly" | "inactive";
  /** In the order of the client's preference; retransmission and redundancy formats are left out. */
  codecs: Codec[];
  ssrc: number | undefined;
  /** Of the track that the client sends; its `cid` in the request to publish it. */
  trackId: string | undefined;
}

const notCodecs = new Set(["rtx", "red", "ulpfec", "cn", "telephone-event", "flexfec-03"]);

const credentials = /^a=ice-(?:ufrag|pwd):.*$/gm;

/** An offer with the ICE credentials of another: of the two lines that each section has, the first offer's first two. */
export function withCredentialsOf(first: string, sdp: string): string {
  const [ufrag = "", pwd = ""] = first.match(credentials) ?? [];
  return sdp.replaceAll(credentials, (line) => (line.startsWith("a=ice-ufrag") ? ufrag : pwd));
}

/** @throws Error where a section has no mid. */
export function readSections(sdp: string): Section[] {
  return sdp
    .split(/^m=/m)
    .slice(1)
    .map((text) => readSection(text.split(/\r?\n/)));
}

function readSection([first = "", ...lines]: string[]): Section {
  const value = (name: string) => lines.find((line) => line.startsWith(`a=${name}:`))?.slice(name.length + 3);
  const kind = first.split(" ")[0] as Section["kind"];
  const mid = value("mid");
  if (mid === undefined) throw new Error("A section of the offer has no mid.");
  const directions = ["sendrecv", "sendonly", "recvonly", "inactive"] as const;
  const rejected = first.split(" ")[1] === "0";
  const said = directions.find((direction) => lines.includes(`a=${direction}`)) ?? "sendrecv";
  const ssrc = value("ssrc")?.split(" ")[0];
  return {
    kind,
    mid,
    direction: rejected ? "inactive" : said,
    codecs: kind === "application" ? [] : readCodecs(first, lines),
    ssrc: ssrc === undefined ? undefined : Number(ssrc),
    trackId: value("msid")?.split(" ")[1],
  };
}

function readCodecs(first: string, lines: string[]): Codec[] {
  return first
    .trim()
    .split(" ")
    .slice(3)
    .flatMap((payloadType) => {
      const map = lines.find((line) => line.startsWith(`a=rtpmap:${payloadType} `))?.split(" ")[1];
      const name = map?.split("/")[0];
      if (!name || notCodecs.has(name.toLowerCase())) return [];
      const fmtp = lines.find((line) => line.startsWith(`a=fmtp:${payloadType} `));
      return [
        { payloadType: Number(payloadType), name, fmtp: fmtp?.slice(`a=fmtp:${payloadType} `.length) ?? "" },
      ];
    });
}

const h264Field = (codec: Codec, field: string): string | undefined =>
  new RegExp(`${field}=([0-9a-fA-F]+)`).exec(codec.fmtp)?.[1];

/** The receiver's name for the codec that a publisher sends; H.264 also by packetisation mode and, if it can be, by profile. */
export function matchingCodec(sent: Codec, offered: readonly Codec[]): Codec | undefined {
  const same = offered.filter((codec) => codec.name.toLowerCase() === sent.name.toLowerCase());
  if (sent.name.toLowerCase() !== "h264") return same[0];
  const mode = same.filter(
    (codec) => h264Field(codec, "packetization-mode") === h264Field(sent, "packetization-mode"),
  );
  const profile = h264Field(sent, "profile-level-id")?.slice(0, 4);
  return mode.find((codec) => h264Field(codec, "profile-level-id")?.slice(0, 4) === profile) ?? mode[0];
}

/**
 * An answer, and its candidates by themselves, without repetition. A client that is told both at once may be connected before it
 * has finished with the answer, which LiveKit's (1.1.0) does not expect: it then deadlocks over its next offer. Room servers
 * send candidates one by one after their answer.
 */
export function withoutCandidates(answer: string): { sdp: string; candidates: string[] } {
  const lines = answer.split("\r\n");
  const isCandidate = (line: string) => line.startsWith("a=candidate:");
  return {
    sdp: lines.filter((line) => !isCandidate(line) && line !== "a=end-of-candidates").join("\r\n"),
    candidates: [...new Set(lines.filter(isCandidate).map((line) => line.slice("a=".length)))],
  };
}
