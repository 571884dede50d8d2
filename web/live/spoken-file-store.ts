// A sound file on its way to the box, which a session then begins with.

import { limits } from "../../contract/limits.ts";
import { asVisavisError, type Client } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";

export interface SpokenFileState {
  /** The file that is being sent; null while none is. */
  sending: { name: string; fraction: number } | null;
  problem: string | null;
}

const idle: SpokenFileState = { sending: null, problem: null };
const megabytes = limits.audioBodyBytes / 1024 / 1024;

export class SpokenFileStore extends Store<SpokenFileState> {
  readonly #client: Pick<Client, "uploadAudio">;
  #abort: AbortController | null = null;

  constructor(client: Pick<Client, "uploadAudio">) {
    super(idle);
    this.#client = client;
  }

  /** Resolves with the name that a session can speak the file under; null where it was refused or cancelled. */
  readonly send = async (file: File): Promise<string | null> => {
    if (this.#abort) return null;
    if (file.size > limits.audioBodyBytes) {
      this.update({ problem: `A sound file may have at most ${megabytes} MB.` });
      return null;
    }
    const abort = new AbortController();
    this.#abort = abort;
    const { name } = file;
    this.update({ sending: { name, fraction: 0 }, problem: null });
    try {
      const { audio } = await this.#client.uploadAudio(file, {
        onProgress: (fraction) => this.update({ sending: { name, fraction } }),
        signal: abort.signal,
      });
      this.update(idle);
      return abort.signal.aborted ? null : audio;
    } catch (thrown) {
      const { code, message } = asVisavisError(thrown);
      this.update({ sending: null, problem: code === "aborted" ? null : message });
      return null;
    } finally {
      this.#abort = null;
    }
  };

  readonly cancel = (): void => this.#abort?.abort();

  readonly dismissProblem = (): void => this.update({ problem: null });
}
