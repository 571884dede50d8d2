// Every model of the deployment: where it runs, whether it is switched on, and which of the two places it fills.

import { useId } from "react";
import type { ModelRow } from "../../contract/models.ts";
import { Badge } from "../ui/badge.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { describeModel, shortLabel } from "./gates.ts";
import type { Readiness } from "./readiness-store.ts";
import "./model-picker.css";

const readinessWords: Record<Readiness["state"], { label: string; tone: "good" | "wait" | "bad" | "plain" }> =
  {
    ready: { label: "Ready", tone: "good" },
    enabling: { label: "Switching on", tone: "wait" },
    unavailable: { label: "Unavailable", tone: "bad" },
    unknown: { label: "Not checked", tone: "plain" },
  };

const places = [
  { field: "live_model", label: "Live" },
  { field: "model", label: "One-shot" },
] as const;
export type ModelPlace = (typeof places)[number]["field"];

export interface ModelPickerProps {
  models: readonly ModelRow[];
  readiness: Readonly<Record<string, Readiness>>;
  chosen: Readonly<Record<ModelPlace, string>>;
  problems: Readonly<Partial<Record<ModelPlace, string>>>;
  onChoose(place: ModelPlace, id: string): void;
  onWarm(id: string): void;
}

function Status({ row, status, onWarm }: { row: ModelRow; status: Readiness; onWarm(): void }) {
  const words = readinessWords[status.state];
  const canWarm = row.selectable && status.state !== "ready";
  return (
    <div className="model-status">
      <span role="status">
        {status.warming ? (
          <Badge tone="wait">
            <Spinner label="Switching on" visible />
          </Badge>
        ) : (
          <Badge tone={words.tone}>{words.label}</Badge>
        )}
      </span>
      {canWarm && !status.warming && (
        <button type="button" className="link-button" onClick={onWarm}>
          Warm up<span className="visually-hidden"> {shortLabel(row)}</span>
        </button>
      )}
    </div>
  );
}

export function ModelPicker({ models, readiness, chosen, problems, onChoose, onWarm }: ModelPickerProps) {
  const group = useId();
  return (
    <div className="models" role="group" aria-label="Models">
      <ul>
        {models.map((row) => {
          const status = readiness[row.id] ?? { state: "unknown", reason: "", warming: false };
          const why = `${group}-${row.id}-why`;
          return (
            <li key={row.id} className={row.selectable ? "model" : "model model-refused"}>
              <div className="model-main">
                <span className="model-name">{row.label}</span>
                <span id={why} className="model-facts">
                  {describeModel(row)}
                </span>
                {status.reason !== "" && <span className="model-facts">{status.reason}</span>}
              </div>
              <Status row={row} status={status} onWarm={() => onWarm(row.id)} />
              <div className="model-places">
                {places.map(({ field, label }) => (
                  <label key={field} className="model-place">
                    <input
                      type="radio"
                      name={`${group}-${field}`}
                      value={row.id}
                      checked={chosen[field] === row.id}
                      disabled={!row.selectable}
                      aria-describedby={why}
                      onChange={() => onChoose(field, row.id)}
                    />
                    <span>
                      {label}
                      <span className="visually-hidden">: {row.label}</span>
                    </span>
                  </label>
                ))}
              </div>
            </li>
          );
        })}
      </ul>
      {places.map(
        ({ field }) =>
          problems[field] && (
            <p key={field} className="form-field-error" role="alert">
              {problems[field]}
            </p>
          ),
      )}
    </div>
  );
}
