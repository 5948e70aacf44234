import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { Schemas } from "../../api";
import { inLanguages, tag } from "../../language";
import { Button } from "../../ui/button";
import { CheckField, Field, TextField } from "../../ui/form";

export type Schedule = Schemas["Schedule"];
type Window = Schedule["windows"][number];
type Day = Window["days"][number];

const words = inLanguages({
  en: {
    zone: "Time zone",
    window: (number: number) => `Span ${number}`,
    days: "On",
    from: "From",
    to: "To",
    overnight: "until the next day",
    add: "Another span",
    remove: "Remove this span",
  },
  de: {
    zone: "Zeitzone",
    window: (number: number) => `Zeitraum ${number}`,
    days: "An",
    from: "Von",
    to: "Bis",
    overnight: "bis zum nächsten Tag",
    add: "Weiterer Zeitraum",
    remove: "Diesen Zeitraum entfernen",
  },
});

export const DAYS: readonly Day[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** The first of January 2024 was a Monday. */
export const dayName = (day: Day, weekday: "short" | "long"): string =>
  new Intl.DateTimeFormat(tag.value, { weekday, timeZone: "UTC" }).format(
    Date.UTC(2024, 0, 1 + DAYS.indexOf(day)),
  );

const NIGHT: Window = { days: [...DAYS], from: "22:00", to: "06:00" };

/** The end of a day, which fields of a time write as its beginning. */
const END = "24:00";

/** Spans of the week at which something counts, or always. */
export function ScheduleField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint?: string;
  value: Schedule | null;
  onChange: (schedule: Schedule | null) => void;
}): JSX.Element {
  const t = words();
  const zones = useId();
  const set = (at: number, change: Partial<Window>) =>
    value &&
    onChange({
      ...value,
      windows: value.windows.map((window, other) => (other === at ? { ...window, ...change } : window)),
    });
  return (
    <>
      <CheckField
        label={label}
        {...(hint !== undefined && { hint })}
        isChecked={value !== null}
        onChange={(isChecked) =>
          onChange(
            isChecked
              ? { timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, windows: [NIGHT] }
              : null,
          )
        }
      />
      {value?.windows.map((window, at) => (
        <fieldset key={at} class="window">
          <legend>{t.window(at + 1)}</legend>
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset inside of another would draw a second frame. */}
          <div class="days" role="group" aria-label={t.days}>
            {DAYS.map((day) => (
              <button
                key={day}
                type="button"
                class="button day"
                aria-pressed={window.days.includes(day)}
                onClick={() =>
                  set(at, { days: DAYS.filter((each) => window.days.includes(each) !== (each === day)) })
                }
              >
                <span aria-hidden="true">{dayName(day, "short")}</span>
                <span class="unseen">{dayName(day, "long")}</span>
              </button>
            ))}
          </div>
          <div class="pair">
            <TextField
              label={t.from}
              type="time"
              required
              value={window.from}
              onInput={(from) => set(at, { from })}
            />
            <TextField
              label={t.to}
              {...(window.to <= window.from && { hint: t.overnight })}
              type="time"
              required
              value={window.to === END ? "00:00" : window.to}
              onInput={(to) => set(at, { to })}
            />
          </div>
          {value.windows.length > 1 && (
            <Button
              icon="trash"
              kind="quiet"
              onClick={() =>
                onChange({ ...value, windows: value.windows.filter((_, other) => other !== at) })
              }
            >
              {t.remove}
            </Button>
          )}
        </fieldset>
      ))}
      {value && (
        <>
          <Button icon="add" onClick={() => onChange({ ...value, windows: [...value.windows, NIGHT] })}>
            {t.add}
          </Button>
          <Field label={t.zone}>
            {(ids) => (
              <>
                <input
                  {...ids}
                  list={zones}
                  required
                  maxLength={64}
                  value={value.timezone}
                  onInput={({ currentTarget }) => onChange({ ...value, timezone: currentTarget.value })}
                />
                <datalist id={zones}>
                  {Intl.supportedValuesOf("timeZone").map((zone) => (
                    <option key={zone} value={zone} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
        </>
      )}
    </>
  );
}

/** A schedule in a line, such as "Mon, Tue 22:00–06:00". */
export const scheduleText = ({ windows }: Schedule): string =>
  windows
    .map(({ days, from, to }) => {
      const names = DAYS.filter((day) => days.includes(day)).map((day) => dayName(day, "short"));
      return `${names.length === DAYS.length ? "" : `${names.join(", ")} `}${from}–${to}`;
    })
    .join("; ");
