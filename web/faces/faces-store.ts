// The faces of the signed-in person: listing, stills, selection.

import { asVisavisError, type Client, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import { type ErasedFaces, erasedFaces } from "./erased-faces.ts";
import { chooseFace, type Face, facesFromList, isMoving } from "./faces.ts";

/** Preparing a photograph takes a few seconds; this is how often to look. */
const pollMs = 500;
/** Making a tone takes longer. */
const clipPollMs = 2000;
const selectionKey = "visavis.face";

export interface FacesState {
  status: "loading" | "ready" | "error";
  error: VisavisError | null;
  faces: Face[];
  selected: string | null;
  /** Object URLs of the stills that have arrived, by face id. */
  stills: Readonly<Record<string, string>>;
}

export class FacesStore extends Store<FacesState> {
  readonly #client: Pick<Client, "avatars" | "avatarPreview">;
  readonly #erased: ErasedFaces;
  readonly #pendingNames = new Map<string, string>();
  readonly #fetching = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;
  #disposed = false;

  constructor(client: Pick<Client, "avatars" | "avatarPreview">, erased = erasedFaces) {
    super({ status: "loading", error: null, faces: [], selected: null, stills: {} });
    this.#client = client;
    this.#erased = erased;
  }

  /** Reads the listing, and goes on reading while a face is being prepared. */
  readonly refresh = async (): Promise<void> => {
    clearTimeout(this.#timer);
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const list = await this.#client.avatars();
      // What a later reading answers is newer, whichever comes first.
      if (this.#disposed || turn !== this.#turn) return;
      const faces = facesFromList(list, this.#pendingNames).filter(({ id }) => !this.#erased.has(id));
      const previous = this.get().selected ?? localStorage.getItem(selectionKey);
      const selected = chooseFace(faces, previous, list.active_group);
      this.update({ status: "ready", error: null, faces, selected });
      for (const id of Object.keys(this.get().stills)) {
        if (!faces.some((face) => face.id === id)) this.#forgetStill(id);
      }
      for (const face of faces) if (face.state === "ready") void this.#fetchStill(face.id);
      if (faces.some((face) => face.state === "preparing")) this.#schedule();
      else if (faces.some(isMoving)) this.#schedule(clipPollMs);
    } catch (thrown) {
      if (this.#disposed || turn !== this.#turn) return;
      const error = asVisavisError(thrown);
      // A listing that is there already stays; one that never came says why, and comes by itself when it can.
      if (this.get().status !== "ready") this.update({ status: "error", error });
      if (error.status === null || error.status >= 500) this.#schedule(4000);
    }
  };

  readonly select = (id: string): void => {
    const face = this.get().faces.find((candidate) => candidate.id === id);
    if (face?.state !== "ready") return;
    localStorage.setItem(selectionKey, id);
    this.update({ selected: id });
  };

  /** A photograph was taken in: watch it until it is ready. */
  readonly watch = (id: string, name: string): void => {
    this.#pendingNames.set(id, name);
    this.#erased.forget(id);
    this.#forgetStill(id);
    void this.refresh();
  };

  readonly dispose = (): void => {
    this.#disposed = true;
    clearTimeout(this.#timer);
    for (const url of Object.values(this.get().stills)) URL.revokeObjectURL(url);
  };

  #schedule(ms = pollMs): void {
    this.#timer = setTimeout(() => void this.refresh(), ms);
  }

  async #fetchStill(id: string): Promise<void> {
    if (this.#fetching.has(id) || this.get().stills[id]) return;
    this.#fetching.add(id);
    try {
      const blob = await this.#client.avatarPreview(id);
      if (this.#disposed || !this.get().faces.some((face) => face.id === id)) return;
      this.update({ stills: { ...this.get().stills, [id]: URL.createObjectURL(blob) } });
    } catch {
      // A face without a still shows its initial; the next refresh asks again.
    } finally {
      this.#fetching.delete(id);
    }
  }

  #forgetStill(id: string): void {
    const { [id]: url, ...stills } = this.get().stills;
    if (!url) return;
    URL.revokeObjectURL(url);
    this.update({ stills });
  }
}
