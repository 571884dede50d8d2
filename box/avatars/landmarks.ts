import { Worker } from "node:worker_threads";
import { AvatarError } from "./errors.ts";
import { faceGeometry } from "./face-mesh.ts";
import type { FaceGeometry, Landmarks } from "./face-mesh.ts";
import { openPicture } from "./photo.ts";
import type { Picture } from "../media/picture.ts";

export interface DetectRequest {
  id: number;
  rgb: Uint8Array;
  width: number;
  height: number;
}
export interface RawFace {
  /** 0..1: the smaller of the detector's and the mesh model's. */
  confidence: number;
  /** In pixels of the picture that was sent. */
  landmarks: Landmarks;
}
export type DetectReply = { id: number; faces: RawFace[] } | { id: number; error: string };

export interface DetectedFace extends RawFace {
  geometry: FaceGeometry;
}

/** Below this the mouth is a dozen pixels wide and no warp can make it speak. */
const MIN_INTEROCULAR_PX = 32;
/** Beyond these one cheek or eye is hidden and the mesh guesses. Degrees. */
const MAX_YAW = 35;
const MAX_PITCH = 30;
const MAX_ROLL = 40;
const MIN_CONFIDENCE = 0.5;
/** A face this much smaller than the largest one is somebody in the background. */
const BYSTANDER_SIZE = 0.4;
/** Side of the picture that is searched for faces. */
const SEARCH_SIDE = 1_024;
/** The found face is looked at again, large, in crops of these multiples of its height, and the results averaged. */
const REFINE_FACTORS = [1.7, 2.1];
const REFINE_SIDE = 1_024;
/** A face that is followed is looked at once a frame: a wider crop, since it moved, and a smaller one, since there are many. */
const TRACK_FACTOR = 2;
const TRACK_SIDE = 768;

/** Runs the face models in a worker thread: loaded at the first picture, kept warm until close(). */
export class FaceFinder {
  #worker: Worker | undefined;
  #pending = new Map<number, { resolve(faces: RawFace[]): void; reject(error: Error): void }>();
  #nextId = 1;
  #closed = false;

  /**
   * The one face of a picture, with landmarks in its pixels. Throws AvatarError: no_face, several_faces, face_too_small or
   * face_turned_away.
   */
  async findFace(picture: Picture): Promise<DetectedFace> {
    const face = chooseFace(await this.#search(picture));
    const refined = await this.#refine(picture, face);
    return withGeometry(refined);
  }

  /** Every face that may be one, in pixels of the picture; chooseFace tells which to take. */
  findFaces(picture: Picture): Promise<DetectedFace[]> {
    return this.#search(picture);
  }

  /**
   * Follows a face from one frame of a video to the next: looked for where it was, and in the whole picture only when it is
   * not there. Null when it is gone.
   */
  async trackFace(picture: Picture, before: FaceGeometry | null): Promise<DetectedFace | null> {
    const near = before && (await this.#lookAround(picture, before, TRACK_FACTOR, TRACK_SIDE));
    if (near && near.confidence >= MIN_CONFIDENCE) return withGeometry(near);
    const faces = (await this.#search(picture)).filter(({ confidence }) => confidence >= MIN_CONFIDENCE);
    const found = faces.toSorted((a, b) => b.geometry.heightPx - a.geometry.heightPx)[0];
    if (!found) return null;
    const again = await this.#lookAround(picture, found.geometry, TRACK_FACTOR, TRACK_SIDE);
    return again ? withGeometry(again) : found;
  }

  /** Loads the models ahead of the first picture. */
  async warmUp(): Promise<void> {
    await this.#detect(new Uint8Array(64 * 64 * 3), 64, 64);
  }

  /** Ends the thread. Idempotent; searches under way are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    this.#rejectAll(new Error("The face finder was closed."));
  }

  async #search(picture: Picture): Promise<DetectedFace[]> {
    const scale = Math.min(1, SEARCH_SIDE / Math.max(picture.width, picture.height));
    const faces = await this.#detectIn(
      picture,
      { left: 0, top: 0, width: picture.width, height: picture.height },
      scale,
    );
    return faces.map(withGeometry);
  }

  async #refine(picture: Picture, coarse: DetectedFace): Promise<RawFace> {
    const looks: RawFace[] = [];
    for (const factor of REFINE_FACTORS) {
      const look = await this.#lookAround(picture, coarse.geometry, factor, REFINE_SIDE);
      if (look) looks.push(look);
    }
    if (looks.length === 0) return coarse;
    const landmarks = coarse.landmarks.map(
      (_, index) => looks.reduce((sum, look) => sum + (look.landmarks[index] ?? 0), 0) / looks.length,
    );
    return { confidence: coarse.confidence, landmarks };
  }

  /** The face that is where one is known to be, seen in a crop of `factor` times its height. */
  async #lookAround(
    picture: Picture,
    { centre, heightPx }: FaceGeometry,
    factor: number,
    longSide: number,
  ): Promise<RawFace | undefined> {
    const half = (heightPx * factor) / 2;
    const left = Math.max(0, Math.floor(centre.x - half));
    const top = Math.max(0, Math.floor(centre.y - half));
    const width = Math.min(picture.width, Math.ceil(centre.x + half)) - left;
    const height = Math.min(picture.height, Math.ceil(centre.y + half)) - top;
    if (width < 1 || height < 1) return undefined;
    const faces = await this.#detectIn(
      picture,
      { left, top, width, height },
      longSide / Math.max(width, height),
    );
    return faces.find((face) => {
      const found = faceGeometry(face.landmarks).centre;
      return Math.hypot(found.x - centre.x, found.y - centre.y) < heightPx / 4;
    });
  }

  async #detectIn(
    picture: Picture,
    region: { left: number; top: number; width: number; height: number },
    scale: number,
  ): Promise<RawFace[]> {
    const width = Math.max(1, Math.round(region.width * scale));
    const height = Math.max(1, Math.round(region.height * scale));
    const rgb = await openPicture(picture)
      .extract(region)
      .resize(width, height, { fit: "fill" })
      .raw()
      .toBuffer();
    const faces = await this.#detect(rgb, width, height);
    const across = region.width / width;
    const down = region.height / height;
    return faces.map(({ confidence, landmarks }) => ({
      confidence,
      landmarks: landmarks.map((value, index) => {
        if (index % 3 === 0) return region.left + value * across;
        return index % 3 === 1 ? region.top + value * down : value * across;
      }),
    }));
  }

