import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { prefersStillness } from "../../looks";
import { stage } from "../../map/current";
import { boundsOf } from "../../map/geometry";
import { showBox } from "../../map/track";
import { clock, day, dayAndClock, dayName, duration } from "../../times";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { distance, speed } from "../../units";
import { zones } from "../../zones";
import { replay, seek } from "./replay";
import type { Segment, Shown } from "./shown";
import { words } from "./words";

/** Entries that are shown at once. */
const MOST = 100;
/** A stop is looked at from at least this near. */
const NEAR = 13;

const seconds = (time: string): number => Date.parse(time) / 1_000;

/** Moves the clock to the beginning of an entry, and the map to its place. */
function show({ kind, from, to, start, end }: Segment, { way }: Shown): void {
  seek(seconds(from));
  replay.follows.value = false;
  const current = stage.peek();
  if (!current) return;
  if (kind !== "stop") {
    const [first, last] = [seconds(from), seconds(to)];
    const passed = way.filter(({ time }) => time >= first && time <= last);
    const box = boundsOf([start, ...passed, end].map(({ longitude, latitude }) => [longitude, latitude]));
    if (box) showBox(current, box);
    return;
  }
  const { map } = current;
  const center = [start.longitude, start.latitude] as [number, number];
  const camera = { center, zoom: Math.max(map.getZoom(), NEAR) };
  if (prefersStillness()) map.jumpTo(camera);
  else map.easeTo(camera);
}

/** The moves, stops and gaps of a device; a tap shows one on the map and moves the clock there. */
export function Moves({
  shown,
  places,
  recomputingFrom,
}: {
  shown: Shown;
  places: ReadonlyMap<string, string>;
  /** ISO 8601; null when nothing is being computed anew. */
  recomputingFrom: string | null;
}): JSX.Element {
  const t = words();
  const { segments } = shown;
  const most = useSignal(MOST);
  useEffect(() => {
    most.value = MOST;
  }, [shown.id, most]);
  const current = useComputed(() => {
    const time = replay.time.value;
    return time === null
      ? -1
      : segments.findLastIndex(({ from, to }) => seconds(from) <= time && time <= seconds(to));
  });
  if (segments.length === 0) return <p class="soft">{t.noList}</p>;
  return (
    <>
      <ol class="rows moves">
        {segments.slice(0, most.value).map((segment, at) => (
          <li key={segment.from + segment.kind}>
            <button
              type="button"
              class="row"
              aria-current={at === current.value ? "true" : undefined}
              onClick={() => show(segment, shown)}
            >
              <Entry
                segment={segment}
                places={places}
                isAnew={recomputingFrom !== null && seconds(segment.to) >= seconds(recomputingFrom)}
              />
            </button>
          </li>
        ))}
      </ol>
      {segments.length > most.value && (
        <Button
          onClick={() => {
            most.value += MOST;
          }}
        >
          {t.more(Math.min(MOST, segments.length - most.value))}
        </Button>
      )}
    </>
  );
}

const ICONS = { move: "trips", stop: "stop", gap: "gap" } as const;

function Entry({
  segment,
  places,
  isAnew,
}: {
  segment: Segment;
  places: ReadonlyMap<string, string>;
  /** True if late positions may yet change it. */
  isAnew: boolean;
}): JSX.Element {
  const t = words();
  const { kind, from, to, duration_seconds, distance_km, average_speed_kmh, location_id, zone_ids } = segment;
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const ends = dayName(begin) === dayName(end) ? clock(end) : dayAndClock(end);
  const zoneNames = zone_ids.flatMap((id) => zones.value.find((zone) => zone.id === id)?.name ?? []);
  const place = location_id === null ? undefined : places.get(location_id);
  const facts = [
    kind === "stop" ? null : distance(distance_km),
    kind === "move" && average_speed_kmh !== null ? t.average_(speed(average_speed_kmh)) : null,
    zoneNames.length > 0 ? t.zones(zoneNames.join(", ")) : null,
  ].filter((fact) => fact !== null);
  return (
    <>
      <Icon name={ICONS[kind]} />
      <span class="row-main">
        <span class="row-title">{place ? `${t.entries[kind]}: ${place}` : t.entries[kind]}</span>
        <span class="hint number" title={day(begin)}>
          {dayAndClock(begin)} – {ends}
        </span>
        {facts.length > 0 && <span class="hint">{facts.join(" · ")}</span>}
        {isAnew && <span class="tag warning">{t.isAnew}</span>}
      </span>
      <span class="row-end number">{duration(duration_seconds)}</span>
    </>
  );
}
