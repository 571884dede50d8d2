// The cards of the settings form.

import { type ReactNode, useId } from "react";
import type { LibraryAvatar } from "../../contract/library.ts";
import { limits } from "../../contract/limits.ts";
import type { Effort, Reasoning } from "../../contract/models.ts";
import type { VoiceEngine } from "../../contract/settings.ts";
import { Link } from "../shell/routing.tsx";
import { SelectField, SwitchField, TextArea, TextField } from "../ui/fields.tsx";
import type { Draft, Problems } from "./draft.ts";
import {
  type ChosenModels,
  effortGate,
  effortLevelAllowed,
  type Gate,
  reasoningGate,
  samplingGate,
} from "./gates.ts";
import type { SettingsForm } from "./settings-store.ts";

export interface SectionFrameProps {
  /** Of the place on the page, for links to it. */
  id: string;
  title: string;
  lead?: ReactNode;
  children: ReactNode;
}

export function Section({ id, title, lead, children }: SectionFrameProps) {
  const heading = useId();
  return (
    <section id={id} className="card" aria-labelledby={heading}>
      <div className="card-head">
        <h2 id={heading}>{title}</h2>
        {lead && <p className="card-lead">{lead}</p>}
      </div>
      {children}
    </section>
  );
}

export interface SectionProps {
  draft: Draft;
  problems: Problems;
  onEdit(part: Partial<Draft>): void;
}

/** An id that the list does not have stays choosable, or looking at the form would change it. */
function avatarOptions(avatars: readonly LibraryAvatar[], chosen: string) {
  const options = avatars.map((avatar) => ({
    value: avatar.avatar_id,
    label: avatar.state === "ready" ? avatar.display_name : `${avatar.display_name} (${avatar.state})`,
    disabled: avatar.state !== "ready" && avatar.avatar_id !== chosen,
  }));
  if (chosen !== "" && !avatars.some((avatar) => avatar.avatar_id === chosen)) {
    options.push({ value: chosen, label: `${chosen} (not in your library)`, disabled: false });
  }
  return [{ value: "", label: "None chosen", disabled: false }, ...options];
}

export function PersonaSection({
  draft,
  problems,
  avatars,
  onEdit,
}: SectionProps & { avatars: readonly LibraryAvatar[] | null }) {
  const count = draft.system_prompt.length.toLocaleString("en");
  const most = limits.systemPromptChars.toLocaleString("en");
  return (
    <Section
      id="persona"
      title="Persona"
      lead="Who is talking. This is everything the persona knows beyond what its model knows."
    >
      <TextArea
        label="Instructions"
        help="Written to the persona: who it is, how it speaks, what it must and must not say."
        aside={`${count} of ${most}`}
        error={problems["system_prompt"]}
        value={draft.system_prompt}
        maxLength={limits.systemPromptChars}
        rows={6}
        onChange={(system_prompt) => onEdit({ system_prompt })}
      />
      <div className="field-row">
        <SelectField
          label="Default face"
          help={
            avatars === null
              ? "Your library cannot be listed right now, so this stays as it is."
              : "Your sessions start with it unless another is asked for."
          }
          error={problems["avatar"]}
          value={draft.avatar}
          options={avatarOptions(avatars ?? [], draft.avatar)}
          disabled={avatars === null}
          onChange={(avatar) => onEdit({ avatar })}
        />
        <TextField
          label="Longest reply"
          help={`In tokens, ${limits.maxTokens.min} to ${limits.maxTokens.max}.`}
          error={problems["max_tokens"]}
          value={draft.max_tokens}
          inputMode="numeric"
          onChange={(max_tokens) => onEdit({ max_tokens })}
        />
      </div>
      <SwitchField
        label="Respond to emotion"
        help="The persona chooses a tone for what it says. Off, it always speaks neutrally."
        checked={draft.emotion_responsive}
        onChange={(emotion_responsive) => onEdit({ emotion_responsive })}
      />
    </Section>
  );
}

const effortLabels: Record<Effort, string> = {
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Very high",
  max: "Maximum",
};

const reasoningLabels: Record<Reasoning, string> = { off: "Off", low: "Low", medium: "Medium", high: "High" };

/** What a field is for, and what the chosen models make of it. */
function helped(purpose: string, gate: Gate): ReactNode {
  return gate.reason === "" ? (
    purpose
  ) : (
    <>
      {purpose} <strong className="settings-gate">{gate.reason}</strong>
    </>
  );
}

