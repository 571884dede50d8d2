// A library with quick builds, and whoever uploads to it.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BuildReport } from "../../contract/avatars.ts";
import { AvatarLibrary, type AvatarLibraryOptions, type CreateAvatarRequest } from "../avatars/library.ts";
import type { AvatarRecord } from "../avatars/record.ts";
import type { Take } from "../avatars/upload.ts";
import { FakeTools, pictureOf, sameFace, videoOf } from "./avatar-tools.ts";
import { FakeMediaFiles } from "./fake-media-files.ts";

export const ANN = "ann@example.com";
export const BEN = "ben@example.com";
export const [grey, blue] = await Promise.all([pictureOf("#888888"), pictureOf("#4466aa")]);

/** The code that something is refused with. */
export const code = (action: Promise<unknown>): Promise<unknown> =>
  action.then(
    () => "nothing",
    (error: { code?: string }) => error.code ?? error,
  );

export class LibraryParty {
  readonly stateDir: string;
  readonly tools = new FakeTools();
  readonly media = new FakeMediaFiles();
  /** What the portal says of any consent. */
  agreed: boolean | Error = true;
  /** Clips that were told of, in order, and reports. */
  readonly moved: [avatar: string, tone: string, state: string][] = [];
  readonly reports: BuildReport[] = [];
  #library: AvatarLibrary | undefined;

  private constructor(stateDir: string) {
    this.stateDir = stateDir;
  }

  /** With stock avatars that are there, and their clips. */
  static async start(): Promise<LibraryParty> {
    const party = new LibraryParty(await mkdtemp(join(tmpdir(), "visavis-library-")));
    for (const name of ["maya", "theo"]) await writeFile(join(party.stateDir, `${name}.png`), grey);
    await party.open();
    for (const name of ["maya", "theo"]) await party.library.finished(ANN, name);
    return party;
  }

  get library(): AvatarLibrary {
    if (!this.#library) throw new Error("The library is not open.");
    return this.#library;
  }

  async open(options: Partial<AvatarLibraryOptions> = {}): Promise<void> {
    this.#library = await AvatarLibrary.open({
      stateDir: this.stateDir,
      media: this.media,
      stockDir: this.stateDir,
      finder: sameFace,
      builder: this.tools.builder,
      footage: this.tools.footage,
      checkConsent: async () => {
        const answer = this.agreed;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      onClip: (avatar, { tone, state }) => this.moved.push([avatar, tone, state]),
      onProgress: (_, report) => this.reports.push(report),
      ...options,
    });
  }

  async reopen(options: Partial<AvatarLibraryOptions> = {}): Promise<void> {
    await this.library.close();
    await this.open(options);
  }

  photo(changes: Partial<CreateAvatarRequest> = {}): CreateAvatarRequest {
    return { owner: ANN, filename: "me.png", bytes: grey, consentToken: "c1", ...changes };
  }

  async video(changes: Partial<CreateAvatarRequest> = {}): Promise<CreateAvatarRequest> {
    const path = await this.#file("upload.mp4", videoOf("me"));
    return { owner: ANN, filename: "me.mp4", path, ...changes };
  }

  async take(tone: Take["tone"], filename = `${tone}.webm`): Promise<Take> {
    return { tone, filename, path: await this.#file(`take-${tone}-${filename}`, videoOf(tone)) };
  }

  /** An avatar whose clips are all done. */
  async made(request: CreateAvatarRequest): Promise<string> {
    const { avatar } = await this.library.create(request);
    await this.library.finished(ANN, avatar);
    return avatar;
  }

  folder(id: string): string {
    return join(this.stateDir, "avatars", id);
  }

  async recordOf(id: string): Promise<AvatarRecord> {
    return JSON.parse(await readFile(join(this.folder(id), "avatar.json"), "utf8")) as AvatarRecord;
  }

  saveRecord(record: AvatarRecord): Promise<void> {
    return writeFile(join(this.folder(record.id), "avatar.json"), JSON.stringify(record));
  }

  states(id: string): Record<string, string> {
    return Object.fromEntries(this.library.clips(ANN, id).clips.map(({ tone, state }) => [tone, state]));
  }

  async builds(id: string): Promise<string[]> {
    return (await readdir(this.folder(id))).filter((name) => name.startsWith("build-"));
  }

  async close(): Promise<void> {
    await this.library.close();
    await rm(this.stateDir, { recursive: true });
  }

  async #file(name: string, content: Uint8Array): Promise<string> {
    const path = join(this.stateDir, name);
    await writeFile(path, content);
    return path;
  }
}
