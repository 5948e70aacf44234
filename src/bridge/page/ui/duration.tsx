import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { inLanguages } from "../language";
import { Field } from "./form";

const words = inLanguages({
  en: { unit: "unit", s: "seconds", min: "minutes", h: "hours", d: "days" },
  de: { unit: "Einheit", s: "Sekunden", min: "Minuten", h: "Stunden", d: "Tage" },
});

const SECONDS = { s: 1, min: 60, h: 3_600, d: 86_400 } as const;
type Unit = keyof typeof SECONDS;
const UNITS = Object.keys(SECONDS) as Unit[];

/** The largest unit in which so many seconds are a whole number. */
const unitOf = (seconds: number | null): Unit =>
  (seconds && UNITS.findLast((unit) => seconds % SECONDS[unit] === 0)) || "s";

/** A field of a duration in the unit that its reader chooses; seconds to the program, null while it is empty. */
export function DurationField({
  label,
  hint,
  value,
  min = 0,
  max,
  required,
  onInput,
}: {
  label: string;
  hint?: string;
  value: number | null;
  /** Seconds. */
  min?: number;
  max?: number;
  required?: boolean;
  onInput: (seconds: number | null) => void;
}): JSX.Element {
  const t = words();
  const unit = useSignal(unitOf(value));
  const size = SECONDS[unit.value];
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <div class="joined">
          <input
            {...ids}
            type="number"
            inputMode="numeric"
            step={1 / size}
            min={min / size}
            max={max === undefined ? undefined : max / size}
            required={required}
            value={value === null ? "" : value / size}
            onInput={({ currentTarget: { valueAsNumber } }) =>
              onInput(Number.isNaN(valueAsNumber) ? null : Math.round(valueAsNumber * size))
            }
          />
          <select
            aria-label={`${label}: ${t.unit}`}
            value={unit.value}
            onChange={({ currentTarget }) => {
              const chosen = currentTarget.value as Unit;
              if (value !== null) onInput(Math.round((value / size) * SECONDS[chosen]));
              unit.value = chosen;
            }}
          >
            {UNITS.map((each) => (
              <option key={each} value={each}>
                {t[each]}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
}
