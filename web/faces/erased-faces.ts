// Faces that were erased from this page. A box goes on listing its copy until its next sweep of what was erased, up to a
// quarter of an hour later; nobody should be offered such a face meanwhile.

export class ErasedFaces {
  readonly #ids = new Set<string>();

  readonly add = (id: string): void => {
    this.#ids.add(id);
  };

  /** Another face has taken the id. */
  readonly forget = (id: string): void => {
    this.#ids.delete(id);
  };

  readonly has = (id: string): boolean => this.#ids.has(id);
}

/** The erased faces that every listing of the page leaves out. */
export const erasedFaces = new ErasedFaces();
