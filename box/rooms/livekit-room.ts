// One of LiveKit's rooms, from the inside of the box: what happens there, and letting go of all of it.

import type { Room } from "@livekit/rtc-node";
import { roomAudioTopic } from "../../contract/rooms.ts";
import type { RoomListener, RoomParticipant } from "./connection.ts";
import { RoomCallError } from "./connection.ts";
import { LiveKitTracks } from "./livekit-tracks.ts";
import type { LiveKit } from "./livekit-client.ts";
import { within } from "./patience.ts";
import { publishOnBehalf } from "./token.ts";
import { toneTopics, transcriptionTopic } from "./tones.ts";

const clearBufferMethod = "lk.clear_buffer";
/** A server that does not say goodbye is left without. */
const leaveWithinMs = 3_000;
/** Tone messages are a few bytes; more is something else. */
const longestMessageBytes = 4_096;
/** What the client calls whatever comes from its native half. */
export const eventName = "ffi_event";

const eventsName = "_ffiClientInstance";

/** The client's one stream of events; undefined until it has been used. */
export function events(): NodeJS.EventEmitter | undefined {
  return (globalThis as { [eventsName]?: NodeJS.EventEmitter })[eventsName];
}

/** What LiveKit's client says of a call's failure that has no code of its own. */
const applicationError = 1500;

export class LiveKitRoom {
  readonly #client: LiveKit;
  readonly #room: Room;
  readonly #listener: RoomListener;
  #tracks: LiveKitTracks | null = null;
  #closing: Promise<void> | null = null;

  constructor(client: LiveKit, room: Room, listener: RoomListener) {
    this.#client = client;
    this.#room = room;
    this.#listener = listener;
    this.#listen();
  }

  /** It is in the room: who was there before is told of now. */
  connected(): void {
    this.#room.localParticipant?.registerRpcMethod(clearBufferMethod, ({ callerIdentity }) =>
      Promise.resolve(this.#listener.clearBuffer(callerIdentity)),
    );
    for (const participant of this.participants()) this.#listener.joined(participant);
  }

