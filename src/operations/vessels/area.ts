import { distanceKm, EARTH_RADIUS_KM, type Position } from "../../kernel/values/great-circle";

/** The area of a subscription: boxes in degrees, as aisstream takes them. */
export interface Area {
  centre: Position;
  /** The radius to cover around the newest position, wherever in the slack that is. */
  radiusKm: number;
}

/** Two opposite corners, south-west and north-east, each `[latitude, longitude]`. */
export type Corners = [[number, number], [number, number]];

/** Kilometres that a ship may move within its area: a fifth of the radius, at least 2 km. */
const slackKm = (radiusKm: number): number => Math.max(2, radiusKm / 5);

/** True if an area no longer covers the surroundings: the position left its slack, or the radius changed. */
export const isLeft = ({ centre, radiusKm }: Area, here: Position, wantedKm: number): boolean =>
  radiusKm !== wantedKm || distanceKm(centre, here) > slackKm(radiusKm);

const DEGREES = 180 / Math.PI;
/** Rounded outwards, so that nothing is lost at the edge. */
const down = (degrees: number): number => Math.floor(degrees * 1e5) / 1e5;
const up = (degrees: number): number => Math.ceil(degrees * 1e5) / 1e5;

/**
 * The boxes that hold an area with its slack: one, or two at the 180th meridian. An area over a pole has all longitudes.
 */
export function boxesOf({ centre: { latitude, longitude }, radiusKm }: Area): Corners[] {
  const angle = (radiusKm + slackKm(radiusKm)) / EARTH_RADIUS_KM;
  const [south, north] = [latitude - angle * DEGREES, latitude + angle * DEGREES];
  const box = (west: number, east: number): Corners => [
    [down(Math.max(-90, south)), down(west)],
    [up(Math.min(90, north)), up(east)],
  ];
  if (south <= -90 || north >= 90) return [box(-180, 180)];
  const width = Math.asin(Math.sin(angle) / Math.cos(latitude / DEGREES)) * DEGREES;
  const [west, east] = [longitude - width, longitude + width];
  if (west < -180) return [box(west + 360, 180), box(-180, east)];
  if (east > 180) return [box(west, 180), box(-180, east - 360)];
  return [box(west, east)];
}
