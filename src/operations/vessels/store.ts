import { MINUTE, now } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { distanceKm, type Position } from "../../kernel/values/great-circle";
import { navStatusLabel, shipTypeLabel } from "./labels";
import type { Report } from "./report";

/** A vessel as `vesselsUpdate` tells it. */
export interface Vessel {
  /** Maritime Mobile Service Identity. */
  mmsi: number;
  name: string;
  ship_type: number | null;
  ship_type_label: string;
  nav_status: number | null;
  nav_status_label: string;
  /** Metres. */
  length: number | null;
  beam: number | null;
  /** Degrees, true. */
  heading: number | null;
  lat: number;
  lng: number;
  /** Degrees over ground. */
  course: number | null;
  speed_kmh: number;
}

/** Everything known of a vessel: its messages put together. */
interface Known {
  heardAt: number;
  position: Position | null;
  speed: number | null;
  course: number | null;
  heading: number | null;
  nav_status: number | null;
  name: string;
  ship_type: number | null;
  length: number | null;
  beam: number | null;
}

const NOTHING: Omit<Known, "heardAt"> = {
  position: null,
  speed: null,
  course: null,
  heading: null,
  nav_status: null,
  name: "",
  ship_type: null,
  length: null,
  beam: null,
};

/** Time after which a vessel is dropped that is no longer heard (rule O6). */
const LIFETIME = 10 * MINUTE;

/**
 * Vessels kept: the message with all of them stays below the unsent bytes that a slow client may have (rule
 * W6).
 */
export const MAX_VESSELS = 10_000;

/** The vessels that were heard of lately, by MMSI. */
export class VesselStore {
  /** The vessel that was heard last comes last. */
  readonly #vessels = new BoundedMap<number, Known>(MAX_VESSELS);
  /** Grows with each message and each vessel that goes: while it stays, broadcasts would be equal. */
  revision = 0;

  get size(): number {
    return this.#vessels.size;
  }

  /** Merges a message into its vessel's data. */
  hear({ mmsi, known_as = "", ...told }: Report): void {
    const known = this.#vessels.get(mmsi);
    const vessel: Known = { ...(known ?? NOTHING), ...onlyDefined(told), heardAt: now() };
    // A name stays if a later message leaves it out.
    vessel.name ||= known?.name || known_as;
    this.#vessels.renew(mmsi, vessel);
    this.revision++;
  }

  /** Drops vessels unheard for ten minutes and, after the clock was set back, those heard in the future. */
  dropUnheard(): void {
    const time = now();
    for (const [mmsi, { heardAt }] of this.#vessels) {
      if (Math.abs(time - heardAt) <= LIFETIME) return;
      this.#vessels.delete(mmsi);
      this.revision++;
    }
  }

  /** The vessels with a position, within a radius of a place, or all of them without a place. Unordered. */
  near(here: Position | null, radiusKm: number): Vessel[] {
    const found: Vessel[] = [];
    for (const [mmsi, known] of this.#vessels) {
      const { position } = known;
      if (position && (!here || distanceKm(here, position) <= radiusKm))
        found.push(toVessel(mmsi, known, position));
    }
    return found;
  }
}

const onlyDefined = (told: Omit<Report, "mmsi" | "known_as">): Partial<Known> =>
  Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));

/** Kilometres an hour to the resolution of the source: a tenth of a knot is exactly 0.1852 km/h. */
const toKmh = (knots: number): number => Math.round(knots * 18_520) / 10_000;

const toVessel = (mmsi: number, known: Known, { latitude, longitude }: Position): Vessel => ({
  mmsi,
  name: known.name,
  ship_type: known.ship_type,
  ship_type_label: shipTypeLabel(known.ship_type),
  nav_status: known.nav_status,
  nav_status_label: navStatusLabel(known.nav_status),
  length: known.length,
  beam: known.beam,
  heading: known.heading,
  lat: latitude,
  lng: longitude,
  course: known.course,
  speed_kmh: toKmh(known.speed ?? 0),
});
