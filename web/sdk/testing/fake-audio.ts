// A browser's microphone under the test's hand.

import { vi } from "vitest";

export class FakeTrack extends EventTarget {
  enabled = true;
  contentHint = "";
  stopped = false;

  stop(): void {
    this.stopped = true;
  }
}

class FakePort extends EventTarget {
  readonly posted: unknown[] = [];
  closed = false;

  start(): void {}

  postMessage(message: unknown): void {
    this.posted.push(message);
  }

  close(): void {
    this.closed = true;
  }
}

class FakeContext extends EventTarget {
  state: AudioContextState = "suspended";
  readonly destination = {};
  resumed = 0;
  readonly audioWorklet: { addModule(url: string): Promise<void> };

  constructor(addModule: (url: string) => Promise<void>) {
    super();
    this.audioWorklet = { addModule };
  }

  createMediaStreamSource() {
    return { connect: () => undefined };
  }

  resume(): Promise<void> {
    this.resumed += 1;
    this.become("running");
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.become("closed");
    return Promise.resolve();
  }

  become(state: AudioContextState): void {
    this.state = state;
    this.dispatchEvent(new Event("statechange"));
  }
}

export class FakeAudio {
  readonly asked: MediaStreamConstraints[] = [];
  readonly contexts: FakeContext[] = [];
  readonly modules: string[] = [];
  readonly tracks: FakeTrack[] = [];
  moduleLoads = true;
  /** What the person answers, once it is set to something else than a track. */
  answer: () => Promise<FakeTrack> = () => Promise.resolve(new FakeTrack());
  readonly ports: FakePort[] = [];

  install(): this {
    vi.stubGlobal("navigator", {
      mediaDevices: {
        getUserMedia: async (constraints: MediaStreamConstraints) => {
          this.asked.push(constraints);
          const track = await this.answer();
          this.tracks.push(track);
          return { getTracks: () => [track], getAudioTracks: () => [track] };
        },
      },
    });
    const keep = (context: FakeContext) => this.contexts.push(context);
    const keepPort = (port: FakePort) => this.ports.push(port);
    const load = (url: string) => {
      this.modules.push(url);
      return this.moduleLoads ? Promise.resolve() : Promise.reject(new DOMException("", "AbortError"));
    };
    vi.stubGlobal(
      "AudioContext",
      class extends FakeContext {
        constructor() {
          super(load);
          keep(this);
        }
      },
    );
    vi.stubGlobal(
      "AudioWorkletNode",
      class {
        readonly port = new FakePort();
        constructor() {
          keepPort(this.port);
        }
        connect() {}
        disconnect() {}
      },
    );
    return this;
  }

  refuse(name: string): void {
    this.answer = () => Promise.reject(new DOMException("refused", name));
  }

  /** One frame comes from the audio thread. */
  frame(rms = 0.1): ArrayBuffer {
    const pcm = new ArrayBuffer(1024);
    this.ports.at(-1)?.dispatchEvent(new MessageEvent("message", { data: { pcm, rms } }));
    return pcm;
  }

  /** Whether everything that was opened is closed. */
  get free(): boolean {
    return (
      this.tracks.every((track) => track.stopped) &&
      this.contexts.every((context) => context.state === "closed") &&
      this.ports.every((port) => port.closed)
    );
  }
}
