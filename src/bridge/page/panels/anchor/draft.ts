import type { components } from "../../document.gen";
import { destination } from "../../map/geometry";

/** A watch as its form holds it. */

type Schemas = components["schemas"];
type AnchorWatch = Schemas["AnchorWatch"];
/** The boat's newest position. */
type Fix = Readonly<{ latitude: number; longitude: number }>;

export type Mode = "stay" | "here" | "bearing" | "map";

export interface Draft {
  mode: Mode;
  direction: number | null;
  away: number | null;
  latitude: number | null;
  longitude: number | null;
  radius: number | null;
  warning: number | null;
  silence: number | null;
  confirm: number | null;
  severity: AnchorWatch["severity"];
  targets: "default" | "some" | "none";
  targetIds: readonly string[];
}

const RADIUS = 40;
const SILENCE = 120;
const CONFIRM = 2;

export const draftOf = (watch: AnchorWatch | null, fix: Fix | null): Draft => ({
  mode: watch ? "stay" : fix ? "here" : "map",
  direction: null,
  away: null,
  latitude: watch?.latitude ?? null,
  longitude: watch?.longitude ?? null,
  radius: watch?.radius_m ?? RADIUS,
  warning: watch?.warning_radius_m ?? null,
  silence: watch?.silence_seconds ?? SILENCE,
  confirm: watch?.confirm_fixes ?? CONFIRM,
  severity: watch?.severity ?? "alarm",
  targets: !watch?.target_ids ? "default" : watch.target_ids.length > 0 ? "some" : "none",
  targetIds: watch?.target_ids ?? [],
});

/** Longitude and latitude of the anchor as the draft has it; null while it says none. */
export function placeOf(draft: Draft, watch: AnchorWatch | null, fix: Fix | null): [number, number] | null {
  const { mode, direction, away, latitude, longitude } = draft;
  if (mode === "stay") return watch && [watch.longitude, watch.latitude];
  if (mode === "map") return latitude === null || longitude === null ? null : [longitude, latitude];
  if (!fix) return null;
  const boat: [number, number] = [fix.longitude, fix.latitude];
  return mode === "here" ? boat : destination(boat, direction ?? 0, (away ?? 0) / 1_000);
}

/** The place as the API takes it: nothing where the anchor stays, else from the boat as the server knows it. */
function given({ mode, direction, away, latitude, longitude }: Draft): Partial<Schemas["AnchorDrop"]> {
  if (mode === "here") return { bearing_deg: 0, distance_m: 0 };
  if (mode === "bearing") return { bearing_deg: direction ?? 0, distance_m: away ?? 0 };
  return mode === "map" && latitude !== null && longitude !== null ? { latitude, longitude } : {};
}

/** A draft as the API takes it. A field that is left out would fall back to its default: all are given. */
export const bodyOf = (draft: Draft): Schemas["AnchorDrop"] => ({
  ...given(draft),
  radius_m: draft.radius ?? RADIUS,
  warning_radius_m: draft.warning,
  silence_seconds: draft.silence ?? SILENCE,
  confirm_fixes: draft.confirm ?? CONFIRM,
  severity: draft.severity,
  target_ids: draft.targets === "default" ? null : draft.targets === "none" ? [] : [...draft.targetIds],
});
