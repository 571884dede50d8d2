// Picking the voice of one's sessions: hear each, take one.

import { useEffect } from "react";
import type { VoiceGroup, VoiceRow } from "../../contract/voices.ts";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckIcon } from "../ui/icons.tsx";
import { LoadFailed } from "../ui/load-failed.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { type CatalogueStore, rowKey, visibleGroups } from "./catalogue-store.ts";
import { usualRow, type VoiceChoiceStore } from "./choice-store.ts";
import type { PlayerStore } from "./player-store.ts";
import { PlayButton, voiceFacts } from "./voice-line.tsx";
import { groupStates } from "./words.ts";
import { CatalogueBanners, RefreshVoices, VoiceTools } from "./voice-tools.tsx";
import "./voices.css";

interface Stores {
  catalogue: CatalogueStore;
  player: PlayerStore;
  choice: VoiceChoiceStore;
}

interface LineProps {
  row: VoiceRow;
  usual: boolean;
  stores: Stores;
}

function Line({ row, usual, stores: { player, choice } }: LineProps) {
  const playing = useStore(player);
  const { picked } = useStore(choice);
  const key = rowKey(row);
  const taken = picked ? rowKey(picked) === key : usual;
  const problem = playing.problem?.row === key ? playing.problem.message : null;
  return (
    <li className={taken ? "voice voice-default" : "voice"}>
      <PlayButton
        name={row.name}
        playing={playing.row === key && playing.step !== "idle" ? playing.step : null}
        held={playing.waitSeconds > 0 && playing.line.trim() !== ""}
        onPlay={() => void player.toggle(row)}
      />
      <div className="voice-main">
        <p className="voice-name">
          {row.name}
          {usual && <Badge>Usual</Badge>}
          {row.recommended && <Badge>Recommended</Badge>}
        </p>
        <p className="voice-facts">{voiceFacts(row)}</p>
        {problem && (
          <p className="voice-problem" role="alert">
            {problem}
          </p>
        )}
      </div>
      <button
        type="button"
        className="button button-quiet"
        aria-label={taken ? `In use: ${row.name}` : `Use ${row.name}`}
        onClick={() => choice.pick(row)}
      >
        {taken ? (
          <>
            <CheckIcon /> In use
          </>
        ) : (
          "Use"
        )}
      </button>
    </li>
  );
}

function Group({
  group,
  total,
  usual,
  stores,
}: {
  group: VoiceGroup;
  total: number;
  usual: string | null;
  stores: Stores;
}) {
  const state = groupStates[group.state];
  return (
    <section className="voice-group" aria-label={group.label}>
      <h3>
        {group.label}
        {group.state !== "ready" && <Badge tone={state.tone}>{state.label}</Badge>}
        {group.state === "starting" && <Spinner label={`${group.label} is starting`} />}
      </h3>
      {group.reason && <p className="voice-reason">{group.reason}</p>}
      {total > 0 && group.voices.length === 0 && (
        <p className="voice-reason">No voice of this engine fits.</p>
      )}
      {group.voices.length > 0 && (
        <ul className="voices">
          {group.voices.map((row) => (
            <Line key={rowKey(row)} row={row} usual={rowKey(row) === usual} stores={stores} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Catalogue({ stores }: { stores: Stores }) {
  const { catalogue: store, player, choice } = stores;
  const state = useStore(store);
  const { picked, live, usual: usualVoice } = useStore(choice);
  const { catalogue } = state;
  useEffect(() => {
    const leave = store.watch();
    return () => {
      leave();
      player.stop();
    };
  }, [store, player]);
  const usual = catalogue && usualRow(catalogue, usualVoice);
  return (
    <>
      {state.status === "error" && state.error && (
        <LoadFailed
          title="The voices cannot be fetched"
          error={state.error}
          onRetry={() => void store.load()}
        />
      )}
      {state.status === "loading" && <Spinner label="Fetching voices" visible />}
      {catalogue && (
        <>
          <CatalogueBanners store={store} catalogue={catalogue} />
          {choice.waits() && (
            <Banner kind="notice">
              {picked
                ? `${picked.name} belongs to another engine and speaks from your next session on.`
                : `The usual voice speaks from your next session on; this one goes on with ${live?.name}.`}
            </Banner>
          )}
          <VoiceTools store={store} player={player} catalogue={catalogue} />
          <div className="voice-choice-foot">
            <RefreshVoices store={store} />
            {picked && (
              <button type="button" className="link-button" onClick={choice.forget}>
                Back to the usual voice{usual ? `, ${usual.name}` : ""}
              </button>
            )}
          </div>
          {!catalogue.engine_ready && <Spinner label="The engine is still starting" visible />}
          {visibleGroups(state).map((group, index) => (
            <Group
              key={group.provider}
              group={group}
              total={catalogue.groups[index]?.voices.length ?? 0}
              usual={usual && rowKey(usual)}
              stores={stores}
            />
          ))}
        </>
      )}
    </>
  );
}

export function VoiceDialog({ open, onClose, ...stores }: Stores & { open: boolean; onClose(): void }) {
  return (
    <Dialog open={open} title="Voice" onClose={onClose}>
      <Catalogue stores={stores} />
    </Dialog>
  );
}
