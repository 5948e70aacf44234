import { EARTH_RADIUS_KM, type Position } from "../../kernel/values/great-circle";

/** The geometry of circular zones, as points of the unit sphere in space. */

const RADIANS = Math.PI / 180;

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
