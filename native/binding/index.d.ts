// The addon as JavaScript sees it. The one place where C++ and TypeScript meet.

export interface MediaPacket {
  kind: "audio" | "video";
  /**
   * One 20 ms Opus packet, or one H.264 access unit (Annex B, one slice). Of a raw output: 960 samples of signed 16 bits at
   * 48 kHz, or an I420 picture of the avatar's size (Y, U, V, without padding).
   */
  data: Buffer;
  /** RTP units (48 kHz audio, 90 kHz video), both from the Stage's one clock. */
  timestamp: number;
  keyframe: boolean;
  /** Audio only: the packet holds samples of an utterance, not silence. */
  speech: boolean;
}

export type StageEvent =
  | { type: "utterance_started"; utterance: number; mediaTimeMs: number }
  | {
      type: "utterance_ended";
      utterance: number;
      mediaTimeMs: number;
      playedMs: number;
      interrupted: boolean;
    }
  | { type: "mark"; utterance: number; mark: number; mediaTimeMs: number }
  /** Part of the work goes on without the GPU, and so does the session: `message` is as `gpuOff` of the figures. */
  | { type: "left_gpu"; message: string }
  | { type: "failed"; message: string };

export interface StageOptions {
  /** Folder written by buildAvatar(). */
  avatarDir: string;
  /** Weights of the viseme net; default: the ones that ship with the addon. */
  netPath?: string;
  fps?: 25 | 30;
  /** `raw` for a consumer that encodes for itself; default: `encoded`. */
  output?: "encoded" | "raw";
  videoBitrateBps?: number;
  audioBitrateBps?: number;
  /** Packets in media order; several when JavaScript was busy. */
  onPackets(packets: MediaPacket[]): void;
  onEvent(event: StageEvent): void;
}

export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

export interface StageStats {
  frames: number;
  droppedFrames: number;
  audioPackets: number;
  underruns: number;
  fps: number;
  frameMs: Percentiles;
  encodeMs: Percentiles;
  /** Of the video, over the last two seconds, as is `fps`. */
  bitrateBps: number;
  encoder: string;
  /** Where the warp and the viseme net run now: `portable`, `avx2` or `cuda`. */
  warpDevice: string;
  netDevice: string;
  /** The card's name; empty without one. */
  gpu: string;
  /** In use on it, by all that use it. */
  gpuBytes: number;
  /** Why there is no GPU (`no NVIDIA driver`) or, with one, what does not run on it and why. Empty while all does. */
  gpuOff: string;
}

/**
 * One live session's engine: idle video and silence flow from construction until close(). It does not keep the process
 * alive by itself. Wrong arguments throw TypeError or RangeError; a damaged avatar or net throws Error.
 */
export class Stage {
  constructor(options: StageOptions);
  /** Starts an utterance and returns its number; utterances play one after another. Throws once closed. */
  beginUtterance(): number;
  /**
   * Mono PCM at 8..48 kHz. False when the utterance is unknown, ended or was interrupted, when ten minutes are waiting
   * already, and once closed.
   */
  pushAudio(utterance: number, pcm: Int16Array, sampleRate: number): boolean;
  /** A "mark" event follows when playback reaches the end of what was pushed so far. */
  addMark(utterance: number, mark: number): boolean;
  endUtterance(utterance: number): void;
  /** Barge-in: 30 ms fade, queues dropped, mouth closed. Returns the new generation; 0 once closed. */
  interrupt(): number;
  /**
   * Loads the loop of a delivery tone on a worker thread, in place of one loaded before under that name. Rejects when it is
   * damaged, has another size, or once closed. The loop the stage was made with is `neutral`.
   */
  addTone(tone: string, avatarDir: string): Promise<void>;
  /** Cross-fades to the loop of a tone. False, and nothing changes, for one that was not loaded, and once closed. */
  setTone(tone: string): boolean;
  requestKeyframe(): void;
  /** A ceiling, held to 50 kbit/s..50 Mbit/s; heeded from the next frame on. */
  setVideoBitrate(bps: number): void;
  /** Once closed: the last figures. */
  stats(): StageStats;
  /** Joins the native thread and frees everything. Idempotent; no callback fires afterwards. */
  close(): Promise<void>;
}

