// The box's stay in a room as the rest of it sees it: where LiveKit's client gets stuck on the way in, a second room takes the
// place of the first, and nobody else notices.

import { RoomCallError, type RoomConnection, type RoomListener, type RoomTracks } from "./connection.ts";
import type { LiveKitRoom } from "./livekit-room.ts";
import { isSilence } from "./patience.ts";

type Size = { width: number; height: number };

export interface LiveKitConnectionOptions {
  room: LiveKitRoom;
  listener: RoomListener;
  /** Goes in anew. Rejects as a dial does. */
  enter(): Promise<LiveKitRoom>;
}

export class LiveKitConnection implements RoomConnection {
  readonly #options: LiveKitConnectionOptions;
  #room: LiveKitRoom;
  /** Rooms that were given up, while they are being let go. */
  readonly #leaving: Promise<void>[] = [];
  #closing: Promise<void> | null = null;

  constructor(options: LiveKitConnectionOptions) {
    this.#options = options;
    this.#room = options.room;
  }

  participants(): ReturnType<RoomConnection["participants"]> {
    return this.#room.participants();
  }

  publish(size: Size): ReturnType<RoomConnection["publish"]> {
    if (this.#closing) throw new Error("The room has been left.");
    const first = this.#room.publish(size);
    const tracks = new CurrentTracks(first.tracks);
    const published = first.published.catch(async (error: unknown) => {
      if (!isSilence(error) || this.#closing) throw error;
      await this.#enterAnew();
      const second = this.#room.publish(size);
      tracks.current = second.tracks;
      await second.published;
    });
    return { tracks, published };
  }

  call(call: Parameters<RoomConnection["call"]>[0]): Promise<string> {
    if (this.#closing) return Promise.reject(new RoomCallError(1500, "The room has been left."));
    return this.#room.call(call);
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all([this.#room.close(), ...this.#leaving]).then(() => undefined);
    return this.#closing;
  }

  async #enterAnew(): Promise<void> {
    const { enter, listener } = this.#options;
    const before = this.#room.participants();
    // It would only tell that it was put out by its successor.
    this.#room.mute();
    this.#leaving.push(this.#room.close());
    const room = await enter();
    if (this.#closing) {
      await room.close();
      throw new Error("The room has been left.");
    }
    this.#room = room;
    const there = new Set(room.participants().map(({ identity }) => identity));
    for (const { identity } of before) if (!there.has(identity)) listener.left(identity);
  }
}

/** What leaves the stage goes to whichever room there is. */
class CurrentTracks implements RoomTracks {
  current: RoomTracks;

  constructor(current: RoomTracks) {
    this.current = current;
  }

  sound(samples: Int16Array<ArrayBuffer>): void {
    this.current.sound(samples);
  }

  picture(i420: Uint8Array, timeUs: bigint): void {
    this.current.picture(i420, timeUs);
  }
}
