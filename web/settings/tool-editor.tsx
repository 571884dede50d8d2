// The custom tools: a list, one of them open at a time.

import { useState } from "react";
import { limits } from "../../contract/limits.ts";
import { Badge } from "../ui/badge.tsx";
import { SelectField, SwitchField, TextArea, TextField } from "../ui/fields.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { Accordion } from "./accordion.tsx";
import type { Problems } from "./draft.ts";
import { toolNameHelp } from "./phrases.ts";
import { emptyTool, type ToolDraft } from "./tools.ts";

const modes = [
  { value: "await_result", label: "Wait for its answer, then go on talking" },
  { value: "fire_and_forget", label: "Call it and go on at once" },
] as const;

interface ToolFieldsProps {
  tool: ToolDraft;
  problem(field: keyof ToolDraft): string | undefined;
  onChange(part: Partial<ToolDraft>): void;
}

function ToolFields({ tool, problem, onChange }: ToolFieldsProps) {
  return (
    <div className="stack">
      <div className="field-row">
        <TextField
          label="Name"
          help={toolNameHelp}
          error={problem("name")}
          value={tool.name}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          onChange={(name) => onChange({ name })}
        />
        <TextField
          label="Time limit in seconds"
          error={problem("timeout_seconds")}
          value={tool.timeout_seconds}
          inputMode="numeric"
          onChange={(timeout_seconds) => onChange({ timeout_seconds })}
        />
      </div>
      <TextArea
        label="Description"
        help="The model reads this to decide when to use the tool."
        error={problem("description")}
        value={tool.description}
        maxLength={1024}
        rows={2}
        onChange={(description) => onChange({ description })}
      />
      <TextArea
        label="Parameters"
        help="A JSON Schema object: what the tool is called with."
        error={problem("parameters")}
        value={tool.parameters}
        rows={5}
        spellCheck={false}
        className="settings-code"
        onChange={(parameters) => onChange({ parameters })}
      />
      <div className="field-row">
        <SelectField
          label="What happens meanwhile"
          value={tool.mode}
          options={modes}
          onChange={(mode) => onChange({ mode })}
        />
        <TextField
          label="Endpoint"
          help="A public https:// address that is called with a signed POST. Empty: the call goes to the page or program that holds the session."
          error={problem("endpoint")}
          value={tool.endpoint}
          type="url"
          autoComplete="off"
          placeholder="https://"
          onChange={(endpoint) => onChange({ endpoint })}
        />
      </div>
      <SwitchField
        label="Offer it to the model"
        help="A tool that is not offered is kept, and never called."
        checked={tool.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
    </div>
  );
}

export interface ToolEditorProps {
  tools: readonly ToolDraft[];
  problems: Problems;
  onChange(tools: ToolDraft[]): void;
}

export function ToolEditor({ tools, problems, onChange }: ToolEditorProps) {
  const [open, setOpen] = useState<number | null>(null);
  const full = tools.length >= limits.tools;
  return (
    <div className="stack">
      {tools.length > 0 && (
        <ul className="rows">
          {tools.map((tool, index) => {
            const place = `tools.${index}.`;
            const broken = Object.keys(problems).some((key) => key.startsWith(place));
            return (
              <Accordion
                key={index}
                title={tool.name || "New tool"}
                note={tool.description}
                badge={
                  broken ? (
                    <Badge tone="bad">Needs attention</Badge>
                  ) : (
                    !tool.enabled && <Badge>Not offered</Badge>
                  )
                }
                open={open === index || broken}
                removeLabel={`Remove ${tool.name || "the new tool"}`}
                onToggle={() => setOpen(open === index ? null : index)}
                onRemove={() => {
                  setOpen(null);
                  onChange(tools.filter((_, other) => other !== index));
                }}
              >
                <ToolFields
                  tool={tool}
                  problem={(field) => problems[place + field]}
                  onChange={(part) =>
                    onChange(tools.map((other, at) => (at === index ? { ...other, ...part } : other)))
                  }
                />
              </Accordion>
            );
          })}
        </ul>
      )}
      {problems["tools"] && (
        <p className="form-field-error" role="alert">
          {problems["tools"]}
        </p>
      )}
      <div className="settings-add">
        <button
          type="button"
          className="button button-quiet"
          disabled={full}
          onClick={() => {
            setOpen(tools.length);
            onChange([...tools, emptyTool]);
          }}
        >
          <PlusIcon />
          Add a tool
        </button>
        <span className="settings-count">
          {tools.length} of {limits.tools}
        </span>
      </div>
    </div>
  );
}
