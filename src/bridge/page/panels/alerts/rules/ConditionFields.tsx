import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call } from "../../../api";
import { all } from "../../../fleet";
import { may } from "../../../session";
import { Choices } from "../../../ui/choices";
import { DurationField } from "../../../ui/duration";
import { NumberField, SelectField } from "../../../ui/form";
import { useLoaded } from "../../../ui/loaded";
import { speedUnitName, speedValue } from "../../../units";
import type { ConditionType, Draft, Side, SystemMeasure, ZoneEvent } from "./draft";
import { SIDES } from "./draft";
import type { SetDraft } from "./RuleEditor";
import { isByShares } from "./rights";
import { words } from "./words";

interface Props {
  draft: Draft;
  set: SetDraft;
}

/** The permission to see what a rule of each type tells. */
const NEEDS: Record<ConditionType, string> = {
  zone: "geofences:read",
  silence: "gps:read",
  speed: "gps:read",
  battery: "gps:read",
  water_level: "pegel:read",
  system: "settings:read",
  anchor: "gps:read",
};

const TYPES = Object.keys(NEEDS) as ConditionType[];

/** By a share, rules tell of devices alone. */
const isOffered = (type: ConditionType): boolean =>
  isByShares() ? type !== "water_level" && type !== "system" : may(NEEDS[type]);

/** The condition of a rule, in plain words. */
export function ConditionFields({ draft, set }: Props): JSX.Element {
  const t = words();
  const types = TYPES.filter((type) => isOffered(type) || type === draft.type);
  return (
    <>
      <SelectField
        label={t.what}
        value={draft.type}
        options={types.map((type) => [type, t.types[type]] as const)}
        onChange={(type) => set({ type })}
      />
      <Own key={draft.type} draft={draft} set={set} />
    </>
  );
}

function Own({ draft, set }: Props): JSX.Element {
  const t = words();
  switch (draft.type) {
    case "zone":
      return <Zones draft={draft} set={set} />;
    case "silence":
      return (
        <DurationField
          label={t.silence}
          hint={t.silenceHint}
          required
          min={10}
          max={31_536_000}
          value={draft.silence}
          onInput={(silence) => set({ silence })}
        />
      );
    case "speed":
      return <Speed draft={draft} set={set} />;
    case "battery":
      return (
        <NumberField
          label={t.percent}
          required
          min={0}
          max={100}
          value={draft.percent}
          onInput={(percent) => set({ percent })}
        />
      );
    case "water_level":
      return <Water draft={draft} set={set} />;
    case "system":
      return <System draft={draft} set={set} />;
    case "anchor":
      return <p class="notice">{t.anchorHint}</p>;
  }
}

const EVENTS: readonly ZoneEvent[] = ["enter", "exit", "passed", "dwell"];

function Zones({ draft, set }: Props): JSX.Element {
  const t = words();
  const maySee = may("geofences:read");
  const zones = useLoaded(
    async () =>
      maySee
        ? all((page) => call(() => api.GET("/v1/geofences", { params: { query: { page, limit: 100 } } })))
        : [],
    [maySee],
  );
  return (
    <>
      <SelectField
        label={t.event}
        {...(draft.event === "dwell" && { hint: t.dwellHint })}
        value={draft.event}
        options={EVENTS.map((event) => [event, t.events[event]] as const)}
        onChange={(event) => set({ event })}
      />
      {maySee && (
        <SelectField
          label={t.zones}
          value={draft.zones}
          options={[
            ["all", t.zonesAll],
            ["some", t.zonesSome],
          ]}
          onChange={(chosen) => set({ zones: chosen })}
        />
      )}
      {draft.zones === "some" && zones.error !== null && <p class="notice bad">{zones.error}</p>}
      {draft.zones === "some" && zones.data && (
        <Choices
          legend={t.zonesSome}
          none={t.noZones}
          of={zones.data}
          chosen={draft.zoneIds}
          onChange={(zoneIds) => set({ zoneIds })}
        />
      )}
    </>
  );
}

const KM_PER_MILE = 1.852;

/** A speed in the reader's unit. What stands there is kept as it was typed; the draft has knots. */
function Speed({ draft, set }: Props): JSX.Element {
  const toShown = (knots: number) => Math.round(speedValue(knots * KM_PER_MILE) * 100) / 100;
  const shown = useSignal(draft.knots === null ? null : toShown(draft.knots));
  return (
    <NumberField
      label={words().speed(speedUnitName())}
      required
      min={0}
      value={shown.value}
      onInput={(value) => {
        shown.value = value;
        set({ knots: value === null ? null : value / speedValue(KM_PER_MILE) });
      }}
    />
  );
}

const SIDE_NAMES: readonly Side[] = ["above", "below"];

function SideField({ value, onChange }: { value: Side; onChange: (side: Side) => void }): JSX.Element {
  const t = words();
  return (
    <SelectField
      label={t.side}
      value={value}
      options={SIDE_NAMES.map((side) => [side, t.sides[side]] as const)}
      onChange={onChange}
    />
  );
}

function Water({ draft, set }: Props): JSX.Element {
  const t = words();
  const stations = useLoaded(() => call(() => api.GET("/v1/pegel/stations")), []);
  const byName = [...(stations.data ?? [])].sort((one, other) => one.longname.localeCompare(other.longname));
  const known = byName.some(({ station_id }) => station_id === draft.station) || draft.station === "";
  return (
    <>
      {stations.error !== null && <p class="notice bad">{t.noStations}</p>}
      <SelectField
        label={t.station}
        value={draft.station}
        options={[
          ["", t.choose],
          ...(known ? [] : [[draft.station, draft.station] as const]),
          ...byName.map(
            ({ station_id, longname, water_longname }) =>
              [station_id, `${longname} (${water_longname})`] as const,
          ),
        ]}
        onChange={(station) => set({ station })}
      />
      <div class="pair">
        <SideField value={draft.levelSide} onChange={(levelSide) => set({ levelSide })} />
        <NumberField
          label={t.level}
          required
          min={-100_000}
          max={100_000}
          value={draft.level}
          onInput={(level) => set({ level })}
        />
      </div>
    </>
  );
}

function System({ draft, set }: Props): JSX.Element {
  const t = words();
  const measures = Object.keys(SIDES) as SystemMeasure[];
  return (
    <>
      <SelectField
        label={t.measure}
        value={draft.what}
        options={measures.map((what) => [what, t.measures[what]] as const)}
        onChange={(what) => set({ what, amountSide: SIDES[what] })}
      />
      <div class="pair">
        <SideField value={draft.amountSide} onChange={(amountSide) => set({ amountSide })} />
        <NumberField
          label={t.amounts[draft.what]}
          required
          min={0}
          value={draft.amount}
          onInput={(amount) => set({ amount })}
        />
      </div>
    </>
  );
}
