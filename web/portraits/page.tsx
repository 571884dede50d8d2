// Two ways to a picture that may become a face: describe somebody who does not exist, or seat somebody who does.

import { useState } from "react";
import { BackLink } from "../shell/back-link.tsx";
import { Page } from "../shell/page.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { useStore } from "../ui/store.ts";
import type { PortraitsStore } from "./portraits-store.ts";
import { PortraitStudio } from "./portrait-studio.tsx";
import type { StillStore } from "./still-store.ts";
import { StillStudio } from "./still-studio.tsx";
import type { UseStore } from "./use-store.ts";

export interface NewPortraitParts {
  portraits: PortraitsStore;
  still: StillStore;
  use: UseStore;
}

type Way = "described" | "seated";

export function NewPortraitPage({ parts }: { parts: NewPortraitParts }) {
  const [way, setWay] = useState<Way>("described");
  const still = useStore(parts.still);
  // Hidden once the portal said that nobody makes stills here, unless the person is reading just that.
  const offersStills = still.available || way === "seated";
  return (
    <Page
      title="Create a portrait"
      lead="Look at it before it becomes a face: nothing is built until you say so."
    >
      <BackLink href="/avatars">All avatars</BackLink>
      {offersStills && (
        <div>
          <Segmented<Way>
            label="How to begin"
            value={way}
            options={[
              { value: "described", label: "Describe a person" },
              { value: "seated", label: "Seat a photograph" },
            ]}
            onChange={setWay}
          />
        </div>
      )}
      {way === "described" ? (
        <PortraitStudio store={parts.portraits} use={parts.use} />
      ) : (
        <StillStudio store={parts.still} use={parts.use} onGiveUp={() => setWay("described")} />
      )}
    </Page>
  );
}
