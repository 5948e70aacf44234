import type { JSX } from "preact";
import { chosenOther } from "../../chosen";
import { LevelGraph, useHistories } from "../../graphs";
import { locale } from "../../language";
import { Facts } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { bearing, distance, number, speed } from "../../units";
import { vesselWords } from "../../vessel-words";
import { type Vessel, vessels } from "../../vessels";
import { nearbyStation, type Station } from "../../water";
import { Card } from "./Card";
import { words } from "./words";

const close = (): void => {
  chosenOther.value = null;
};

/** The vessel or the station that is chosen; nothing once it is gone. */
export function OtherCard({ chosen }: { chosen: number | "station" }): JSX.Element | null {
  if (chosen === "station") return nearbyStation.value && <StationCard station={nearbyStation.value} />;
  const vessel = vessels.value.get(chosen);
  return vessel ? <VesselCard vessel={vessel} /> : null;
}

function VesselCard({ vessel }: { vessel: Vessel }): JSX.Element {
  const t = words();
  const { mmsi, name, ship_type_label, nav_status_label, length, beam, heading, course, speed_kmh } = vessel;
  return (
    <Card title={name || t.unnamed} onClose={close}>
      <p class="soft">{t.destination}</p>
      <Facts
        of={[
          [t.speed, speed(speed_kmh)],
          [t.course, course === null && heading === null ? null : bearing(course ?? heading ?? 0)],
          [t.type, ship_type_label ? vesselWords(ship_type_label, locale.value) : null],
          [t.status, nav_status_label ? vesselWords(nav_status_label, locale.value) : null],
          [
            t.size,
            length === null ? null : `${number(length)} m${beam === null ? "" : ` × ${number(beam)} m`}`,
          ],
          [t.mmsi, String(mmsi)],
        ]}
      />
    </Card>
  );
}

function StationCard({ station }: { station: Station }): JSX.Element {
  const t = words();
  const { station_id, longname, water_longname, level_cm, trend, measured_at, distance_km } = station;
  const histories = useHistories([station_id]);
  const going =
    trend === null ? null : trend > 0 ? t.trends.rising : trend < 0 ? t.trends.falling : t.trends.steady;
  return (
    <Card title={longname} onClose={close}>
      <Facts
        of={[
          [t.level, level_cm === null ? null : `${number(level_cm)} cm`],
          [t.trend, going],
          [t.water, water_longname],
          [t.away, distance(distance_km)],
          [t.measured, measured_at && <Ago at={measured_at} />],
        ]}
      />
      <LevelGraph of={histories} id={station_id} />
    </Card>
  );
}
