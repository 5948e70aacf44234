import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { AreaField, bound, Form, NumberField, picked, SelectField, TextField } from "../../ui/form";
import { logWords } from "./words";

type Kind = NonNullable<Schemas["NewLogEntry"]["kind"]>;

const KINDS: readonly Kind[] = ["note", "weather", "sail", "engine", "crew", "watch"];

/** Writes into the log. */
export function NewEntry({
  tripId,
  onDone,
  onCancel,
}: {
  tripId: string;
  onDone: () => void;
  onCancel: () => void;
}): JSX.Element {
  const t = logWords();
  const kind = useSignal<Kind>("note");
  const [text, at] = [useSignal(""), useSignal("")];
  const [wind, barometer, hours] = [
    useSignal<number | null>(null),
    useSignal<number | null>(null),
    useSignal<number | null>(null),
  ];
  const write = async () => {
    const figures = {
      ...(kind.value === "weather" && wind.value !== null && { wind_bft: wind.value }),
      ...(kind.value === "weather" && barometer.value !== null && { barometer_hpa: barometer.value }),
      ...(kind.value === "engine" && hours.value !== null && { engine_hours: hours.value }),
    };
    await call(() =>
      api.POST("/v1/trips/{id}/log", {
        params: { path: { id: tripId } },
        body: {
          kind: kind.value,
          text: text.value.trim() || null,
          occurred_at: at.value ? new Date(at.value).toISOString() : null,
          data: Object.keys(figures).length > 0 ? figures : null,
        },
      }),
    );
    onDone();
  };
  return (
    <section class="card">
      <Form action={t.add} onSubmit={write} onCancel={onCancel}>
        <SelectField
          label={t.kind}
          {...picked(kind)}
          options={KINDS.map((each) => [each, t.kinds[each]] as const)}
        />
        <AreaField label={t.text} maxLength={10_000} {...bound(text)} />
        {kind.value === "weather" && (
          <div class="pair">
            <NumberField label={t.wind} min={0} max={12} {...bound(wind)} />
            <NumberField label={t.barometer} min={800} max={1_100} {...bound(barometer)} />
          </div>
        )}
        {kind.value === "engine" && <NumberField label={t.hours} min={0} {...bound(hours)} />}
        <TextField label={t.at} hint={t.atHint} type="datetime-local" {...bound(at)} />
      </Form>
    </section>
  );
}
