import { EARTH_RADIUS_KM, type Position } from "../../kernel/values/great-circle";

/** A grid over the Earth, to whose points positions are rounded: the same place always to the same point. */

const METRES_OF_DEGREE = (EARTH_RADIUS_KM * 1_000 * Math.PI) / 180;

/** Micro-degrees: a tenth of a metre. */
const written = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;

/** The point of a grid `metres` wide that is nearest to a position; rows of it have as many points as fit around the Earth. */
export function onGrid({ latitude, longitude }: Position, metres: number): Position {
  const step = metres / METRES_OF_DEGREE;
  const row = Math.min(90, Math.max(-90, Math.round(latitude / step) * step));
  const around = Math.max(1, Math.floor((360 * Math.cos((row * Math.PI) / 180)) / step));
  const turn = Math.round(((longitude + 180) / 360) * around) % around;
  return { latitude: written(row), longitude: written((turn * 360) / around - 180) };
}
