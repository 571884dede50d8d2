// What stands over every list of voices: what is wrong with it, what to look for, and the line they say.

import { limits } from "../../contract/limits.ts";
import type { VoiceCatalogue } from "../../contract/voices.ts";
import { Banner } from "../ui/banner.tsx";
import { SelectField, TextField } from "../ui/fields.tsx";
import { RefreshIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { type CatalogueStore, languagesOf } from "./catalogue-store.ts";
import type { PlayerStore } from "./player-store.ts";

interface Listed {
  store: CatalogueStore;
  catalogue: VoiceCatalogue;
}

function PreviewLine({ player }: { player: PlayerStore }) {
  const { line, lineProblem, waitSeconds } = useStore(player);
  // Counted as the limit counts: by code points of the text as it will be spoken.
  const count = Array.from(line.replaceAll(/\s+/g, " ").trim()).length;
  const wait = waitSeconds > 0 ? ` You can hear another line in ${waitSeconds} s.` : "";
  return (
    <TextField
      label="What they say"
      placeholder="Their own sample, or a line you type"
      value={line}
      autoComplete="off"
      aside={line === "" ? undefined : `${count} of ${limits.previewTextChars}`}
      error={lineProblem ? `${lineProblem}${wait}` : undefined}
      onChange={player.setLine}
    />
  );
}

export function CatalogueBanners({ store, catalogue }: Listed) {
  const { problem } = useStore(store);
  return (
    <>
      {catalogue.voice_notice && <Banner kind="notice">{catalogue.voice_notice}</Banner>}
      {problem && (
        <Banner kind="error" onDismiss={store.dismissProblem}>
          {problem}
        </Banner>
      )}
    </>
  );
}

export function RefreshVoices({ store }: { store: CatalogueStore }) {
  const { refreshing, catalogue } = useStore(store);
  return (
    <button
      type="button"
      className="button button-quiet"
      disabled={refreshing || !catalogue}
      onClick={() => void store.refresh()}
    >
      {refreshing ? (
        <Spinner label="Asking the providers" visible />
      ) : (
        <>
          <RefreshIcon />
          Refresh
        </>
      )}
    </button>
  );
}

export function VoiceTools({ store, player, catalogue }: Listed & { player: PlayerStore }) {
  const { query, language } = useStore(store);
  return (
    <>
      <div className="voice-tools">
        <TextField
          label="Search"
          type="search"
          placeholder="Name, description, gender"
          value={query}
          autoComplete="off"
          onChange={store.setQuery}
        />
        <SelectField
          label="Language"
          value={language}
          options={[{ value: "", label: "All languages" }, ...languagesOf(catalogue)]}
          onChange={store.setLanguage}
        />
      </div>
      <PreviewLine player={player} />
    </>
  );
}
