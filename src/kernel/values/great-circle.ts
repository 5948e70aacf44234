/** Distances and bearings on a sphere with the Earth's mean radius (IUGG: 6371.0088 km). */
export const EARTH_RADIUS_KM = 6371.0088;

export interface Position {
  /** Degrees, -90 to 90. */
  latitude: number;
  /** Degrees, -180 to 180. */
  longitude: number;
}

const RADIANS = Math.PI / 180;

/** Great-circle distance in kilometres by the haversine formula; off by some decimetres for opposite points. */
export function distanceKm(a: Position, b: Position): number {
  const sinLatitude = Math.sin(((b.latitude - a.latitude) * RADIANS) / 2);
  const sinLongitude = Math.sin(((b.longitude - a.longitude) * RADIANS) / 2);
  const h =
    sinLatitude * sinLatitude +
    Math.cos(a.latitude * RADIANS) * Math.cos(b.latitude * RADIANS) * sinLongitude * sinLongitude;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** The initial bearing from one position to another along the great circle, in degrees from 0 up to 360. */
export function bearingDeg(from: Position, to: Position): number {
  const [a, b] = [from.latitude * RADIANS, to.latitude * RADIANS];
  const along = (to.longitude - from.longitude) * RADIANS;
  const east = Math.sin(along) * Math.cos(b);
  const north = Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(along);
  return (Math.atan2(east, north) / RADIANS + 360) % 360;
}

/** The position that lies in a direction (degrees) at a distance (kilometres) along the great circle. */
export function destination(from: Position, bearing: number, km: number): Position {
  const angle = km / EARTH_RADIUS_KM;
  const [a, towards] = [from.latitude * RADIANS, bearing * RADIANS];
  const sinLatitude = Math.sin(a) * Math.cos(angle) + Math.cos(a) * Math.sin(angle) * Math.cos(towards);
  const east = Math.sin(towards) * Math.sin(angle) * Math.cos(a);
  const along = Math.atan2(east, Math.cos(angle) - Math.sin(a) * sinLatitude);
  const longitude = from.longitude + along / RADIANS;
  return {
    latitude: Math.asin(Math.max(-1, Math.min(1, sinLatitude))) / RADIANS,
    longitude: longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude,
  };
}
