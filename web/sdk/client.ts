// The client: what a page calls.

import type { AudioList } from "../../contract/audios.ts";
import type { AvatarCreated, AvatarList, ClipList } from "../../contract/avatars.ts";
import type { ChatStatus } from "../../contract/chat.ts";
import { limits } from "../../contract/limits.ts";
import type { ConnectAnswer, IceServer } from "../../contract/live.ts";
import type { VoiceEngine } from "../../contract/settings.ts";
import type { StillJob, StillRequest } from "../../contract/stills.ts";
import type { Tone } from "../../contract/tones.ts";
import type { VoiceCatalogue } from "../../contract/voices.ts";
import { type CredentialOptions, Credentials } from "./credentials.ts";
import { clientError } from "./errors.ts";
import { type ConnectionState, Emitter, type EventName, type Listener } from "./events.ts";
import { Http } from "./http.ts";
import { type ConnectFields, warmUp } from "./media.ts";
import { Microphone } from "./microphone.ts";
import { Session } from "./session.ts";
import type { StreamStats } from "./stats.ts";
import { TalkStream, type TalkStreamOptions } from "./talk-stream.ts";
import { ClientTools } from "./tools.ts";
import { type AudioUploaded, uploadAudio, uploadAvatar, type UploadOptions } from "./upload.ts";
import { VideoOutput } from "./video-output.ts";

/** A provider that is asked may take its time, and an engine may have to wake first. */
const voicesMs = 45_000;

export interface ClientOptions extends CredentialOptions {
  /** Where the service is; the page's own origin unless given. */
  baseUrl?: string;
  /** STUN and TURN servers for the first connection; later ones use what the box answers. */
  iceServers?: IceServer[];
  /** Where the script of the microphone's audio worklet is, for pages that are not built with Vite. */
  microphoneWorkletUrl?: string;
}

export interface MessageOptions {
  avatar?: string;
  voice?: string;
  /** Threads the turn through its events; drawn at random unless given. */
  correlationId?: string;
}

export interface TalkOptions {
  tone?: Tone;
  voice?: string;
  correlationId?: string;
}

function withoutUndefined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value;
}

export class Client {
  /** The person's voice. */
  readonly microphone: Microphone;
  /** Tools that run in this page. */
  readonly tools = new ClientTools((id, result) => this.sendToolResult(id, result));
  readonly #emitter = new Emitter();
  readonly #http: Http;
  readonly #iceServers: IceServer[];
  readonly #output: VideoOutput;
  #session: Session | null = null;

