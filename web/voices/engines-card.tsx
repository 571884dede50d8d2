// Which engine speaks, and the keys of those that speak on the caller's own account.

import type { VoiceSettings } from "../../contract/voices.ts";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { LoadFailed } from "../ui/load-failed.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { KeyLine } from "./key-line.tsx";
import type { VaultState, VaultStore } from "./vault-store.ts";

type Engine = VoiceSettings["engines"][number];

interface EngineRowProps {
  engine: Engine;
  settings: VoiceSettings;
  state: VaultState;
  store: VaultStore;
}

function EngineRow({ engine, settings, state, store }: EngineRowProps) {
  const chosen = settings.engine === engine.id;
  const problem = state.engineProblem?.engine === engine.id ? state.engineProblem : null;
  return (
    <div className={chosen ? "engine engine-chosen" : "engine"}>
      <label className="engine-choice">
        <input
          type="radio"
          name="voice-engine"
          checked={chosen}
          disabled={state.choosing !== null}
          onChange={() => void store.chooseEngine(engine.id)}
        />
        <span>
          <strong>{engine.label}</strong>
          <span className="engine-note">{engine.note}</span>
        </span>
        {state.choosing === engine.id ? (
          <Spinner label="Choosing" />
        ) : (
          chosen && <Badge tone="good">Speaks</Badge>
        )}
      </label>
      {problem && (
        <div className="engine-below">
          <Banner kind="error" title={problem.keyRequired ? "Save a key for this engine first" : undefined}>
            {problem.message}
          </Banner>
        </div>
      )}
      {engine.provider && (
        <div className="engine-below">
          <KeyLine
            provider={engine.provider}
            saved={settings.keys.find(({ provider }) => provider === engine.provider) ?? null}
            form={state.keys[engine.provider]}
            inUse={chosen}
            onSave={(key) => store.saveKey(engine.provider!, key)}
            onRemove={() => store.removeKey(engine.provider!)}
          />
        </div>
      )}
    </div>
  );
}

export function EnginesCard({ store }: { store: VaultStore }) {
  const state = useStore(store);
  const { settings } = state;
  return (
    <section className="card" aria-labelledby="engines-heading">
      <div className="card-head">
        <h2 id="engines-heading">Engine</h2>
        <p className="card-lead">
          What speaks in new sessions. Choosing another engine forgets the default voice.
        </p>
      </div>
      {state.status === "error" && state.error && (
        <LoadFailed
          title="Your voice settings cannot be fetched"
          error={state.error}
          onRetry={() => void store.load()}
        />
      )}
      {state.status === "loading" && <Spinner label="Fetching your voice settings" visible />}
      {settings && (
        <fieldset className="engines" aria-labelledby="engines-heading">
          {settings.engines.map((engine) => (
            <EngineRow key={engine.id} engine={engine} settings={settings} state={state} store={store} />
          ))}
        </fieldset>
      )}
    </section>
  );
}
