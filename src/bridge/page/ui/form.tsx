import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { ApiError, messageOf } from "../api";
import { Button } from "./button";
import { common } from "./words";

/**
 * A form that keeps what was typed until it was taken: a refusal is shown above the button, and nothing is cleared. `onSubmit`
 * throws the refusal.
 */
export function Form({
  children,
  action,
  onSubmit,
  onCancel,
  kind = "main",
}: {
  /** Its fields; none where the button alone asks for all. */
  children?: ComponentChildren;
  /** The word of its button. */
  action: string;
  onSubmit: () => Promise<unknown>;
  onCancel?: (() => void) | undefined;
  kind?: "main" | "plain" | "danger";
}): JSX.Element {
  const refusal = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    refusal.value = null;
    try {
      await onSubmit();
    } catch (error) {
      refusal.value = error instanceof FieldFault ? error.message : messageOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form onSubmit={submit} onInvalidCapture={reveal}>
      {children}
      {refusal.value !== null && (
        <p class="notice bad" role="alert">
          {refusal.value}
        </p>
      )}
      <footer class="actions">
        {onCancel && <Button onClick={onCancel}>{common().cancel}</Button>}
        <Button kind={kind} type="submit" isDisabled={isBusy.value}>
          {action}
        </Button>
      </footer>
    </form>
  );
}

/** Opens what a wrong field is folded away in: a browser says nothing about a field that can't be seen. */
function reveal({ target }: Event): void {
  const folded = target instanceof Element ? target.closest("details:not([open])") : null;
  folded?.setAttribute("open", "");
}

/** A fault that the page finds before it asks the server. */
export class FieldFault extends Error {}

/** True if a refusal concerns a field of this path, such as `/name`. */
export const concerns = (error: unknown, path: string): boolean =>
  error instanceof ApiError && error.details.some((detail) => detail.path === path);

/** Binds a field to a signal: `{...bound(name)}`. */
export const bound = <T,>(to: Signal<T>) => ({
  value: to.value,
  onInput: (value: T) => {
    to.value = value;
  },
});

/** Binds a choice to a signal: `{...picked(level)}`. */
export const picked = <T extends string>(to: Signal<T>) => ({
  value: to.value,
  onChange: (value: T) => {
    to.value = value;
  },
});

/** Binds a box to a signal: `{...ticked(isPublic)}`. */
export const ticked = (to: Signal<boolean>) => ({
  isChecked: to.value,
  onChange: (isChecked: boolean) => {
    to.value = isChecked;
  },
});

/** Binds a box to whether something is among what is chosen: `{...among(scopes, scope)}`. */
export const among = (chosen: Signal<readonly string[]>, one: string) => ({
  isChecked: chosen.value.includes(one),
  onChange: (isChecked: boolean) => {
    chosen.value = isChecked ? [...chosen.value, one] : chosen.value.filter((each) => each !== one);
  },
});

/** A label with its field and a hint. */
export function Field({
  label,
  hint,
  children,
}: {
  label: string;
  hint?: string | undefined;
  children: (ids: { id: string; "aria-describedby"?: string }) => ComponentChildren;
}): JSX.Element {
  const id = useId();
  const ids = hint ? { id, "aria-describedby": `${id}-hint` } : { id };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(ids)}
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

/** Attributes that a field may hand to the browser. */
interface InputProps {
  name?: string;
  autocomplete?: string;
  autocapitalize?: "none" | "characters" | "words" | "sentences";
  spellcheck?: boolean;
  required?: boolean;
  readOnly?: boolean;
  disabled?: boolean;
  placeholder?: string;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

type TextType =
  | "text"
  | "password"
  | "email"
  | "url"
  | "search"
  | "date"
  | "time"
  | "datetime-local"
  | "color";

/** A field of one line. `onInput` gets the text. */
export function TextField({
  label,
  hint,
  value,
  onInput,
  type = "text",
  ...rest
}: InputProps & {
  label: string;
  hint?: string;
  type?: TextType;
  value: string;
  onInput: (value: string) => void;
}): JSX.Element {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <input
          {...rest}
          {...ids}
          // The types of this element tell kinds of fields apart that are the same here.
          type={type as "text"}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A field of a number; null while it is empty. */
export function NumberField({
  label,
  hint,
  value,
  onInput,
  ...rest
}: InputProps & {
  label: string;
  hint?: string;
  min?: number;
  max?: number;
  step?: number | "any";
  value: number | null;
  onInput: (value: number | null) => void;
}): JSX.Element {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <input
          step="any"
          {...rest}
          {...ids}
          type="number"
          inputMode="decimal"
          value={value ?? ""}
          onInput={({ currentTarget: { valueAsNumber } }) =>
            onInput(Number.isNaN(valueAsNumber) ? null : valueAsNumber)
          }
        />
      )}
    </Field>
  );
}

/** A choice among some values, each with its words. */
export function SelectField<T extends string>({
  label,
  hint,
  value,
  options,
  onChange,
}: {
  label: string;
  hint?: string;
  value: T;
  options: readonly (readonly [value: T, words: string])[];
  onChange: (value: T) => void;
}): JSX.Element {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
          {options.map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A box to tick, with its words behind it. */
export function CheckField({
  label,
  hint,
  isChecked,
  onChange,
}: {
  label: string;
  hint?: string;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

/** A text of several lines. */
export function AreaField({
  label,
  hint,
  value,
  onInput,
  rows = 3,
  ...rest
}: InputProps & {
  label: string;
  hint?: string;
  rows?: number;
  value: string;
  onInput: (value: string) => void;
}): JSX.Element {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <textarea
          {...rest}
          {...ids}
          rows={rows}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
