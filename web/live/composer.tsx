// Where the person types.

import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { limits } from "../../contract/limits.ts";
import type { Tone } from "../../contract/tones.ts";
import { toneName } from "../avatars/words.ts";
import { SendIcon, StopIcon } from "../ui/icons.tsx";
import { Segmented } from "../ui/segmented.tsx";
import type { SpeakMode } from "./live-store.ts";
import "./composer.css";

export interface ComposerProps {
  name: string;
  tones: readonly Tone[];
  /** There is speech, or an answer under way, to be stopped. */
  interruptible: boolean;
  /** Returns whether the text was taken. */
  onSay(text: string, mode: SpeakMode, tone?: Tone): boolean;
  onInterrupt(): void;
}

const modes = [
  { value: "message", label: "Converse" },
  { value: "talk", label: "Say exactly" },
] as const satisfies readonly { value: SpeakMode; label: string }[];

export function Composer({ name, tones, interruptible, onSay, onInterrupt }: ComposerProps) {
  const [text, setText] = useState("");
  const [mode, setMode] = useState<SpeakMode>("message");
  const [tone, setTone] = useState<Tone | "">("");
  const field = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    // A phone's keyboard would cover the face the moment it goes live.
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, []);

  function submit(event?: FormEvent) {
    event?.preventDefault();
    const said = text.trim();
    if (said !== "" && onSay(said, mode, mode === "talk" && tone ? tone : undefined)) setText("");
    field.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    // Enter that confirms an input method's suggestion must not send the half-written text.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  }

  const prompt = mode === "message" ? `Say something to ${name}` : `What should ${name} say?`;
  return (
    <form className="composer" onSubmit={submit} aria-label="Talk">
      <div className="composer-line">
        <textarea
          ref={field}
          rows={1}
          value={text}
          maxLength={limits.messageChars}
          placeholder={prompt}
          aria-label={prompt}
          enterKeyHint="send"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {interruptible && (
          <button
            type="button"
            className="icon-button composer-stop"
            aria-label="Interrupt"
            title="Interrupt (Esc)"
            onClick={onInterrupt}
          >
            <StopIcon />
          </button>
        )}
        <button
          type="submit"
          className="icon-button icon-button-primary"
          aria-label="Say it"
          disabled={text.trim() === ""}
        >
          <SendIcon />
        </button>
      </div>
      <div className="composer-line">
        <Segmented<SpeakMode> label="How to speak" value={mode} options={modes} onChange={setMode} />
        {mode === "talk" && tones.length > 1 && (
          <select
            className="composer-tone"
            aria-label="Tone"
            value={tone}
            onChange={(event) => setTone(event.target.value as Tone | "")}
          >
            <option value="">Any tone</option>
            {tones.map((each) => (
              <option key={each} value={each}>
                {toneName(each)}
              </option>
            ))}
          </select>
        )}
      </div>
    </form>
  );
}
