// The settings record: one per account, taken up by every session.

import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { builtinTools } from "../../contract/tools.ts";
import { Page } from "../shell/page.tsx";
import { useLeaveGuard } from "../shell/routing.tsx";
import { Banner } from "../ui/banner.tsx";
import { LoadFailed } from "../ui/load-failed.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useStore } from "../ui/store.ts";
import { toasts } from "../ui/toasts.ts";
import { changesOf } from "./draft.ts";
import { ModelPicker } from "./model-picker.tsx";
import { PhraseEditor } from "./phrase-editor.tsx";
import { ReadinessStore } from "./readiness-store.ts";
import { SaveBar } from "./save-bar.tsx";
import { PersonaSection, Section, ThinkingSection, VoiceSection } from "./sections.tsx";
import { type SettingsForm, SettingsStore } from "./settings-store.ts";
import { ToolEditor } from "./tool-editor.tsx";
import "./settings.css";

const sections = [
  { id: "persona", title: "Persona" },
  { id: "models", title: "Models" },
  { id: "answers", title: "How it answers" },
  { id: "voice", title: "Voice" },
  { id: "tools", title: "Tools" },
  { id: "phrases", title: "While a tool works" },
] as const;

function SectionIndex() {
  return (
    <nav className="settings-index" aria-label="Sections">
      <ul>
        {sections.map(({ id, title }) => (
          <li key={id}>
            <a className="settings-index-link" href={`#${id}`}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const notPersisted =
  "The change holds for now, and is gone when this box ends: nothing durable is connected to it.";

function Form({ store, form }: { store: SettingsStore; form: SettingsForm }) {
  const { avatars, saving, problems, failure, outcome } = useStore(store);
  const { stored, draft, catalogue } = form;
  const [readiness] = useState(() => new ReadinessStore());
  const { models: ready } = useStore(readiness);
  useEffect(() => {
    readiness.revive();
    readiness.learn(catalogue.models);
    return readiness.dispose;
  }, [readiness, catalogue.models]);

  const changes = useMemo(() => changesOf(stored, draft), [stored, draft]);
  const unsaved = changes.changed.length > 0;
  useLeaveGuard(unsaved);

  const element = useRef<HTMLFormElement>(null);
  async function submit(event: FormEvent) {
    event.preventDefault();
    if (await store.save()) {
      if (store.get().outcome === "saved") toasts.show("Settings saved.");
      return;
    }
    // After React has put the sentences where they belong.
    requestAnimationFrame(() => {
      element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    });
  }

  const chosen = {
    model: catalogue.models.find((row) => row.id === draft.model),
    liveModel: catalogue.models.find((row) => row.id === draft.live_model),
  };
  const common = { draft, problems, onEdit: store.edit };
  const phrasable = [
    ...builtinTools.filter((name) => name !== "skip_turn"),
    ...draft.tools.map((tool) => tool.name),
  ];
  return (
    <form ref={element} className="settings" noValidate onSubmit={(event) => void submit(event)}>
      {!catalogue.persisted && (
        <Banner kind="notice" title="Saves do not last here">
          {notPersisted}
        </Banner>
      )}
      {outcome === "not_persisted" && catalogue.persisted && (
        <Banner kind="notice" title="Taken over, but not stored">
          {notPersisted}
        </Banner>
      )}
      <PersonaSection {...common} avatars={avatars} />
      <Section
        id="models"
        title="Models"
        lead="Live is the model you talk with; one-shot answers single questions over the API. Any model may fill either place."
      >
        <ModelPicker
          models={catalogue.models}
          readiness={ready}
          chosen={draft}
          problems={problems}
          onChoose={(place, id) => store.edit({ [place]: id })}
          onWarm={(id) => void readiness.warm(id)}
        />
      </Section>
      <ThinkingSection {...common} chosen={chosen} catalogue={catalogue} />
      <VoiceSection {...common} engines={catalogue.tts_providers} />
      <Section
        id="tools"
        title="Tools"
        lead="What the persona may do besides talking. It can always end the call, stay silent for a turn, pause, and change the language."
      >
        <ToolEditor tools={draft.tools} problems={problems} onChange={(tools) => store.edit({ tools })} />
      </Section>
      <Section
        id="phrases"
        title="While a tool works"
        lead="One sentence, spoken when the tool is called. In a language without a line of yours, a built-in one is spoken."
      >
        <PhraseEditor
          phrases={draft.tool_phrases}
          toolNames={phrasable.filter((name) => name !== "")}
          problems={problems}
          onChange={(tool_phrases) => store.edit({ tool_phrases })}
        />
      </Section>
      {failure && (
        <Banner kind="error" title="Nothing was saved">
          {failure}
        </Banner>
      )}
      {unsaved && (
        <SaveBar
          changes={changes.changed.length}
          problems={Object.keys(problems).length}
          saving={saving}
          onRevert={store.revert}
        />
      )}
    </form>
  );
}

export function SettingsPage() {
  const [store] = useState(() => new SettingsStore());
  const { status, error, form } = useStore(store);
  useEffect(() => void store.load(), [store]);
  return (
    <Page
      title="Settings"
      lead="One record for your account. Every session of yours takes it up when it starts; a reply in flight is not touched."
    >
      {error && (
        <LoadFailed title="Your settings cannot be read" error={error} onRetry={() => void store.load()} />
      )}
      {status === "loading" && !form && (
        <div className="page-wait">
          <Spinner label="Reading your settings" visible />
        </div>
      )}
      {form && (
        <div className="settings-frame">
          <Form store={store} form={form} />
          <SectionIndex />
        </div>
      )}
    </Page>
  );
}