export function ThinkingSection({
  draft,
  problems,
  chosen,
  catalogue,
  onEdit,
}: SectionProps & { chosen: ChosenModels; catalogue: SettingsForm["catalogue"] }) {
  const sampling = samplingGate(chosen);
  const effort = effortGate(chosen, draft.reasoning);
  const reasoning = reasoningGate(chosen);
  const automatic = chosen.liveModel ? reasoningLabels[chosen.liveModel.default_reasoning].toLowerCase() : "";
  return (
    <Section
      id="answers"
      title="How it answers"
      lead="Models differ in what they let you set. What the chosen ones do not take is greyed out, and kept as it is."
    >
      <div className="field-row">
        <SelectField<Effort>
          label="Effort"
          help={helped("How much work goes into an answer.", effort)}
          error={problems["effort"]}
          value={draft.effort}
          disabled={!effort.enabled}
          options={catalogue.effort_levels.map((level) => {
            const allowed = effortLevelAllowed(chosen, level);
            const label = allowed ? effortLabels[level] : `${effortLabels[level]} (not with these models)`;
            return { value: level, label, disabled: !allowed && level !== draft.effort };
          })}
          onChange={(level) => onEdit({ effort: level })}
        />
        <SelectField<Reasoning | "">
          label="Thinking"
          help={helped("How long the live model thinks before it speaks; more is slower.", reasoning)}
          error={problems["reasoning"]}
          value={draft.reasoning ?? ""}
          disabled={!reasoning.enabled}
          options={[
            { value: "", label: automatic ? `Automatic (${automatic})` : "Automatic" },
            ...catalogue.reasoning_levels.map((level) => ({ value: level, label: reasoningLabels[level] })),
          ]}
          onChange={(level) => onEdit({ reasoning: level === "" ? null : level })}
        />
      </div>
      <div className="field-row">
        <TextField
          label="Temperature"
          help={helped("0 to 1: how varied its words are. Empty: the model's own.", sampling)}
          error={problems["temperature"]}
          value={draft.temperature}
          inputMode="decimal"
          disabled={!sampling.enabled}
          placeholder="Automatic"
          onChange={(temperature) => onEdit({ temperature })}
        />
        <TextField
          label="Top P"
          help={helped(
            "0 to 1: how far it strays from the likeliest words. Empty: the model's own.",
            sampling,
          )}
          error={problems["top_p"]}
          value={draft.top_p}
          inputMode="decimal"
          disabled={!sampling.enabled}
          placeholder="Automatic"
          onChange={(top_p) => onEdit({ top_p })}
        />
      </div>
    </Section>
  );
}

/** Where each engine keeps its voice. */
const slots: Record<VoiceEngine, "voice_id" | "voice_id_local" | "voice_id_cartesia"> = {
  local: "voice_id_local",
  cartesia: "voice_id_cartesia",
  elevenlabs: "voice_id",
};

export function VoiceSection({
  draft,
  problems,
  engines,
  onEdit,
}: SectionProps & { engines: SettingsForm["catalogue"]["tts_providers"] }) {
  return (
    <Section
      id="voice"
      title="Voice"
      lead={
        <>
          Each engine remembers a voice of its own. Voices are easier to choose by ear, on the page{" "}
          <Link href="/voices">Voices</Link>.
        </>
      }
    >
      <SelectField<VoiceEngine>
        label="Engine"
        error={problems["tts_provider"]}
        value={draft.tts_provider}
        options={engines.map((engine) => ({
          value: engine.id,
          label: engine.available
            ? engine.label
            : `${engine.label} (${engine.byo ? "needs a key of yours" : "not available"})`,
          disabled: !engine.available && engine.id !== draft.tts_provider,
        }))}
        onChange={(tts_provider) => onEdit({ tts_provider })}
      />
      <div className="field-row">
        {engines.map((engine) => {
          const slot = slots[engine.id];
          return (
            <TextField
              key={engine.id}
              label={`${engine.label}: voice`}
              error={problems[slot]}
              value={draft[slot]}
              maxLength={200}
              placeholder="The engine's own"
              autoComplete="off"
              spellCheck={false}
              onChange={(id) => onEdit({ [slot]: id })}
            />
          );
        })}
      </div>
    </Section>
  );
}
