// Rooms through LiveKit's own client. It is loaded when the first room is asked for: nobody else pays for it.

import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type { Room } from "@livekit/rtc-node";
import { roomAudioTopic } from "../../contract/rooms.ts";
import type { DialOptions, RoomConnection, RoomDialer, RoomListener, RoomParticipant } from "./connection.ts";
import { RoomCallError } from "./connection.ts";
import { LiveKitTracks } from "./livekit-tracks.ts";
import { publishOnBehalf } from "./token.ts";
import { toneTopics, transcriptionTopic } from "./tones.ts";

export type LiveKit = typeof import("@livekit/rtc-node");

const packages = ["@livekit/rtc-node", "@livekit/rtc-ffi-bindings"];
const clearBufferMethod = "lk.clear_buffer";
/** A room server answers within a second, one that is far away within a few, and LiveKit's client tries more than once. */
const dialWithinMs = 30_000;
/** A server that does not say goodbye is left without. */
const leaveWithinMs = 3_000;
const disposeWithinMs = 2_000;
/** Tone messages are a few bytes; more is something else. */
const longestMessageBytes = 4_096;
/** Where the client keeps its one stream of events. */
const eventsName = "_ffiClientInstance";
/** What LiveKit's client says of a call's failure that has no code of its own. */
const applicationError = 1500;

export class LiveKitDialer implements RoomDialer {
  readonly #load: () => Promise<LiveKit>;
  #loaded: Promise<LiveKit> | null = null;

  /** `load` brings the client; another one stands in for it in tests. */
  constructor(load: () => Promise<LiveKit> = loadClient) {
    this.#load = load;
  }

  async readiness(): Promise<{ problem: string | null; versions: Record<string, string> }> {
    const versions = Object.fromEntries(packages.flatMap((name) => versionOf(name)));
    try {
      await this.#client();
      return { problem: null, versions };
    } catch (error) {
      const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
      return { problem: `LiveKit's client does not load: ${reason}`, versions };
    }
  }

  async dial({ url, token, listener, signal }: DialOptions): Promise<RoomConnection> {
    const client = await this.#client();
    signal.throwIfAborted();
    const room = new client.Room();
    const connection = new LiveKitConnection(client, room, listener);
    const connecting = room.connect(url, token, { autoSubscribe: false, dynacast: false });
    try {
      await unlessLate(connecting, signal);
    } catch (error) {
      // One that comes through after all is left again.
      void connecting.catch(() => undefined).then(() => connection.close());
      throw error;
    }
    connection.connected();
    return connection;
  }

  async close(): Promise<void> {
    const client = await this.#loaded?.catch(() => null);
    // Its threads would keep the process alive.
    if (client) await Promise.race([client.dispose(), sleep(disposeWithinMs)]);
  }

  #client(): Promise<LiveKit> {
    this.#loaded ??= this.#load();
    this.#loaded.catch(() => (this.#loaded = null));
    return this.#loaded;
  }
}

/** Its own log lines are for those who work on it: in production it keeps to what is amiss. */
async function loadClient(): Promise<LiveKit> {
  const { NODE_ENV: before } = process.env;
  process.env.NODE_ENV = "production";
  try {
    return await import("@livekit/rtc-node");
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

function versionOf(name: string): [string, string][] {
  try {
    const require = createRequire(createRequire(import.meta.url).resolve("@livekit/rtc-node"));
    const path = require.resolve(name).replace(/(?<=\/@livekit\/[^/]+\/).*$/, "package.json");
    const { version } = require(path) as { version: string };
    return [[name, version]];
  } catch {
    return [];
  }
}

async function unlessLate(connecting: Promise<void>, signal: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(dialWithinMs);
  const stopped = Promise.withResolvers<never>();
  const stop = () =>
    stopped.reject(signal.aborted ? signal.reason : new Error("The room server took too long."));
  const either = AbortSignal.any([signal, late]);
  either.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([connecting, stopped.promise]);
  } finally {
    either.removeEventListener("abort", stop);
  }
}

class LiveKitConnection implements RoomConnection {
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

  publish(size: { width: number; height: number }): ReturnType<RoomConnection["publish"]> {
    const { localParticipant } = this.#room;
    if (!localParticipant || this.#closing) throw new Error("The room has been left.");
    const tracks = new LiveKitTracks(this.#client, size);
    this.#tracks = tracks;
    return { tracks, published: tracks.publish(localParticipant) };
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
    this.#room.removeAllListeners();
    try {
      await Promise.race([this.#room.disconnect(), sleep(leaveWithinMs)]);
    } catch {
      // The network was gone before.
    }
    await this.#tracks?.close();
    // Each holds on to its side of the connection until it is collected.
    for (const publication of localParticipant?.trackPublications.values() ?? [])
      publication.ffiHandle.dispose();
    localParticipant?.trackPublications.clear();
    this.#forget();
    localParticipant?.ffi_handle.dispose();
  }

  /**
   * A room that the server has ended keeps listening to the client's one stream of events, and its native side until it is
   * collected (1.1.0): both are let go here.
   */
  #forget(): void {
    const room = this.#room as unknown as {
      onFfiEvent?: (event: unknown) => void;
      ffiHandle?: { dispose(): void };
      remoteParticipants: Map<string, { ffi_handle?: { dispose(): void } }>;
    };
    const events = (globalThis as { [eventsName]?: NodeJS.EventEmitter })[eventsName];
    if (room.onFfiEvent) events?.off("ffi_event", room.onFfiEvent);
    for (const participant of room.remoteParticipants.values()) participant.ffi_handle?.dispose();
    room.remoteParticipants.clear();
    room.ffiHandle?.dispose();
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

/** A stream's text; rejects where it is longer than a message. */
async function readShort(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length > longestMessageBytes) throw new Error("The message is too long.");
  }
  return text;
}
