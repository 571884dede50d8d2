// Whose face it is to be.

import { AlertIcon, PlusIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { type Face, tonesNote } from "./faces.ts";
import type { FacesState } from "./faces-store.ts";
import "./picker.css";

interface TileProps {
  face: Face;
  still: string | undefined;
  selected: boolean;
  onSelect(id: string): void;
}

function Tile({ face, still, selected, onSelect }: TileProps) {
  const ready = face.state === "ready";
  const note = ready ? tonesNote(face) : "";
  return (
    <label className={`tile tile-${face.state}`} title={face.detail || undefined}>
      <input
        type="radio"
        name="face"
        value={face.id}
        checked={selected}
        disabled={!ready}
        onChange={() => onSelect(face.id)}
      />
      <span className="tile-picture">
        {still ? <img src={still} alt="" /> : <span className="tile-initial">{face.name.charAt(0)}</span>}
        {face.state === "preparing" && <Spinner label="Being prepared" />}
        {face.state === "failed" && <AlertIcon />}
      </span>
      <span className="tile-name">{face.name}</span>
      {face.state === "preparing" && <span className="tile-note">Preparing…</span>}
      {note && <span className="tile-note">{note}</span>}
      {face.state === "failed" && <span className="tile-note">{face.detail || "Could not be prepared"}</span>}
    </label>
  );
}

export interface PickerProps {
  state: FacesState;
  onSelect(id: string): void;
  onAdd(): void;
}

export function Picker({ state, onSelect, onAdd }: PickerProps) {
  const own = state.faces.filter((face) => !face.stock);
  const stock = state.faces.filter((face) => face.stock);
  const tiles = (faces: Face[]) =>
    faces.map((face) => (
      <Tile
        key={face.id}
        face={face}
        still={state.stills[face.id]}
        selected={face.id === state.selected}
        onSelect={onSelect}
      />
    ));
  return (
    <div className="picker">
      <fieldset>
        <legend>Your faces</legend>
        <div className="tiles">
          <button type="button" className="tile tile-add" onClick={onAdd}>
            <span className="tile-picture">
              <PlusIcon />
            </span>
            <span className="tile-name">Add a face</span>
          </button>
          {tiles(own)}
        </div>
      </fieldset>
      {stock.length > 0 && (
        <fieldset>
          <legend>House faces</legend>
          <div className="tiles">{tiles(stock)}</div>
        </fieldset>
      )}
      {state.status === "loading" && <Spinner label="Fetching faces" visible />}
    </div>
  );
}
