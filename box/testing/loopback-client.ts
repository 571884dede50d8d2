import { Audio, PeerConnection, RtcpReceivingSession, Video } from "node-datachannel";
import type { Track } from "node-datachannel";

export interface LoopbackClient {
  offerSdp: string;
  connection: PeerConnection;
  video: Track;
  audio: Track;
  /** Connection states in the order they came. */
  states: string[];
  /** Raw RTP as it arrives. */
  videoPackets: Buffer[];
  audioPackets: Buffer[];
  close(): Promise<void>;
}

export const BASELINE_FMTP = "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f";

/** A receiver made of the same library: one line for video, one for audio, a data channel nobody answers. */
export async function loopbackClient(): Promise<LoopbackClient> {
  const connection = new PeerConnection("client", { iceServers: [], disableAutoNegotiation: true });
  const states: string[] = [];
  const closed = new Promise<void>((resolve) => {
    connection.onStateChange((state) => {
      states.push(state);
      if (state === "closed") resolve();
    });
  });
  const videoLine = new Video("v", "RecvOnly");
  videoLine.addH264Codec(102, BASELINE_FMTP);
  const audioLine = new Audio("a", "RecvOnly");
  audioLine.addOpusCodec(111);
  const videoPackets: Buffer[] = [];
  const audioPackets: Buffer[] = [];
  const receive = (line: Video | Audio, packets: Buffer[]) => {
    const track = connection.addTrack(line);
    track.setMediaHandler(new RtcpReceivingSession());
    track.onMessage((data) => {
      const type = data.readUInt8(1);
      if (type < 192 || type > 223) packets.push(data);
    });
    track.onClosed(() => undefined);
    return track;
  };
  const video = receive(videoLine, videoPackets);
  const audio = receive(audioLine, audioPackets);
  const channel = connection.createDataChannel("unused");
  channel.onClosed(() => undefined);
  const gathered = new Promise<void>((resolve) => {
    connection.onGatheringStateChange((state) => {
      if (state === "complete") resolve();
    });
  });
  connection.setLocalDescription("offer");
  await gathered;
  return {
    offerSdp: connection.localDescription()?.sdp ?? "",
    connection,
    states,
    video,
    audio,
    videoPackets,
    audioPackets,
    async close() {
      channel.close();
      video.close();
      audio.close();
      connection.close();
      await closed;
    },
  };
}
