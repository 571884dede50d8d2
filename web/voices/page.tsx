// How avatars sound: the engine that speaks, its keys, and every voice there is.

import { useEffect, useState } from "react";
import { Page } from "../shell/page.tsx";
import { CatalogueCard } from "./catalogue-card.tsx";
import { CatalogueStore } from "./catalogue-store.ts";
import { EnginesCard } from "./engines-card.tsx";
import { PlayerStore } from "./player-store.ts";
import { VaultStore } from "./vault-store.ts";
import { voicesApi } from "./voices-api.ts";
import "./voices.css";

function openVoices() {
  const player = new PlayerStore({ api: voicesApi, speaker: new Audio() });
  const catalogue: CatalogueStore = new CatalogueStore({
    api: voicesApi,
    onSettings: (settings) => vault.adopt(settings),
  });
  const vault = new VaultStore({ api: voicesApi, onVoicesChanged: () => void catalogue.load() });
  return { player, catalogue, vault };
}

export function VoicesPage() {
  const [{ player, catalogue, vault }] = useState(openVoices);
  useEffect(() => {
    void vault.load();
    const leave = catalogue.watch();
    return () => {
      leave();
      player.dispose();
    };
  }, [player, catalogue, vault]);
  return (
    <Page
      title="Voices"
      lead="How your avatars sound. The built-in engine needs nothing; others speak on your own account."
    >
      <EnginesCard store={vault} />
      <CatalogueCard store={catalogue} player={player} />
    </Page>
  );
}
