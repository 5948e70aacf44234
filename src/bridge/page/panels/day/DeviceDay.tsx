import type { JSX } from "preact";
import { isolated } from "../../direction";
import { dayAndClock, duration } from "../../times";
import { Downloads } from "../../ui/downloads";
import { Facts, Section } from "../../ui/panel";
import { distance, number, speed } from "../../units";
import { Moves } from "./Moves";
import { type Figures, queryOf, type Shown, type Tracks } from "./shown";
import { words } from "./words";

const FORMATS = ["gpx", "kml", "geojson", "csv"];

/** A device's span: totals, moves and stops, and its track as a file. */
export function DeviceDay({
  shown,
  figures,
  places,
  read,
  isTrips,
  title,
}: {
  shown: Shown;
  figures: Figures | undefined;
  places: ReadonlyMap<string, string>;
  read: Tracks;
  /** True for the device of a trip whose track is shown. */
  isTrips: boolean;
  /** Its name, where there are several. */
  title: string | null;
}): JSX.Element {
  const t = words();
  const pathOf = (format: string): string => {
    if (isTrips && read.trip) return `/v1/trips/${read.trip.id}/track?format=${format}`;
    return `/v1/devices/${shown.id}/track?${new URLSearchParams({ ...queryOf(read), format })}`;
  };
  return (
    <>
      {figures && (
        <>
          <Section title={title ?? t.totals}>
            {figures.recomputingFrom !== null && (
              <p class="notice" role="status">
                {t.anew(dayAndClock(Date.parse(figures.recomputingFrom)))}
              </p>
            )}
            <Totals of={figures.total} />
          </Section>
          <Section title={title === null ? t.list : `${isolated(title)}: ${t.list}`}>
            <Moves shown={shown} places={places} recomputingFrom={figures.recomputingFrom} />
            {figures.segmentsTotal > shown.segments.length && (
              <p class="hint">{t.cut(number(shown.segments.length), number(figures.segmentsTotal))}</p>
            )}
          </Section>
        </>
      )}
      <Downloads
        label={title === null ? t.take : `${isolated(title)}: ${t.take}`}
        formats={FORMATS}
        pathOf={pathOf}
      />
    </>
  );
}

function Totals({ of }: { of: Figures["total"] }): JSX.Element {
  const t = words();
  const kmh = (value: number | null) => (value === null ? null : speed(value));
  return (
    <Facts
      of={[
        [t.distance, distance(of.distance_km)],
        [t.moving, duration(of.moving_seconds)],
        [t.stopped, duration(of.stopped_seconds)],
        [t.average, kmh(of.average_speed_kmh)],
        [t.top, kmh(of.max_speed_kmh)],
        [t.stops, number(of.stops)],
      ]}
    />
  );
}
