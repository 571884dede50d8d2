// Form fields: a label above, help below it, the error in its place when there is one.

import { type ComponentProps, type ReactNode, useId } from "react";
import "./fields.css";

export interface FieldProps {
  label: ReactNode;
  /** The label is read out, not shown, as where a table's heading says the same. */
  labelHidden?: boolean;
  help?: ReactNode;
  error?: ReactNode;
  /** At the label's right, such as a character count. */
  aside?: ReactNode;
}

interface Wiring {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

/** Label, help and error around any one control, which spreads the wiring it is handed. */
export function Field({
  label,
  labelHidden = false,
  help,
  error,
  aside,
  children,
}: FieldProps & { children(wiring: Wiring): ReactNode }) {
  const id = useId();
  const described = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className={error ? "form-field form-field-bad" : "form-field"}>
      <div className={labelHidden && !aside ? "visually-hidden" : "form-field-head"}>
        <label htmlFor={id} className={labelHidden ? "visually-hidden" : undefined}>
          {label}
        </label>
        {aside && <span className="form-field-aside">{aside}</span>}
      </div>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": error ? true : undefined })}
      {help && (
        <p id={`${id}-help`} className="form-field-help">
          {help}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="form-field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

type Native<Tag extends "input" | "textarea" | "select"> = Omit<
  ComponentProps<Tag>,
  "onChange" | "value" | "id" | "children"
>;

export type TextFieldProps = FieldProps & Native<"input"> & { value: string; onChange(value: string): void };

export function TextField({ label, labelHidden, help, error, aside, onChange, ...input }: TextFieldProps) {
  return (
    <Field {...{ label, labelHidden, help, error, aside }}>
      {(wiring) => (
        <input type="text" {...input} {...wiring} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}

export type TextAreaProps = FieldProps &
  Native<"textarea"> & { value: string; onChange(value: string): void };

export function TextArea({ label, labelHidden, help, error, aside, onChange, ...area }: TextAreaProps) {
  return (
    <Field {...{ label, labelHidden, help, error, aside }}>
      {(wiring) => <textarea {...area} {...wiring} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}

export interface SelectOption<Value extends string> {
  value: Value;
  label: string;
  disabled?: boolean;
}

export type SelectFieldProps<Value extends string> = FieldProps &
  Native<"select"> & {
    value: Value;
    options: readonly SelectOption<Value>[];
    onChange(value: Value): void;
  };

export function SelectField<Value extends string>({
  label,
  labelHidden,
  help,
  error,
  aside,
  options,
  onChange,
  ...select
}: SelectFieldProps<Value>) {
  return (
    <Field {...{ label, labelHidden, help, error, aside }}>
      {(wiring) => (
        <select {...select} {...wiring} onChange={(event) => onChange(event.target.value as Value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export interface SwitchFieldProps {
  label: ReactNode;
  help?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
}

/** On or off, at once understood. */
export function SwitchField({ label, help, checked, disabled = false, onChange }: SwitchFieldProps) {
  const id = useId();
  return (
    <div className="switch-field">
      <span className="switch">
        <input
          id={id}
          type="checkbox"
          role="switch"
          checked={checked}
          disabled={disabled}
          aria-describedby={help ? `${id}-help` : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span aria-hidden="true" />
      </span>
      <div>
        <label htmlFor={id}>{label}</label>
        {help && (
          <p id={`${id}-help`} className="form-field-help">
            {help}
          </p>
        )}
      </div>
    </div>
  );
}
