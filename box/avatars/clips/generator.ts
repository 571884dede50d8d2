// Who makes a clip of a tone from a still, where it is not the built-in motion renderer.

import type { Tone } from "../../../contract/tones.ts";

export interface GenerateRequest {
  /** JPEG of the square that the avatar shows. */
  still: Uint8Array;
  tone: Tone;
  /** 0..1, how much the face moves. */
  amplitude: number;
  seconds: number;
  /** An existing folder to write the clip into. */
  folder: string;
  signal: AbortSignal;
}

export interface ClipGenerator {
  /** Whether it can be asked now; never rejects. */
  reachable(): Promise<boolean>;
  /** Path of a silent video of the face in the tone. Rejects with AvatarError clip_generator_unavailable. */
  generate(request: GenerateRequest): Promise<string>;
}
