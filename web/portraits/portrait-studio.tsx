import type { FormEvent } from "react";
import { limits } from "../../contract/limits.ts";
import type { Portrait } from "../../contract/portraits.ts";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { TextArea } from "../ui/fields.tsx";
import { CheckIcon, RefreshIcon, SparkIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { type PortraitsStore, shownPortrait } from "./portraits-store.ts";
import type { UseStore } from "./use-store.ts";
import "./portraits.css";

const ideas = [
  "A calm teacher in her fifties with short grey hair and round glasses",
  "A young shopkeeper with a beard, a green apron and a broad smile",
  "An elderly doctor with warm brown eyes and a white coat",
];

/** "A calm teacher in her fifties with short…" becomes "Calm teacher". */
function suggestName({ persona }: Portrait): string {
  const [subject = persona] = persona.split(/[,.;:\n]|\s(?:in|with|of|who|at|from|on|and)\s/i);
  const words = subject
    .trim()
    .replace(/^(?:an?|the)\s+/i, "")
    .split(/\s+/)
    .slice(0, 4)
    .join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function Attempts({ store }: { store: PortraitsStore }) {
  const { attempts, shown } = useStore(store);
  if (attempts.length < 2) return null;
  return (
    <div className="attempts" role="group" aria-label="Attempts">
      {attempts.map((attempt, index) => (
        <button
          key={attempt.portrait_id}
          type="button"
          aria-pressed={attempt.portrait_id === shown}
          aria-label={`Attempt ${index + 1}${attempt.approved_at === null ? "" : ", approved"}`}
          onClick={() => store.show(attempt.portrait_id)}
        >
          <img src={attempt.image_url} alt="" onError={() => void store.renew(attempt.portrait_id)} />
          {attempt.approved_at !== null && <CheckIcon />}
        </button>
      ))}
    </div>
  );
}

export function PortraitStudio({ store, use }: { store: PortraitsStore; use: UseStore }) {
  const state = useStore(store);
  const portrait = shownPortrait(state);
  const { busy } = state;
  const drawing = busy === "generating" || busy === "regenerating";
  function submit(event: FormEvent) {
    event.preventDefault();
    void store.generate();
  }
  const count = state.persona.length.toLocaleString("en");
  return (
    <div className="portrait-studio">
      <form className="stack portrait-form" onSubmit={submit}>
        <TextArea
          label="Who is it?"
          help="Age, hair, clothes, mood: what you would tell a painter. Nobody who exists."
          aside={`${count} of ${limits.personaChars.toLocaleString("en")}`}
          rows={5}
          value={state.persona}
          maxLength={limits.personaChars}
          onChange={store.describe}
        />
        {state.attempts.length === 0 && (
          <div className="ideas" role="group" aria-label="Ideas">
            {ideas.map((idea) => (
              <button key={idea} type="button" className="idea" onClick={() => store.describe(idea)}>
                {idea}
              </button>
            ))}
          </div>
        )}
        {state.problem && <Banner kind="error">{state.problem}</Banner>}
        <div>
          <button
            type="submit"
            className={portrait ? "button button-quiet" : "button button-primary"}
            disabled={busy !== null}
          >
            {busy === "generating" ? (
              <Spinner label="Drawing" visible />
            ) : (
              <>
                <SparkIcon />
                {portrait ? "Start a new portrait" : "Generate"}
              </>
            )}
          </button>
        </div>
      </form>
      <section className="portrait-view" aria-label="Portrait" aria-busy={drawing}>
        <div className={drawing ? "portrait-frame portrait-frame-busy" : "portrait-frame"}>
          {portrait ? (
            <img
              key={portrait.image_url}
              src={portrait.image_url}
              alt={`Portrait: ${portrait.persona}`}
              onError={() => void store.renew(portrait.portrait_id)}
            />
          ) : (
            <p>{drawing ? "Drawing…" : "The portrait appears here."}</p>
          )}
          {drawing && <Spinner label="Drawing the portrait" />}
        </div>
        <Attempts store={store} />
        {portrait && (
          <div className="portrait-actions">
            {portrait.approved_at === null ? (
              <>
                <button
                  type="button"
                  className="button button-quiet"
                  disabled={busy !== null}
                  onClick={() => void store.regenerate()}
                >
                  <RefreshIcon />
                  Another attempt
                </button>
                <button
                  type="button"
                  className="button button-primary"
                  disabled={busy !== null}
                  onClick={() => void store.approve()}
                >
                  {busy === "approving" ? <Spinner label="Approving" visible /> : "Approve this one"}
                </button>
              </>
            ) : (
              <>
                <Badge tone="good">Approved</Badge>
                <button
                  type="button"
                  className="button button-quiet"
                  disabled={busy !== null}
                  onClick={() => void store.regenerate()}
                >
                  <RefreshIcon />
                  Another attempt
                </button>
                <button
                  type="button"
                  className="button button-primary"
                  onClick={() =>
                    use.open({
                      url: portrait.image_url,
                      sha256: portrait.sha256,
                      suggestedName: suggestName(portrait),
                    })
                  }
                >
                  Use as a face
                </button>
              </>
            )}
          </div>
        )}
        {portrait?.approved_at === null && (
          <p className="portrait-note">
            Approving is bound to exactly this picture, byte for byte. Another attempt is another picture.
          </p>
        )}
      </section>
    </div>
  );
}
