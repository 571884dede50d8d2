// A few short words, each a chip that can be taken away again.

import { type KeyboardEvent, useState } from "react";
import { Field, type FieldProps } from "./fields.tsx";
import { CloseIcon } from "./icons.tsx";
import "./tag-input.css";

export type TagInputProps = FieldProps & {
  value: readonly string[];
  maxTags: number;
  maxChars: number;
  placeholder?: string;
  onChange(value: string[]): void;
};

/** The list with what was typed added: trimmed, without doubles (whatever their case), within its limits. */
export function withTags(
  tags: readonly string[],
  typed: string,
  { maxTags, maxChars }: { maxTags: number; maxChars: number },
): string[] {
  const result = [...tags];
  for (const word of typed.split(",")) {
    const tag = word.trim().slice(0, maxChars).trim();
    const known = result.some((other) => other.toLowerCase() === tag.toLowerCase());
    if (tag !== "" && !known && result.length < maxTags) result.push(tag);
  }
  return result;
}

export function TagInput({ value, maxTags, maxChars, placeholder, onChange, ...field }: TagInputProps) {
  const [typed, setTyped] = useState("");
  function commit() {
    if (typed.trim() !== "") onChange(withTags(value, typed, { maxTags, maxChars }));
    setTyped("");
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" || event.key === ",") {
      event.preventDefault();
      commit();
    } else if (event.key === "Backspace" && typed === "") {
      onChange(value.slice(0, -1));
    }
  }
  return (
    <Field {...field} aside={`${value.length} of ${maxTags}`}>
      {(wiring) => (
        <div className="tag-input">
          {value.map((tag) => (
            <span key={tag} className="tag">
              {tag}
              <button
                type="button"
                aria-label={`Remove ${tag}`}
                onClick={() => onChange(value.filter((other) => other !== tag))}
              >
                <CloseIcon />
              </button>
            </span>
          ))}
          <input
            {...wiring}
            value={typed}
            placeholder={placeholder}
            maxLength={maxChars}
            disabled={value.length >= maxTags}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={onKeyDown}
            onBlur={commit}
          />
        </div>
      )}
    </Field>
  );
}
