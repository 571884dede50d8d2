// What is said while a tool works: tools by languages.

import { useId, useState } from "react";
import { limits } from "../../contract/limits.ts";
import { languages } from "../../contract/tones.ts";
import { Badge } from "../ui/badge.tsx";
import { TextField } from "../ui/fields.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { Accordion } from "./accordion.tsx";
import type { Problems } from "./draft.ts";
import { emptyPhrase, languageNames, type PhraseDraft } from "./phrases.ts";

export interface PhraseEditorProps {
  phrases: readonly PhraseDraft[];
  /** Names that exist, offered while typing. */
  toolNames: readonly string[];
  problems: Problems;
  onChange(phrases: PhraseDraft[]): void;
}

export function PhraseEditor({ phrases, toolNames, problems, onChange }: PhraseEditorProps) {
  const [open, setOpen] = useState<number | null>(null);
  const names = useId();
  const full = phrases.length >= limits.toolPhraseTools;
  const replace = (index: number, phrase: PhraseDraft) =>
    onChange(phrases.map((other, at) => (at === index ? phrase : other)));
  return (
    <div className="stack">
      <datalist id={names}>
        {toolNames.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {phrases.length > 0 && (
        <ul className="rows">
          {phrases.map((phrase, index) => {
            const place = `tool_phrases.${index}.`;
            const broken = Object.keys(problems).some((key) => key.startsWith(place));
            const spoken = languages.filter((language) => phrase.lines[language].trim() !== "");
            return (
              <Accordion
                key={index}
                title={phrase.tool || "New tool"}
                note={spoken.map((language) => languageNames[language]).join(", ")}
                badge={broken && <Badge tone="bad">Needs attention</Badge>}
                open={open === index || broken}
                removeLabel={`Remove the phrases of ${phrase.tool || "the new tool"}`}
                onToggle={() => setOpen(open === index ? null : index)}
                onRemove={() => {
                  setOpen(null);
                  onChange(phrases.filter((_, other) => other !== index));
                }}
              >
                <div className="stack">
                  <TextField
                    label="Tool"
                    error={problems[`${place}tool`]}
                    value={phrase.tool}
                    maxLength={64}
                    list={names}
                    autoComplete="off"
                    spellCheck={false}
                    onChange={(tool) => replace(index, { ...phrase, tool })}
                  />
                  <div className="field-row">
                    {languages.map((language) => (
                      <TextField
                        key={language}
                        label={languageNames[language]}
                        lang={language}
                        aside={
                          phrase.lines[language] === ""
                            ? undefined
                            : `${Array.from(phrase.lines[language]).length} of ${limits.toolPhraseChars}`
                        }
                        error={problems[place + language]}
                        value={phrase.lines[language]}
                        onChange={(line) =>
                          replace(index, { ...phrase, lines: { ...phrase.lines, [language]: line } })
                        }
                      />
                    ))}
                  </div>
                </div>
              </Accordion>
            );
          })}
        </ul>
      )}
      {problems["tool_phrases"] && (
        <p className="form-field-error" role="alert">
          {problems["tool_phrases"]}
        </p>
      )}
      <div className="settings-add">
        <button
          type="button"
          className="button button-quiet"
          disabled={full}
          onClick={() => {
            setOpen(phrases.length);
            onChange([...phrases, emptyPhrase()]);
          }}
        >
          <PlusIcon />
          Add phrases
        </button>
        <span className="settings-count">
          {phrases.length} of {limits.toolPhraseTools} tools
        </span>
      </div>
    </div>
  );
}
