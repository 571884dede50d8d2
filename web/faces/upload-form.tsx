// Everything that can be said of a face before it is made.

import { type FormEvent, type ReactNode, useId } from "react";
import type { Framing } from "../../contract/avatars.ts";
import type { Tone } from "../../contract/tones.ts";
import { toneName } from "../avatars/words.ts";
import { CheckField } from "../ui/check-field.tsx";
import { TextField } from "../ui/fields.tsx";
import { CloseIcon, PlusIcon } from "../ui/icons.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { acceptAttribute, type Refusal, videoAcceptAttribute } from "./refusals.ts";
import type { UploadPhase, UploadStore } from "./upload-store.ts";
import { extraTones, rendersTones, type Take, type Wish } from "./upload-wish.ts";
import "./upload-form.css";

/** Short enough to stand side by side on a telephone. */
const framings: { value: Framing; label: string }[] = [
  { value: "head", label: "Head" },
  { value: "bust", label: "Shoulders" },
  { value: "full", label: "Whole picture" },
];

function Tones({ wish, store }: { wish: Wish; store: UploadStore }) {
  const all = extraTones.every((tone) => wish.tones.includes(tone));
  return (
    <fieldset className="upload-tones">
      <legend>Tones</legend>
      <p className="upload-help">
        How the face looks while it says something. Each takes about a minute to make, after the face itself
        is ready; neutral always comes with it.
      </p>
      <div className="tone-checks">
        <label className="tone-check">
          <input type="checkbox" checked disabled />
          Neutral
        </label>
        {extraTones.map((tone) => (
          <label key={tone} className="tone-check">
            <input
              type="checkbox"
              checked={wish.tones.includes(tone)}
              onChange={(event) => store.setTone(tone, event.target.checked)}
            />
            {toneName(tone)}
          </label>
        ))}
      </div>
      <button
        type="button"
        className="link-button"
        onClick={() => store.change({ tones: all ? [] : extraTones })}
      >
        {all ? "Only neutral" : "All tones"}
      </button>
    </fieldset>
  );
}

function TakeList({ tone, takes, store }: { tone: Tone; takes: readonly Take[]; store: UploadStore }) {
  const name = toneName(tone);
  return (
    <li className="take-line">
      <span className="take-tone">{name}</span>
      <ul className="take-files">
        {takes.map(({ file }) => (
          <li key={`${file.name} ${file.size} ${file.lastModified}`} className="take-file">
            <span>{file.name}</span>
            <button
              type="button"
              className="icon-button icon-button-small"
              aria-label={`Leave out ${file.name}`}
              onClick={() => store.dropTake(file)}
            >
              <CloseIcon />
            </button>
          </li>
        ))}
        <li>
          <label className="take-add">
            <PlusIcon />
            {takes.length === 0 ? "Footage" : "Another"}
            <input
              type="file"
              className="visually-hidden"
              multiple
              accept={videoAcceptAttribute}
              aria-label={`Add footage: ${name}`}
              onChange={(event) => {
                const files = Array.from(event.target.files ?? []);
                event.target.value = "";
                store.addTakes(tone, files);
              }}
            />
          </label>
        </li>
      </ul>
    </li>
  );
}

function Takes({ wish, store }: { wish: Wish; store: UploadStore }) {
  return (
    <fieldset className="upload-tones">
      <legend>Footage of tones</legend>
      <p className="upload-help">
        A few seconds of the same person in that mood, lips at rest: MP4, MOV, WEBM or MKV. A tone without
        footage is left out.
      </p>
      <ul className="take-lines">
        {extraTones.map((tone) => (
          <TakeList
            key={tone}
            tone={tone}
            takes={wish.takes.filter((take) => take.tone === tone)}
            store={store}
          />
        ))}
      </ul>
    </fieldset>
  );
}

function Movement({ value, onChange }: { value: number; onChange(value: number): void }) {
  const id = useId();
  const words = value === 0 ? "Still" : value < 0.35 ? "Calm" : value <= 0.65 ? "Natural" : "Lively";
  return (
    <div className="upload-movement">
      <label htmlFor={id}>
        Movement <span>{words}</span>
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={1}
        step={0.1}
        value={value}
        aria-valuetext={words}
        onChange={(event) => onChange(Number(event.target.value))}
      />
    </div>
  );
}

export interface UploadFormProps {
  phase: Extract<UploadPhase, { step: "naming" }>;
  store: UploadStore;
  note(refusal: Refusal): ReactNode;
}

export function UploadForm({ phase, store, note }: UploadFormProps) {
  const { kind, wish, refusal } = phase;
  const what = kind === "photo" ? "photograph" : "video";
  function submit(event: FormEvent) {
    event.preventDefault();
    void store.send();
  }
  return (
    <form onSubmit={submit} aria-label="The new face">
      <TextField label="Name" value={wish.name} maxLength={80} autoComplete="off" onChange={store.rename} />
      <div className="upload-framing">
        <span aria-hidden="true">Framing</span>
        <Segmented<Framing>
          label="Framing"
          value={wish.framing}
          options={framings}
          onChange={(framing) => store.change({ framing })}
        />
      </div>
      {kind === "video" && (
        <CheckField
          label="This video was made by AI and shows nobody who exists."
          help="Its tones are then made from the video itself. Leave it unticked for a real person, and add footage instead."
          checked={wish.aiGenerated}
          onChange={(aiGenerated) => store.change({ aiGenerated })}
        />
      )}
      {rendersTones(kind, wish) && (
        <>
          <Movement
            value={wish.gestureAmplitude}
            onChange={(gestureAmplitude) => store.change({ gestureAmplitude })}
          />
          <Tones wish={wish} store={store} />
        </>
      )}
      {kind === "video" && !wish.aiGenerated && <Takes wish={wish} store={store} />}
      <CheckField
        label={
          kind === "video" && wish.aiGenerated
            ? "I may use this video and the face in it."
            : "This face is mine, or its owner agreed that I use it."
        }
        help={`Recorded with the digest of exactly this ${what}.`}
        checked={wish.attested}
        onChange={(attested) => store.change({ attested })}
      />
      {refusal && note(refusal)}
      <div className="upload-actions">
        <label className="button button-quiet">
          Another file
          <input
            type="file"
            className="visually-hidden"
            accept={acceptAttribute}
            onChange={(event) => {
              const file = event.target.files?.[0];
              if (file) store.choose(file);
            }}
          />
        </label>
        <button type="submit" className="button button-primary" disabled={!wish.attested}>
          {refusal ? "Try again" : "Upload"}
        </button>
      </div>
    </form>
  );
}
