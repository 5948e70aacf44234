import type { Position } from "../../tracking/geofences/geometry";
import type { Report } from "./report";

/** Where vessel positions come from, running. */
export interface Source {
  /** Tells where the newest position is (null: there is none) and what is near it. Called several times a second. */
  look: (here: Position | null, radiusKm: number) => void;
  isOpen: () => boolean;
  stop: () => void;
}

/** Takes a message in. */
export type Hear = (report: Report) => void;