export interface BuildAvatarOptions {
  /** RGB, 8 bit, tightly packed: the crop to show, at least at output size where the photograph allows. */
  rgb: Uint8Array;
  width: number;
  height: number;
  /** 478 MediaPipe face mesh points (468 mesh, 10 iris) as x, y, z in pixels of `rgb`; z negative towards the viewer. */
  landmarks: Float32Array;
  /** Size of the avatar's frames; even. */
  outputWidth: number;
  outputHeight: number;
  fps?: 25 | 30;
  /** Length of the idle loop in seconds. */
  loopSeconds?: number;
  /** 0..1, how much the head moves (0.5). */
  motion?: number;
  /** Same seed, same loop. */
  seed?: number;
  /**
   * The delivery tone the face wears: neutral (the default), warm, happy, excited, curious, serious, sad, concerned or
   * surprised. Loops of one picture, seed and length differ in nothing but the expression.
   */
  tone?: string;
  /** An existing folder; rig.vvr and loop.i420 are written into it, each under a temporary name first. */
  outDir: string;
}

export interface AvatarInfo {
  width: number;
  height: number;
  fps: number;
  frames: number;
}

/** Builds the rig and the idle loop on a worker thread. Rejects with a readable message on wrong options or unusable landmarks. */
export function buildAvatar(options: BuildAvatarOptions): Promise<AvatarInfo>;

export interface BuildFootageOptions {
  /** I420 frames, one after another, at output size; read, and left in place. */
  framesPath: string;
  frames: number;
  width: number;
  height: number;
  fps: 25 | 30;
  /** `frames` rows of 478 points as x, y, z in pixels of the frames, as in BuildAvatarOptions. */
  landmarks: Float32Array;
  /** The frame whose face makes the rig: seen from the front, mouth shut. */
  still: number;
  /** As in BuildAvatarOptions. */
  outDir: string;
}

/**
 * An avatar that keeps the motion of its footage: the loop is cut so that its last frame leads into its first, and every frame
 * has its own tracked points. Rejects as buildAvatar does.
 */
export function buildFootage(options: BuildFootageOptions): Promise<AvatarInfo>;

/** Reads an avatar folder's header without mapping its frames; throws when it is damaged. */
export function readAvatar(dir: string): AvatarInfo;

/** One loop frame with the mouth at the given viseme weights (15, Oculus order), as RGB. For previews and contact sheets. */
export function renderFrame(options: { avatarDir: string; frame: number; weights: number[] }): {
  rgb: Buffer;
  width: number;
  height: number;
};

/**
 * Wakes the NVIDIA card that Stages will use, which the first one would wait for. `gpu` and `gpuOff` as a Stage's figures
 * have them.
 */
export function findGpu(): Promise<{ gpu: string; gpuOff: string }>;

/** Viseme weights of a whole clip, one row of 15 every 10 ms. For benchmarks and tests. */
export function visemesOf(
  pcm: Int16Array,
  sampleRate: number,
  netPath?: string,
): { hopMs: number; weights: Float32Array };

export interface RecogniserOptions {
  /** Folder of the American English model; default: where its package puts it. */
  modelDir?: string;
  /** The words of the turn so far, whenever they change. */
  onHypothesis(text: string): void;
  /** Once, when it has failed, also where nobody waits for an answer: nothing is recognised any more. */
  onFailed?(message: string): void;
}

/**
 * PocketSphinx on a thread of its own: lower-case English words without punctuation. It does not keep the process alive
 * by itself. Wrong arguments throw TypeError.
 */
export class Recogniser {
  constructor(options: RecogniserOptions);
  /** Settles once the model is loaded. Rejects with a readable message when it cannot be, or was closed before. */
  readonly ready: Promise<void>;
  /**
   * Mono PCM at 16 kHz, also before it is ready. False, and nothing taken, when more than 30 seconds would wait to be
   * decoded, once it has failed, and once closed.
   */
  push(pcm: Int16Array): boolean;
  /** Ends the turn at the end of what was pushed: its words. Rejects once it has failed or was closed. */
  settle(): Promise<string>;
  /** Forgets what was pushed since the last settle(); no hypothesis of it follows. */
  drop(): void;
  /** As drop(); and what was learnt of the speaker's level and microphone is forgotten too. */
  beginSpeaker(): void;
  /**
   * Joins the native thread and frees everything. Idempotent; no callback fires afterwards. A model that is still being
   * loaded is not waited for: its thread frees it and ends by itself.
   */
  close(): Promise<void>;
}

/** `recogniser`: whether PocketSphinx was there at build time. */
export const build: { version: string; encoders: string[]; cuda: boolean; recogniser: boolean };
