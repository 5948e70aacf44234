/** The shapes of zones: `polygon` may be several polygons with holes, `corridor` is the stretch along a line. */
export const KINDS = ["circle", "polygon", "corridor"] as const;
export type Kind = (typeof KINDS)[number];

/** The crossings that are listed. */
export const SHOWN_EVENTS = ["enter", "exit", "passed", "dwell"] as const;
export type ShownEvent = (typeof SHOWN_EVENTS)[number];

/** All that is kept: `begin` and `end` are of devices inside when a zone begins to watch or ceases to. */
export const EVENTS = [...SHOWN_EVENTS, "begin", "end"] as const;
export type ZoneEvent = (typeof EVENTS)[number];

/** [longitude, latitude] in degrees. */
export type Coordinate = readonly number[];
export type RingCoordinates = readonly Coordinate[];

/** GeoJSON (RFC 7946) of a zone that is no circle. */
export type Geometry =
  | { type: "Polygon"; coordinates: readonly RingCoordinates[] }
  | { type: "MultiPolygon"; coordinates: readonly (readonly RingCoordinates[])[] }
  | { type: "LineString"; coordinates: readonly Coordinate[] };
