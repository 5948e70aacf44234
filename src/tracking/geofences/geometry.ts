/** The geometry of circular zones on a sphere with the Earth's mean radius (IUGG: 6371.0088 km). */
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

/** A position as a point of the unit sphere in space: x towards 0° E, y towards 90° E, z towards the pole. */
export function toVector({ latitude, longitude }: Position): [x: number, y: number, z: number] {
  const cosLatitude = Math.cos(latitude * RADIANS);
  return [
    cosLatitude * Math.cos(longitude * RADIANS),
    cosLatitude * Math.sin(longitude * RADIANS),
    Math.sin(latitude * RADIANS),
  ];
}

export type Box = [minX: number, maxX: number, minY: number, maxY: number, minZ: number, maxZ: number];

/** Widens boxes by about a centimetre, to make up for rounding. */
const SLACK = 1e-9;

/**
 * The smallest box in space that holds a zone's cap of the sphere. Unlike a box of degrees it needs no
 * special case at the 180th meridian or over a pole.
 */
export function boundingBox(centre: Position, radiusKm: number): Box {
  const angle = radiusKm / EARTH_RADIUS_KM;
  const range = (component: number): [number, number] => {
    // The angle between the centre and the axis: the cap reaches from `away - angle` to `away + angle`.
    const away = Math.acos(Math.min(1, Math.max(-1, component)));
    const nearest = Math.max(0, away - angle);
    const farthest = Math.min(Math.PI, away + angle);
    return [Math.cos(farthest) - SLACK, Math.cos(nearest) + SLACK];
  };
  const [x, y, z] = toVector(centre);
  return [...range(x), ...range(y), ...range(z)];
}
