import { invalid, invalidAll } from "../../kernel/errors/errors";
import { EARTH_RADIUS_KM } from "../../kernel/values/great-circle";
import type { Geometry, Kind } from "./kinds";
import type { GeofenceChange } from "./schema";
import { checkCorridor, checkPolygon } from "./shape-check";
import { type Cap, toPosition } from "./sphere";

/** The fields that tell which part of the Earth a zone covers. */
export interface Shape {
  kind: Kind;
  geometry: Geometry | null;
  width_m: number | null;
  /** The circle, or one that holds the polygon or the corridor. */
  latitude: number;
  longitude: number;
  radius_km: number;
}

type Input = Pick<GeofenceChange, "kind" | "geometry" | "width_m" | "latitude" | "longitude" | "radius_km">;

/**
 * The shape of a zone that gets these fields; `before` is its shape so far, null for a new zone. Throws 400 for fields that
 * make no shape.
 */
export function shapeOf(input: Input, before: Shape | null): Shape {
  const kind = input.kind ?? before?.kind ?? "circle";
  const isSameKind = kind === before?.kind;
  if (kind === "circle") return circleOf(input, before);
  if (kind !== "corridor" && input.width_m != null) throw invalid("/width_m", "is for corridors alone");
  const geometry = input.geometry === undefined && isSameKind ? before.geometry : input.geometry;
  if (geometry == null) throw invalid("/geometry", "is required");
  if (kind === "polygon") return { kind, width_m: null, ...around(checkPolygon(geometry)) };
  const width_m = input.width_m === undefined && isSameKind ? before.width_m : input.width_m;
  if (width_m == null) throw invalid("/width_m", "is required");
  return { kind, width_m, ...around(checkCorridor(geometry, width_m)) };
}

function circleOf(input: Input, before: Shape | null): Shape {
  if (input.geometry != null) throw invalid("/geometry", "is for polygons and corridors alone");
  if (input.width_m != null) throw invalid("/width_m", "is for corridors alone");
  const latitude = input.latitude ?? before?.latitude;
  const longitude = input.longitude ?? before?.longitude;
  const radius_km = input.radius_km ?? before?.radius_km;
  if (latitude === undefined || longitude === undefined || radius_km === undefined) {
    const missing = Object.entries({ latitude, longitude, radius_km }).filter(
      ([, value]) => value === undefined,
    );
    throw invalidAll(missing.map(([field]) => ({ path: `/${field}`, message: "is required" })));
  }
  return { kind: "circle", geometry: null, width_m: null, latitude, longitude, radius_km };
}

const around = ({ geometry, cap }: { geometry: Geometry; cap: Cap }) => ({
  geometry,
  ...toPosition(cap.centre),
  radius_km: cap.radius * EARTH_RADIUS_KM,
});
