// The boxes as an administrator sees them, and the orders given to them.

import { boxStartedSchema, fleetRowAnswerSchema, type FleetRow, fleetSchema } from "../../contract/fleet.ts";
import { requestPortal } from "../portal/request.ts";
import { asVisavisError, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";

export type BoxOrder = "drain" | "undrain" | "stop";

export const fleetPortal = {
  async list(): Promise<{ generatedAt: number; boxes: FleetRow[] }> {
    const { generated_at: generatedAt, boxes } = await requestPortal("/auth/admin/fleet", fleetSchema);
    return { generatedAt, boxes };
  },
  /** Resolves with the id of the box to come. */
  async start(region: string): Promise<string> {
    const request = { method: "POST", json: { region } } as const;
    return (await requestPortal("/auth/admin/boxes", boxStartedSchema, request)).box_id;
  },
  async order(boxId: string, order: BoxOrder): Promise<FleetRow> {
    const path = `/auth/admin/boxes/${encodeURIComponent(boxId)}/${order}`;
    return (await requestPortal(path, fleetRowAnswerSchema, { method: "POST" })).box;
  },
};

export interface FleetState {
  status: "loading" | "ready" | "error";
  /** Of the last reading; the rows of the one before stay on show. */
  error: VisavisError | null;
  boxes: readonly FleetRow[];
  /** Epoch seconds of the reading. */
  generatedAt: number | null;
  /** This portal cannot start or stop boxes; the sentence it said so with. */
  lifecycleMissing: string | null;
}

export class FleetStore extends Store<FleetState> {
  readonly #portal: typeof fleetPortal;
  #reading: Promise<void> | null = null;

  constructor(wired: typeof fleetPortal = fleetPortal) {
    super({ status: "loading", error: null, boxes: [], generatedAt: null, lifecycleMissing: null });
    this.#portal = wired;
  }

  /** Reads the fleet; while a reading is under way, joins it. */
  readonly refresh = (): Promise<void> => {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  };

  /** Resolves with the id of the box to come. Rejects with `VisavisError`. */
  readonly start = async (region: string): Promise<string> => {
    const boxId = await this.#lifecycle(() => this.#portal.start(region));
    await this.refresh();
    return boxId;
  };

  /** Rejects with `VisavisError`; the box is then what it was. */
  readonly order = async (boxId: string, order: BoxOrder): Promise<void> => {
    const box = await this.#lifecycle(() => this.#portal.order(boxId, order));
    const boxes = this.get().boxes.map((row) => (row.box_id === boxId ? box : row));
    this.update({ boxes });
  };

  async #read(): Promise<void> {
    try {
      const { generatedAt, boxes } = await this.#portal.list();
      this.update({ status: "ready", error: null, boxes, generatedAt });
    } catch (thrown) {
      const error = asVisavisError(thrown);
      this.update({ status: this.get().status === "ready" ? "ready" : "error", error });
    }
  }

  async #lifecycle<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (thrown) {
      const error = asVisavisError(thrown);
      if (error.code === "lifecycle_unavailable") this.update({ lifecycleMissing: error.message });
      throw error;
    }
  }
}
