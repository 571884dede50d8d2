import type { FormEvent } from "react";
import { limits } from "../../contract/limits.ts";
import { acceptAttribute } from "../faces/refusals.ts";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { TextArea, TextField } from "../ui/fields.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import type { StillPhase, StillStore } from "./still-store.ts";
import type { UseStore } from "./use-store.ts";
import "./portraits.css";

function FileInput({ label, hidden, onFile }: { label: string; hidden?: boolean; onFile(file: File): void }) {
  return (
    <input
      type="file"
      accept={acceptAttribute}
      aria-label={label}
      className={hidden ? "visually-hidden" : undefined}
      onChange={(event) => {
        const file = event.target.files?.[0];
        // The same file chosen again has to count as a change.
        event.target.value = "";
        if (file) onFile(file);
      }}
    />
  );
}

function Identity({ result }: { result: Extract<StillPhase, { step: "done" }>["result"] }) {
  if (!result.identity_checked) {
    return (
      <p className="portrait-note">
        <Badge tone="wait">Not compared</Badge> Nobody compared the faces; look for yourself whether it is the
        same person.
      </p>
    );
  }
  const score = result.identity_score;
  return (
    <p className="portrait-note">
      <Badge tone="good">Same person</Badge>
      {score === null ? " The faces were compared." : ` The faces are ${Math.round(score * 100)} % alike.`}
    </p>
  );
}

function stepWords(phase: StillPhase): string {
  if (phase.step === "sending") return `Sending · ${Math.round(phase.fraction * 100)} %`;
  if (phase.step !== "waiting") return "";
  return phase.state === "pending" ? "Waiting for its turn…" : "Being seated…";
}

export interface StillStudioProps {
  store: StillStore;
  use: UseStore;
  /** Nobody makes stills here; go on with the other way. */
  onGiveUp(): void;
}

export function StillStudio({ store, use, onGiveUp }: StillStudioProps) {
  const { phase, note, outfit, available } = useStore(store);
  if (!available) {
    const message = "problem" in phase ? phase.problem : null;
    return (
      <Banner
        kind="notice"
        title="Seated stills are not available here"
        action={{ label: "Describe a person instead", onAct: onGiveUp }}
      >
        {message ?? "This portal has nobody who makes them."}
      </Banner>
    );
  }
  const busy = phase.step === "sending" || phase.step === "waiting";
  function submit(event: FormEvent) {
    event.preventDefault();
    void store.start();
  }
  return (
    <div className="portrait-studio">
      <form className="stack portrait-form" onSubmit={submit}>
        <p className="portrait-lead">
          From any photograph of a person: the same person, seated upright and framed for a call. Use only a
          likeness that is yours, or whose owner agreed to it.
        </p>
        <TextField
          label="Clothes"
          help="Optional, such as “a grey jacket”."
          value={outfit}
          maxLength={500}
          disabled={busy}
          onChange={store.setOutfit}
        />
        <TextArea
          label="Anything else"
          help="Optional: surroundings, light, mood."
          rows={3}
          value={note}
          maxLength={limits.stillNoteChars}
          disabled={busy}
          onChange={store.setNote}
        />
        {"problem" in phase && phase.problem && <Banner kind="error">{phase.problem}</Banner>}
        <div className="portrait-actions">
          {phase.step === "describing" && (
            <button type="submit" className="button button-primary">
              Make the still
            </button>
          )}
          {busy && (
            <button type="button" className="button button-quiet" onClick={store.reset}>
              Cancel
            </button>
          )}
        </div>
      </form>
      <section className="portrait-view" aria-label="Seated still" aria-busy={busy}>
        <div className={busy ? "portrait-frame portrait-frame-busy" : "portrait-frame"}>
          {phase.step === "choosing" && (
            <label className="portrait-drop">
              <PlusIcon />
              <strong>Choose a photograph</strong>
              <span>JPEG or PNG, up to 15 MB</span>
              <FileInput label="Choose a photograph" onFile={store.choose} />
            </label>
          )}
          {phase.step === "done" ? (
            <img
              key={phase.result.image_url}
              src={phase.result.image_url}
              alt="The seated still"
              onError={() => void store.renew()}
            />
          ) : (
            "photo" in phase && <img src={phase.photo} alt="The photograph you chose" />
          )}
          {busy && (
            <span className="portrait-busy">
              <Spinner label={stepWords(phase)} visible />
            </span>
          )}
        </div>
        {phase.step === "describing" && (
          <div className="portrait-actions">
            <label className="button button-quiet">
              Another photograph
              <FileInput label="Another photograph" hidden onFile={store.choose} />
            </label>
          </div>
        )}
        {phase.step === "done" && (
          <>
            <Identity result={phase.result} />
            <div className="portrait-actions">
              <button type="button" className="button button-quiet" onClick={store.reset}>
                Start over
              </button>
              <button
                type="button"
                className="button button-primary"
                onClick={() =>
                  use.open({ url: phase.result.image_url, sha256: null, suggestedName: "Seated portrait" })
                }
              >
                Use as a face
              </button>
            </div>
          </>
        )}
      </section>
    </div>
  );
}
