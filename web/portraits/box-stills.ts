// Seated stills of the box, for portals that make none themselves. Its pictures want a credential, so they are fetched here
// and shown from memory.

import { asVisavisError, type Client } from "../sdk/index.ts";
import type { PortraitsApi } from "./portraits-api.ts";

type Api = Pick<PortraitsApi, "attest" | "download" | "grantUpload" | "put" | "startStill" | "stillJob">;
type Box = Pick<Client, "startSeatedStill" | "seatedStill" | "seatedStillImage">;

export interface BoxStills extends Api {
  /** Gives the picture's memory back. */
  free(): void;
}

export function stillsOfBox(api: Api, box: Box): BoxStills {
  const ofBox = new Set<string>();
  let shown: { url: string; blob: Blob } | null = null;
  const free = () => {
    if (shown) URL.revokeObjectURL(shown.url);
    shown = null;
  };
  return {
    attest: (request) => api.attest(request),
    grantUpload: (request) => api.grantUpload(request),
    put: (blob, grant, options) => api.put(blob, grant, options),
    free,

    async startStill(request) {
      try {
        return await api.startStill(request);
      } catch (thrown) {
        if (asVisavisError(thrown).code !== "seated_still_unavailable") throw thrown;
      }
      const job = await box.startSeatedStill(request);
      ofBox.add(job);
      return job;
    },

    async stillJob(id) {
      if (!ofBox.has(id)) return api.stillJob(id);
      const job = await box.seatedStill(id);
      if (job.state !== "done") return job;
      const blob = await box.seatedStillImage(id);
      free();
      shown = { url: URL.createObjectURL(blob), blob };
      return { ...job, image_url: shown.url };
    },

    download: async (url) => (shown?.url === url ? shown.blob : api.download(url)),
  };
}
