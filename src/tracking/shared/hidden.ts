import { eq, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { distanceKm, type Position } from "../../kernel/values/great-circle";
import { areaOf } from "../geofences/area";
import { zoneEpoch } from "../geofences/epoch";
import { toRadians, vectorOf } from "../geofences/sphere";
import { geofences } from "../geofences/table";

/** Zones in which a link shows nothing, whether or not they are active. */

const zoneBy = statement(() =>
  db
    .select({
      ...{ latitude: geofences.latitude, longitude: geofences.longitude, radius_km: geofences.radius_km },
      ...{ geometry: geofences.geometry, width_m: geofences.width_m },
    })
    .from(geofences)
    .where(eq(geofences.id, placeholder("id")))
    .prepare(),
);

type Test = (position: Position) => boolean;

/** A zone that is gone hides all: its links are about to end. */
const ALL: Test = () => true;

const known = new BoundedMap<string, { epoch: number; contains: Test }>(1_000);

/** The test of a zone as it is now. */
function testOf(zoneId: string): Test {
  const epoch = zoneEpoch();
  const found = known.get(zoneId);
  if (found?.epoch === epoch) return found.contains;
  const zone = zoneBy().get({ id: zoneId });
  const contains = zone ? inZone(zone) : ALL;
  known.renew(zoneId, { epoch, contains });
  return contains;
}

function inZone(zone: NonNullable<ReturnType<ReturnType<typeof zoneBy>["get"]>>): Test {
  if (zone.geometry === null) return (position) => distanceKm(zone, position) <= zone.radius_km;
  const cap = { centre: vectorOf(zone), radius: toRadians(zone.radius_km) };
  const area = areaOf(zone.geometry, zone.width_m, cap);
  return (position) => area.contains(vectorOf(position));
}

/** True for a position in one of some zones. */
export const isHidden = (zoneIds: readonly string[], position: Position): boolean =>
  zoneIds.some((zoneId) => testOf(zoneId)(position));
