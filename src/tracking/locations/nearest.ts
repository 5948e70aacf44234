import { sqlite, statement } from "../../kernel/db/connection";
import { distanceKm, type Position } from "../../kernel/values/great-circle";

/** The location at a place. Raw SQL: a page of stops asks for each of them, and the index has the latitudes. */

/** A place this near to a location is there. */
const REACH_KM = 0.3;
/** A little more than that in degrees of latitude, of which each has 111.19 km. */
const REACH_DEGREES = REACH_KM / 111;

interface Place extends Position {
  id: string;
  name: string;
}

const within = statement(() =>
  sqlite.prepare<Place, [number, number]>(
    "SELECT id, name, latitude, longitude FROM locations WHERE latitude >= ?1 AND latitude <= ?2 AND longitude IS NOT NULL ORDER BY id",
  ),
);

/** The stored location that is nearest to a place, within 300 m; null if there is none. */
export function nearestLocation(place: Position): Pick<Place, "id" | "name"> | null {
  const { latitude } = place;
  let nearest: Place | null = null;
  let least = REACH_KM;
  for (const location of within().all(latitude - REACH_DEGREES, latitude + REACH_DEGREES)) {
    const km = distanceKm(place, location);
    if (km > least || (nearest && km === least)) continue;
    nearest = location;
    least = km;
  }
  return nearest && { id: nearest.id, name: nearest.name };
}
