// What a library of avatars is opened with.

import type { BuildReport } from "../../contract/avatars.ts";
import type { Clip } from "../../contract/clips.ts";
import type { BoxConfig } from "../config.ts";
import type { Media } from "../media/media.ts";
import type { ClipGenerator } from "./clips/generator.ts";
import type { CheckConsent } from "./intake.ts";
import type { FaceFinder } from "./landmarks.ts";
import type { AvatarBuilder } from "./prepare.ts";
import type { Tools } from "./workshop.ts";

export interface AvatarLibraryOptions {
  /** Reads what was uploaded and writes clips. */
  media: Media;
  /** The box's state folder; avatars live in `<stateDir>/avatars`. */
  stateDir: string;
  /** What the box offers; everything that is built in unless told otherwise. */
  offers?: Pick<BoxConfig["avatars"], "photoCreation" | "clips">;
  onProgress?(avatar: string, report: BuildReport): void;
  /** The clip of a tone moved. What an upload begins with is not told: whoever uploads knows. */
  onClip?(avatar: string, clip: Clip): void;
  /** A build failed for a reason that its owner cannot be told. */
  onFault?(error: unknown): void;
  /** Whether an account agreed to a likeness; a box alone takes any token as its caller's word. */
  checkConsent?: CheckConsent;
  /** The native builder unless told otherwise. */
  builder?: AvatarBuilder;
  /** Makes the clips in place of the one that `offers` names. */
  generator?: ClipGenerator;
  footage?: Tools["footage"];
  /** A face finder that others use too, left open at the end; one of its own unless told otherwise. */
  finder?: FaceFinder;
  /** Whether the stock avatars get their tones, when nothing else is to be built; not unless told so. */
  stockTones?: boolean;
  /** Folder of the stock portraits; the ones that ship unless told otherwise. */
  stockDir?: string;
}