  #detect(rgb: Uint8Array, width: number, height: number): Promise<RawFace[]> {
    if (this.#closed)
      return Promise.reject(new AvatarError("library_closed", "The avatar library is closing."));
    const id = this.#nextId;
    this.#nextId += 1;
    const worker = (this.#worker ??= this.#start());
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      worker.postMessage({ id, rgb, width, height } satisfies DetectRequest, []);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL("./landmark-worker.ts", import.meta.url));
    // A thread that waits for work keeps no process alive.
    worker.unref();
    worker.on("message", (reply: DetectReply) => {
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if ("faces" in reply) pending?.resolve(reply.faces);
      else pending?.reject(new Error(`The face models failed: ${reply.error}`));
    });
    const onEnd = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#rejectAll(error);
    };
    worker.on("error", (error) => onEnd(error instanceof Error ? error : new Error(String(error))));
    worker.on("exit", () => onEnd(new Error("The landmark worker ended.")));
    return worker;
  }

  #rejectAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

function withGeometry(face: RawFace): DetectedFace {
  return { ...face, geometry: faceGeometry(face.landmarks) };
}

/** Picks the face to animate, or throws AvatarError saying what is wrong with the picture. */
export function chooseFace(faces: readonly DetectedFace[]): DetectedFace {
  const sure = faces
    .filter((face) => face.confidence >= MIN_CONFIDENCE)
    .toSorted((a, b) => b.geometry.heightPx - a.geometry.heightPx);
  const [face, second] = sure;
  if (!face)
    throw new AvatarError(
      "no_face",
      "No face was found. Use a picture with one face, well lit and seen from the front.",
    );
  const { geometry } = face;
  if (second && second.geometry.heightPx >= BYSTANDER_SIZE * geometry.heightPx) {
    throw new AvatarError(
      "several_faces",
      "More than one face was found. Use a picture that shows one person.",
    );
  }
  if (geometry.interocularPx < MIN_INTEROCULAR_PX) {
    throw new AvatarError(
      "face_too_small",
      `The face is too small: its eyes are ${Math.round(geometry.interocularPx)} pixels apart and need ${MIN_INTEROCULAR_PX}. ` +
        "Use a closer or larger picture.",
    );
  }
  if (
    Math.abs(geometry.yaw) > MAX_YAW ||
    Math.abs(geometry.pitch) > MAX_PITCH ||
    Math.abs(geometry.roll) > MAX_ROLL
  ) {
    throw new AvatarError(
      "face_turned_away",
      "The face is turned too far. Use a picture that looks towards the camera.",
    );
  }
  return face;
}
