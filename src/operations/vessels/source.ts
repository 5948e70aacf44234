import type { Position } from "../../kernel/values/great-circle";
import type { Report } from "./report";

/** A running source of vessel positions. */
export interface Source {
  /**
   * Gives the newest position (null: there is none) and the radius around it. Called several times a second.
   */
  look: (here: Position | null, radiusKm: number) => void;
  isOpen: () => boolean;
  stop: () => void;
}

/** Receives a message. */
export type Hear = (report: Report) => void;
