import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { all, fleet } from "../../fleet";
import { inLanguages } from "../../language";
import { may } from "../../session";
import { useAddress } from "../../ui/address";
import { Choices } from "../../ui/choices";
import { bound, FieldFault, Form, NumberField, picked, SelectField, TextField } from "../../ui/form";
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
    noDevices: "There are no devices yet.",
    ofTrip: (name: string) => `It shows the trip ${name}.`,
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
    noDevices: "Es gibt noch keine Geräte.",
    ofTrip: (name: string) => `Er zeigt die Fahrt ${name}.`,
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

const LEVELS: readonly Level[] = ["live", "history"];

/** Makes a link: what it shows, how exactly, how late, and until when. */
export function NewLink({
  trip,
  onMade,
  onCancel,
}: {
  /** The trip that it shows; null for a link to devices. */
  trip: string | null;
  onMade: (url: string) => void;
  onCancel: () => void;
}): JSX.Element {
  const t = words();
  const address = useAddress();
  const devices = [...fleet.value.values()].map(({ device }) => device.value);
  const label = useSignal("");
  const chosen = useSignal<readonly string[]>(devices.length === 1 ? devices.map(({ id }) => id) : []);
  const hidden = useSignal<readonly string[]>([]);
  const level = useSignal<Level>("live");
  // A trip has a beginning and an end of its own.
  const hasSpan = trip === null && level.value === "history";
  const [from, to] = [useSignal(local(Date.now() - DAY)), useSignal(local(Date.now() + DAY))];
  const until = useSignal(local(Date.now() + 7 * DAY));
  const delay = useSignal<number | null>(null);
  const precision = useSignal<number | null>(null);
  const sailed = useLoaded(
    async () =>
      trip === null
        ? null
        : (await call(() => api.GET("/v1/trips/{id}", { params: { path: { id: trip } } }))).data,
    [trip],
  );
  const zones = useLoaded(
    async () =>
      may("geofences:read")
        ? all((page) => call(() => api.GET("/v1/geofences", { params: { query: { page, limit: 100 } } })))
        : [],
    [],
  );
  // A link shows no more than its maker sees.
  const offered = LEVELS.filter((each) => each === "live" || (may("trips:read") && may("geofences:read")));
  const make = async () => {
    if (trip === null && chosen.value.length === 0) throw new FieldFault(t.choose);
    const { data } = await call(() =>
      api.POST("/v1/share-links", {
        body: {
          label: label.value.trim() || null,
          ...(trip === null ? { device_ids: [...chosen.value] } : { trip_id: trip }),
          level: level.value,
          ...(hasSpan && { from: iso(from.value), to: iso(to.value) }),
          expires_at: iso(until.value),
          delay_seconds: Math.round((delay.value ?? 0) * 60),
          precision_m: precision.value,
          hide_zone_ids: [...hidden.value],
          base_url: address.value,
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
        {trip === null ? (
          <Choices
            legend={t.devices}
            none={t.noDevices}
            of={devices}
            chosen={chosen.value}
            onChange={(ids) => {
              chosen.value = ids;
            }}
          />
        ) : (
          <p>{t.ofTrip(sailed.data?.name ?? "…")}</p>
        )}
        <SelectField
          label={t.level}
          {...picked(level)}
          options={offered.map((each) => [each, t.levels[each]] as const)}
        />
        {hasSpan && (
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
        {address.field}
        {zones.data && zones.data.length > 0 && (
          <Choices
            legend={t.hide}
            none=""
            of={zones.data}
            chosen={hidden.value}
            onChange={(ids) => {
              hidden.value = ids;
            }}
          />
        )}
      </Form>
    </section>
  );
}
