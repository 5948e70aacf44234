import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { BASE } from "../../base";
import { fleet } from "../../fleet";
import { inLanguages } from "../../language";
import { may } from "../../session";
import {
  bound,
  CheckField,
  FieldFault,
  Form,
  NumberField,
  picked,
  SelectField,
  TextField,
} from "../../ui/form";
import { useLoaded } from "../../ui/loaded";
import { common } from "../../ui/words";

type Level = Schemas["ShareLink"]["level"];

const words = inLanguages({
  en: {
    make: "Make the link",
    label: "Name",
    labelHint: "Shown to whoever opens it",
    devices: "Devices",
    choose: "Choose at least one device.",
    level: "They see",
    levels: { live: "where it is now", history: "its track too" } satisfies Record<Level, string>,
    from: "Track from",
    to: "Track to",
    until: "The link ends",
    delay: "Delay (minutes)",
    delayHint: "Positions are shown this much later",
    precision: "Blur (metres)",
    precisionHint: "Positions are rounded to so many metres",
    hide: "Hide inside of",
  },
  de: {
    make: "Link machen",
    label: "Name",
    labelHint: "Wer ihn öffnet, sieht ihn",
    devices: "Geräte",
    choose: "Wähle mindestens ein Gerät.",
    level: "Zu sehen ist",
    levels: { live: "wo es gerade ist", history: "auch die Strecke" } satisfies Record<Level, string>,
    from: "Strecke von",
    to: "Strecke bis",
    until: "Der Link endet",
    delay: "Verzögerung (Minuten)",
    delayHint: "Positionen werden so viel später gezeigt",
    precision: "Unschärfe (Meter)",
    precisionHint: "Positionen werden auf so viele Meter gerundet",
    hide: "Verbergen in",
  },
});

const DAY = 86_400_000;

/** A time as a field for local times writes it. */
const local = (time: number): string =>
  new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
const iso = (value: string): string => new Date(value).toISOString();

const toggled = (all: readonly string[], id: string, isChosen: boolean): readonly string[] =>
  isChosen ? [...all, id] : all.filter((each) => each !== id);

/** Makes a link: what it shows, how exactly, how late, and until when. */
export function NewLink({
  onMade,
  onCancel,
}: {
  onMade: (url: string) => void;
  onCancel: () => void;
}): JSX.Element {
  const t = words();
  const devices = [...fleet.value.values()].map(({ device }) => device.value);
  const label = useSignal("");
  const chosen = useSignal<readonly string[]>(devices.length === 1 ? devices.map(({ id }) => id) : []);
  const hidden = useSignal<readonly string[]>([]);
  const level = useSignal<Level>("live");
  const [from, to] = [useSignal(local(Date.now() - DAY)), useSignal(local(Date.now() + DAY))];
  const until = useSignal(local(Date.now() + 7 * DAY));
  const delay = useSignal<number | null>(null);
  const precision = useSignal<number | null>(null);
  const zones = useLoaded(
    async () =>
      may("geofences:read")
        ? (await call(() => api.GET("/v1/geofences", { params: { query: { limit: 100 } } }))).data
        : [],
    [],
  );
  const make = async () => {
    if (chosen.value.length === 0) throw new FieldFault(t.choose);
    const { data } = await call(() =>
      api.POST("/v1/share-links", {
        body: {
          label: label.value.trim() || null,
          device_ids: [...chosen.value],
          level: level.value,
          ...(level.value === "history" && { from: iso(from.value), to: iso(to.value) }),
          expires_at: iso(until.value),
          delay_seconds: Math.round((delay.value ?? 0) * 60),
          precision_m: precision.value,
          hide_zone_ids: [...hidden.value],
          base_url: BASE.replace(/\/$/, ""),
        },
      }),
    );
    onMade(data.url);
  };
  return (
    <section class="card">
      <Form action={t.make} onSubmit={make} onCancel={onCancel}>
        <TextField
          label={`${t.label} (${common().optional})`}
          hint={t.labelHint}
          maxLength={200}
          {...bound(label)}
        />
        <fieldset>
          <legend>{t.devices}</legend>
          {devices.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              isChecked={chosen.value.includes(id)}
              onChange={(isChecked) => {
                chosen.value = toggled(chosen.value, id, isChecked);
              }}
            />
          ))}
        </fieldset>
        <SelectField
          label={t.level}
          {...picked(level)}
          options={(["live", "history"] as const).map((each) => [each, t.levels[each]] as const)}
        />
        {level.value === "history" && (
          <div class="pair">
            <TextField label={t.from} type="datetime-local" required {...bound(from)} />
            <TextField label={t.to} type="datetime-local" required {...bound(to)} />
          </div>
        )}
        <TextField label={t.until} type="datetime-local" required {...bound(until)} />
        <div class="pair">
          <NumberField label={t.delay} hint={t.delayHint} min={0} {...bound(delay)} />
          <NumberField label={t.precision} hint={t.precisionHint} min={1} {...bound(precision)} />
        </div>
        {zones.data && zones.data.length > 0 && (
          <fieldset>
            <legend>{t.hide}</legend>
            {zones.data.map(({ id, name }) => (
              <CheckField
                key={id}
                label={name}
                isChecked={hidden.value.includes(id)}
                onChange={(isChecked) => {
                  hidden.value = toggled(hidden.value, id, isChecked);
                }}
              />
            ))}
          </fieldset>
        )}
      </Form>
    </section>
  );
}
