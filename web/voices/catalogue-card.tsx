// Every voice that can be had, by provider: hear it, and make it the one new sessions start with.

import type { VoiceCatalogue, VoiceGroup, VoiceRow } from "../../contract/voices.ts";
import { Badge } from "../ui/badge.tsx";
import { LoadFailed } from "../ui/load-failed.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { type CatalogueStore, rowKey, visibleGroups } from "./catalogue-store.ts";
import type { PlayerStore } from "./player-store.ts";
import { VoiceLine } from "./voice-line.tsx";
import { CatalogueBanners, RefreshVoices, VoiceTools } from "./voice-tools.tsx";
import { groupStates } from "./words.ts";

interface GroupProps {
  group: VoiceGroup;
  total: number;
  catalogue: VoiceCatalogue;
  store: CatalogueStore;
  player: PlayerStore;
}

function Group({ group, total, catalogue, store, player }: GroupProps) {
  const playing = useStore(player);
  const { choosing } = useStore(store);
  const state = groupStates[group.state];
  const { portal_default: preferred, current, current_provider: currentProvider } = catalogue;
  const is = (row: VoiceRow, provider: string | undefined, id: string | null | undefined) =>
    row.provider === provider && row.id === id;
  return (
    <section className="voice-group" aria-label={group.label}>
      <h3>
        {group.label}
        {group.state !== "ready" && <Badge tone={state.tone}>{state.label}</Badge>}
        {total > 0 && (
          <span className="voice-count">
            {group.voices.length === total ? total : `${group.voices.length} of ${total}`}
          </span>
        )}
      </h3>
      {group.reason && <p className="voice-reason">{group.reason}</p>}
      {total > 0 && group.voices.length === 0 && (
        <p className="voice-reason">No voice of this engine fits.</p>
      )}
      {group.voices.length > 0 && (
        <ul className="voices">
          {group.voices.map((row) => {
            const key = rowKey(row);
            const active = playing.row === key && playing.step !== "idle";
            return (
              <VoiceLine
                key={key}
                voice={row}
                playing={active && playing.step !== "idle" ? playing.step : null}
                held={playing.waitSeconds > 0 && playing.line.trim() !== ""}
                problem={playing.problem?.row === key ? playing.problem.message : null}
                isDefault={is(row, preferred?.provider, preferred?.id)}
                isCurrent={is(row, currentProvider, current)}
                busy={choosing !== null}
                choosing={choosing === key}
                onPlay={() => void player.toggle(row)}
                onMakeDefault={() => void store.makeDefault(row)}
                onForgetDefault={() => void store.forgetDefault()}
              />
            );
          })}
        </ul>
      )}
    </section>
  );
}

export function CatalogueCard({ store, player }: { store: CatalogueStore; player: PlayerStore }) {
  const state = useStore(store);
  const { catalogue } = state;
  const groups = visibleGroups(state);
  return (
    <section className="card" aria-labelledby="voices-heading">
      <div className="voices-head">
        <div className="card-head">
          <h2 id="voices-heading">Voices</h2>
          <p className="card-lead">The default voice is where the studio and new sessions start.</p>
        </div>
        <RefreshVoices store={store} />
      </div>
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
          <VoiceTools store={store} player={player} catalogue={catalogue} />
          {!catalogue.engine_ready && <Spinner label="The engine is still starting" visible />}
          {groups.map((group, index) => (
            <Group
              key={group.provider}
              group={group}
              total={catalogue.groups[index]?.voices.length ?? 0}
              catalogue={catalogue}
              store={store}
              player={player}
            />
          ))}
        </>
      )}
    </section>
  );
}
