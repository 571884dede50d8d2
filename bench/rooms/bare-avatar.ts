// An avatar without a face, as the shortest path there is: what arrives on the byte stream goes straight to the published
// track. What it takes is the room's own share: LiveKit's client twice, the server, and the listener's jitter buffer.

import {
  AudioFrame,
  AudioSource,
  LocalAudioTrack,
  TrackPublishOptions,
  TrackSource,
} from "@livekit/rtc-node";
import { Visitor } from "../../test/rooms/visitor.ts";

const rate = 24_000;
/** 10 ms, the least that the client takes. */
const frameSamples = rate / 100;

export async function enterBareAvatar(url: string, token: string): Promise<Visitor> {
  const visitor = await Visitor.enter(url, token);
  const source = new AudioSource(rate, 1, 60_000);
  const track = LocalAudioTrack.createAudioTrack("avatar_audio", source);
  const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
  await visitor.local.publishTrack(track, options);
  let generation = 0;
  visitor.local.registerRpcMethod("lk.clear_buffer", async () => {
    generation += 1;
    source.clearQueue();
    return "ok";
  });
  visitor.room.registerByteStreamHandler("lk.audio_stream", async (reader) => {
    const mine = generation;
    for await (const chunk of reader) {
      const samples = new Int16Array(
        chunk.buffer.slice(chunk.byteOffset, chunk.byteOffset + chunk.byteLength),
      );
      for (let at = 0; at + frameSamples <= samples.length && generation === mine; at += frameSamples) {
        const frame = samples.slice(at, at + frameSamples);
        await source.captureFrame(new AudioFrame(frame, rate, 1, frameSamples));
      }
    }
  });
  return visitor;
}
