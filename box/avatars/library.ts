// Skeleton of the avatar library: the exported shapes are final, the class body follows.
export type AvatarStatus = "preparing" | "ready" | "failed";
export type Framing = "head" | "bust" | "full";
export type PrepareStep = "decode" | "landmarks" | "rig" | "preview" | "done";

export interface AvatarEntry {
  id: string;
  displayName: string;
  /** Account that uploaded it; null for stock avatars. */
  owner: string | null;
  stock: boolean;
  status: AvatarStatus;
  /** Why it failed; empty otherwise. */
  detail: string;
  /** Holds rig.vvr, loop.i420 and preview.jpg when the status is `ready`: what Stage takes as `avatarDir`. */
  dir: string;
  framing: Framing;
  gestureAmplitude: number;
  created_at: number;
  updated_at: number;
}

export interface AvatarGroup {
  id: string;
  display_name: string;
  variants: string[];
  tones: string[];
  /** Variant id that has a still on disk, or null. */
  preview: string | null;
  stock: boolean;
}

export interface BuildReport {
  state: AvatarStatus;
  step: PrepareStep;
  /** 0..1. */
  progress: number;
  detail: string;
  started_at: number;
  finished_at: number | null;
}

/** Body of `GET /api/avatars`. */
export interface AvatarListing {
  avatars: string[];
  groups: AvatarGroup[];
  preparing: string[];
  active: string | null;
  active_group: string | null;
  builds: Record<string, BuildReport>;
}

export interface CreateAvatarRequest {
  owner: string;
  filename: string;
  /** Display name; with it a new unique id is made, without it the id comes from the filename and replaces. */
  name?: string;
  /** The photograph: in memory, or a file that the library reads and leaves in place. */
  bytes?: Uint8Array;
  bytesPath?: string;
  /** Multipart text as received; anything but head, bust, full is `invalid_framing`. */
  framing?: string;
  /** 0..1 (0.5). */
  gestureAmplitude?: number;
}

/** Body of `POST /api/avatar`. */
export interface CreatedAvatar {
  avatar: string;
  display_name: string;
  status: AvatarStatus;
  tones: string[];
  note: string;
  active: string | null;
}

export interface AvatarLibraryOptions {
  /** The box's state folder; avatars live in `<stateDir>/avatars`. */
  stateDir: string;
  onProgress?(avatar: string, report: BuildReport): void;
}

export declare class AvatarLibrary {
  /** Recovers what a crash left and starts preparing stock avatars in the background. */
  static open(options: AvatarLibraryOptions): Promise<AvatarLibrary>;
  /** Checks picture and face before it answers (AvatarError), then builds in the background. */
  create(request: CreateAvatarRequest): Promise<CreatedAvatar>;
  list(account: string | null): AvatarListing;
  /** Own and stock avatars by id or variant id; somebody else's is undefined, as one that does not exist. */
  resolve(account: string | null, id: string): AvatarEntry | undefined;
  /** As resolve, and waits for a build in flight. Throws AvatarError unknown_avatar or avatar_not_ready. */
  ready(account: string | null, id: string): Promise<AvatarEntry>;
  /** JPEG bytes. Throws AvatarError unknown_avatar or avatar_not_ready (404 both). */
  preview(account: string | null, id: string): Promise<Buffer>;
  /** The account's choice, else the default stock avatar; null while none exists. */
  active(account: string | null): AvatarEntry | null;
  setActive(account: string, id: string): Promise<void>;
  /** Throws AvatarError stock_avatar (400) or unknown_avatar (404). */
  delete(account: string, id: string): Promise<{ deleted: string; active: string | null }>;
  /** Waits for builds in flight, ends the landmark worker. Idempotent. */
  close(): Promise<void>;
}