  participants(): RoomParticipant[] {
    return [...this.#room.remoteParticipants.values()].map((participant) => this.#describe(participant));
  }

  /** Nothing is heard of it any more, though it is not left yet. */
  mute(): void {
    this.#room.removeAllListeners();
  }

  /** What may be sent from now on, and when both tracks are published. Throws where the room has been left. */
  publish(size: { width: number; height: number }): { tracks: LiveKitTracks; published: Promise<void> } {
    if (!this.#room.localParticipant || this.#closing) throw new Error("The room has been left.");
    const tracks = new LiveKitTracks(this.#client, size);
    this.#tracks = tracks;
    return { tracks, published: tracks.publish(this.#room) };
  }

  async call({ to, method, payload }: { to: string; method: string; payload: string }): Promise<string> {
    const { localParticipant } = this.#room;
    if (!localParticipant || this.#closing)
      throw new RoomCallError(applicationError, "The room has been left.");
    try {
      return await localParticipant.performRpc({ destinationIdentity: to, method, payload });
    } catch (cause) {
      const known = cause instanceof this.#client.RpcError && typeof cause.code === "number";
      const code = known ? Number(cause.code) : applicationError;
      throw new RoomCallError(code, cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { localParticipant } = this.#room;
    for (const topic of [...toneTopics, transcriptionTopic]) this.#room.unregisterTextStreamHandler(topic);
    this.#room.unregisterByteStreamHandler(roomAudioTopic);
    this.mute();
    const listeners = new Set(events()?.listeners(eventName));
    const goodbye = this.#room.disconnect();
    const waiting =
      events()
        ?.listeners(eventName)
        .filter((each) => !listeners.has(each)) ?? [];
    try {
      await within(goodbye, { ms: leaveWithinMs, what: "No goodbye." });
    } catch {
      // The network was gone before, or the client hangs: then it would be waited for until the end of the process.
      for (const each of waiting) events()?.off(eventName, each as () => void);
    }
    await this.#tracks?.close();
    // Each holds on to its side of the connection until it is collected.
    for (const { ffiHandle } of localParticipant?.trackPublications.values() ?? []) drop(ffiHandle);
    localParticipant?.trackPublications.clear();
    this.#forget();
    drop(localParticipant?.ffi_handle);
  }

  /**
   * A room that the server has ended, or whose goodbye was not heard, keeps listening to the client's one stream of events, and
   * its native side until it is collected (1.1.0): all of it is let go here.
   */
  #forget(): void {
    const room = this.#room as unknown as {
      onFfiEvent?: (event: unknown) => void;
      preConnectEvents?: unknown[];
      disconnectController?: AbortController;
      ffiHandle?: Handle;
    };
    if (room.onFfiEvent) events()?.off(eventName, room.onFfiEvent);
    room.preConnectEvents?.splice(0);
    // Whoever still waits for an answer waits no longer.
    room.disconnectController?.abort();
    for (const participant of this.#room.remoteParticipants.values()) {
      for (const { ffiHandle } of participant.trackPublications.values()) drop(ffiHandle);
      drop(participant.ffi_handle);
    }
    this.#room.remoteParticipants.clear();
    drop(room.ffiHandle);
  }

  #describe({
    identity,
    kind,
    attributes,
  }: {
    identity: string;
    kind: number;
    attributes: Record<string, string>;
  }): RoomParticipant {
    return {
      identity,
      agent: kind === this.#client.ParticipantKind.AGENT,
      avatar: attributes[publishOnBehalf] !== undefined,
    };
  }

  #listen(): void {
    const { RoomEvent, DisconnectReason } = this.#client;
    const [room, listener] = [this.#room, this.#listener];
    room.on(RoomEvent.ParticipantConnected, (participant) => listener.joined(this.#describe(participant)));
    room.on(RoomEvent.ParticipantDisconnected, ({ identity }) => listener.left(identity));
    room.on(RoomEvent.Reconnecting, () => listener.reconnecting());
    room.on(RoomEvent.Reconnected, () => listener.reconnected());
    room.on(RoomEvent.Disconnected, (reason) => {
      const dismissals = [
        DisconnectReason.CLIENT_INITIATED,
        DisconnectReason.DUPLICATE_IDENTITY,
        DisconnectReason.PARTICIPANT_REMOVED,
        DisconnectReason.ROOM_DELETED,
        DisconnectReason.ROOM_CLOSED,
        DisconnectReason.SERVER_SHUTDOWN,
      ];
      listener.over(dismissals.includes(reason) ? "dismissed" : "lost");
    });
    room.on(RoomEvent.DataReceived, (payload, participant, _kind, topic) => {
      if (!participant || payload.length > longestMessageBytes) return;
      if (!toneTopics.some((known) => known === topic)) return;
      const text = new TextDecoder().decode(payload);
      listener.message({ from: participant.identity, topic: topic ?? "", text, attributes: {} });
    });
    room.registerByteStreamHandler(roomAudioTopic, (reader, { identity }) => {
      listener.sound({
        from: identity,
        id: reader.info.streamId,
        attributes: reader.info.attributes ?? {},
        chunks: reader as AsyncIterable<Uint8Array>,
        close: () => reader.close().catch(() => undefined),
      });
    });
    for (const topic of toneTopics)
      room.registerTextStreamHandler(topic, (reader, { identity }) => {
        void readShort(reader as AsyncIterable<string>)
          .then((text) => listener.message({ from: identity, topic, text, attributes: {} }))
          .catch(() => undefined);
      });
    // The words are the agent's own business.
    room.registerTextStreamHandler(transcriptionTopic, (reader, { identity }) => {
      const attributes = reader.info.attributes ?? {};
      void reader.close().catch(() => undefined);
      listener.message({ from: identity, topic: transcriptionTopic, text: "", attributes });
    });
  }
}

interface Handle {
  dispose(): void;
}

/** One that is gone already says so with an exception, and the others are to be let go all the same. */
function drop(handle: Handle | undefined): void {
  try {
    handle?.dispose();
  } catch {
    // As said.
  }
}

/** A stream's text; rejects where it is longer than a message. */
async function readShort(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length > longestMessageBytes) throw new Error("The message is too long.");
  }
  return text;
}
