import type { JSX } from "preact";
import { ageOf } from "../../age";
import type { Craft } from "../../fleet";
import { speed } from "../../units";
import { activeTrips, zonesInside } from "../../whereabouts";
import { words } from "./words";

/** Slower than this (km/h) a receiver at rest reports by itself. */
const AT_REST = 1;

/** The time of a device's newest position, which its record tells also those who may not see where it is. */
export const lastHeard = ({ device, fix }: Craft): string | null =>
  fix.value?.timestamp ?? device.value.last_position_at;

/** A sign that tells the age of a position by its form: full, half, empty, crossed out. */
export function AgeSign({ at }: { at: string | null }): JSX.Element {
  const age = ageOf(at === null ? null : { timestamp: at });
  return (
    <svg
      class={`age ${age}`}
      width="20"
      height="20"
      viewBox="0 0 20 20"
      role="img"
      aria-label={words().state[age]}
    >
      <circle cx="10" cy="10" r="8" />
      {age === "old" && <path d="M10 2a8 8 0 0 1 0 16z" class="full" />}
      {age === "none" && <path d="M4 16 16 4" />}
    </svg>
  );
}

/** In words: moving or not, in which zones, on which trip. */
export function useWhereabouts({ device, fix }: Craft): string[] {
  const t = words();
  const { id, is_active } = device.value;
  const kmh = fix.value?.speed_kmh ?? null;
  const zones = zonesInside.value.get(id) ?? [];
  const trip = activeTrips.value.get(id);
  return [
    ...(is_active ? [] : [t.off]),
    ...(kmh !== null && ageOf(fix.value) === "fresh" ? [kmh > AT_REST ? t.moving(speed(kmh)) : t.still] : []),
    ...(zones.length > 0 ? [t.inZone(zones.join(", "))] : []),
    ...(trip ? [t.inTrip(trip.name)] : []),
  ];
}