  constructor(options: ClientOptions) {
    const credentials = new Credentials(options);
    this.#http = new Http({ baseUrl: options.baseUrl ?? globalThis.location?.origin ?? "", credentials });
    this.#iceServers = options.iceServers ?? [];
    this.#output = new VideoOutput({
      onFirstFrame: () => this.#session?.firstFrameShown(),
      onBlocked: () =>
        this.#emitter.emit("WARNING", {
          code: "autoplay_blocked",
          message: "The browser plays sound only after a click; the picture plays muted until then.",
        }),
    });
    this.microphone = new Microphone({
      http: this.#http,
      workletUrl: options.microphoneWorkletUrl,
      session: () => {
        const state = this.connectionState;
        if (state === "idle" || state === "closed") return "none";
        return state === "connected" ? "live" : "opening";
      },
      onSessionEnd: () => this.#session?.personaLeft(),
    });
    this.#emitter.addListener("CONNECTION_STATE", () => this.microphone.sessionChanged());
    this.#emitter.addListener("CLOSED", ({ reason }) => this.microphone.sessionClosed(reason));
    this.#emitter.addListener("TOOL_CALL", (call) => void this.tools.run(call));
  }

  get connectionState(): ConnectionState {
    return this.#session?.state ?? "idle";
  }

  /** Id of the live session, or null. */
  get sessionId(): string | null {
    return this.#session && this.#session.state !== "closed"
      ? (this.#session.answer?.session_id ?? null)
      : null;
  }

  /** Returns a function that removes the listener again. */
  addListener<Name extends EventName>(name: Name, listener: Listener<Name>): () => void {
    return this.#emitter.addListener(name, listener);
  }

  removeListener<Name extends EventName>(name: Name, listener: Listener<Name>): void {
    this.#emitter.removeListener(name, listener);
  }

  /** Does ahead of time what the first `connect()` would wait for: the credential, and the browser's media engine. */
  async prepare(): Promise<void> {
    await Promise.allSettled([this.#http.credentials.get(), warmUp()]);
  }

  /** Goes live. Resolves when the box's answer is applied; the first picture follows within a blink. */
  async connect(request: ConnectFields = {}): Promise<ConnectAnswer> {
    if (this.#session && this.#session.state !== "closed") {
      throw clientError("already_connected", "This client is live already; disconnect first.");
    }
    const session = new Session({
      http: this.#http,
      emitter: this.#emitter,
      stream: this.#output.renew(),
      request: withoutUndefined(request),
      iceServers: this.#iceServers,
    });
    this.#session = session;
    return session.start();
  }

  /** Ends the session. Never rejects: what the box does not hear it finds out by itself. */
  async disconnect(): Promise<void> {
    const session = this.#session;
    if (!session || session.state === "closed") return;
    const opened = session.answer !== null;
    session.end("disconnected", "You ended the session.");
    if (opened) {
      await this.#http.request("/disconnect", { method: "POST", keepalive: true }).catch(() => undefined);
    }
  }

  /** Shows the session, this one and every later one, in a video element or the one with that id. */
  streamToVideoElement(elementOrId: HTMLVideoElement | string): void {
    this.#output.attach(elementOrId);
  }

  /** Says something to the persona, which answers. Returns the turn's correlation id. */
  message(text: string, options: MessageOptions = {}): string {
    const correlationId = options.correlationId ?? crypto.randomUUID();
    this.#live().send(
      withoutUndefined({ type: "message", content: this.#checked(text), ...options, correlationId } as const),
    );
    return correlationId;
  }

  /** Speaks a text as written. Returns the utterance's correlation id. */
  talk(text: string, options: TalkOptions = {}): string {
    const correlationId = options.correlationId ?? crypto.randomUUID();
    this.#live().send(
      withoutUndefined({ type: "talk", content: this.#checked(text), ...options, correlationId } as const),
    );
    return correlationId;
  }

  createTalkStream(options: TalkStreamOptions = {}): TalkStream {
    const session = this.#live();
    return new TalkStream({
      options,
      correlationId: options.correlationId ?? crypto.randomUUID(),
      send: (message) => session.send(message),
      interrupt: () => session.interrupt(),
    });
  }

  /** Answers a `TOOL_CALL` that no handler of `tools` answers. */
  sendToolResult(id: string, result: unknown): void {
    this.#live().send({ type: "tool_result", id, result });
  }

  /** Stops the avatar, and drops what was not sent yet. */
  interrupt(): void {
    this.#live().interrupt();
  }

  mute(): void {
    this.#output.setMuted(true);
  }

  unmute(): void {
    this.#output.setMuted(false);
  }

  get muted(): boolean {
    return this.#output.muted;
  }

  /** The last reading, at most a second old; null before the first. */
  getStats(): StreamStats | null {
    return this.#session?.lastStats() ?? null;
  }

  /** Whether the box can answer and speak. */
  chatStatus(signal?: AbortSignal): Promise<ChatStatus> {
    return this.#http.json("/api/chat/status", signal ? { signal } : {});
  }

  avatars(signal?: AbortSignal): Promise<AvatarList> {
    return this.#http.json("/api/avatars", signal ? { signal } : {});
  }

  /** Sends a photograph or a video; it is being prepared when this resolves, and `avatars()` tells when it is ready. */
  uploadAvatar(file: File, options: UploadOptions = {}): Promise<AvatarCreated> {
    return uploadAvatar(this.#http, file, options);
  }

  /** The avatar's still. Rejects with status 404 while it is not prepared yet. */
  async avatarPreview(avatar: string, signal?: AbortSignal): Promise<Blob> {
    const path = `/api/avatar/preview?avatar=${encodeURIComponent(avatar)}`;
    const response = await this.#http.request(path, signal ? { signal } : {});
    return response.blob();
  }

  /** What has become of an avatar's tones; one that is absent was never asked for. */
  clips(avatar: string, signal?: AbortSignal): Promise<ClipList> {
    const path = `/api/avatar/clips?avatar=${encodeURIComponent(avatar)}`;
    return this.#http.json(path, signal ? { signal } : {});
  }

  /** Has the clip of one tone made, or made again. Resolves when it is begun; `clips()` tells how it ends. */
  async retryClip(avatar: string, tone: Tone): Promise<void> {
    await this.#http.request("/api/avatar/clips/retry", { method: "POST", json: { avatar, tone } });
  }

  /** The MP4 of one tone. */
  async clip(avatar: string, tone: Tone, signal?: AbortSignal): Promise<Blob> {
    const path = `/api/avatar/clip?avatar=${encodeURIComponent(avatar)}&tone=${tone}`;
    return (await this.#http.request(path, signal ? { signal } : {})).blob();
  }

  /** The voices that a session can speak with; `refresh` asks their providers again. */
  voices({
    refresh = false,
    signal,
  }: { refresh?: boolean; signal?: AbortSignal } = {}): Promise<VoiceCatalogue> {
    const options = { timeoutMs: voicesMs, ...(signal ? { signal } : {}) };
    return this.#http.json(`/api/voices${refresh ? "?refresh=1" : ""}`, options);
  }

  /** A voice's fixed sentence, as WAV; `path` is the `preview` of its row. */
  async voiceSample(path: string, signal?: AbortSignal): Promise<Blob> {
    return (await this.#http.request(path, { timeoutMs: voicesMs, ...(signal ? { signal } : {}) })).blob();
  }

  /** A line of the caller's own, as WAV; a stream-only token may not ask for it. */
  async previewVoice(
    line: { provider: VoiceEngine; voice: string; text: string },
    signal?: AbortSignal,
  ): Promise<Blob> {
    const options = { method: "POST", json: line, timeoutMs: voicesMs } as const;
    const response = await this.#http.request("/api/voice/preview", {
      ...options,
      ...(signal ? { signal } : {}),
    });
    return response.blob();
  }

  /** Sends a sound file that `connect({ audio })` can speak. */
  uploadAudio(
    file: File,
    options: Pick<UploadOptions, "onProgress" | "signal"> = {},
  ): Promise<AudioUploaded> {
    return uploadAudio(this.#http, file, options);
  }

  /** The caller's sound files, newest first. */
  audios(signal?: AbortSignal): Promise<AudioList> {
    return this.#http.json("/api/audios", signal ? { signal } : {});
  }

  /** Has the box seat the person of an uploaded photograph; resolves with the job's id. */
  async startSeatedStill(request: StillRequest): Promise<string> {
    const options = { method: "POST", json: request, timeoutMs: voicesMs } as const;
    return (await this.#http.json<{ job_id: string }>("/api/avatar/seated-still", options)).job_id;
  }

  seatedStill(job: string, signal?: AbortSignal): Promise<StillJob> {
    const path = `/api/avatar/seated-still/${encodeURIComponent(job)}`;
    return this.#http.json(path, signal ? { signal } : {});
  }

  /** The PNG of a job that is done. */
  async seatedStillImage(job: string, signal?: AbortSignal): Promise<Blob> {
    const path = `/api/avatar/seated-still/${encodeURIComponent(job)}/image`;
    return (await this.#http.request(path, signal ? { signal } : {})).blob();
  }

  #live(): Session {
    if (!this.#session || this.#session.state === "closed") {
      throw clientError("not_connected", "There is no live session; connect first.");
    }
    return this.#session;
  }

  #checked(text: string): string {
    if (text.trim() === "") throw clientError("message_blank", "There is nothing to say in an empty text.");
    if (text.length > limits.messageChars) {
      const max = limits.messageChars.toLocaleString("en");
      throw clientError("message_too_long", `A text may have at most ${max} characters.`);
    }
    return text;
  }
}

/** Makes a client. It opens nothing until asked to. */
export function createClient(options: ClientOptions = {}): Client {
  return new Client(options);
}
