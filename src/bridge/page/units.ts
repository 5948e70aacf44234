import { computed } from "@preact/signals";
import { tag } from "./language";
import { stored } from "./stored";

/** Units of speeds and distances, as the reader chose them. */

export const speedUnit = stored("speed", ["kn", "kmh", "mph"], "kn");
export const distanceUnit = stored("distance", ["nm", "km"], "nm");

const KN_PER_KMH = 1 / 1.852;
const MPH_PER_KMH = 1 / 1.609344;

const digits = computed(() => {
  const made = [0, 1, 2].map(
    (most) => new Intl.NumberFormat(tag.value, { minimumFractionDigits: most, maximumFractionDigits: most }),
  );
  return (value: number, most: 0 | 1 | 2) => (made[most] as Intl.NumberFormat).format(value);
});

/** A number in the reader's language, with so many digits behind the point. */
export const number = (value: number, most: 0 | 1 | 2 = 0): string => digits.value(value, most);

/** A speed with its unit, from km/h. */
export function speed(kmh: number): string {
  if (speedUnit.value === "kmh") return `${number(kmh, kmh < 10 ? 1 : 0)} km/h`;
  if (speedUnit.value === "mph") return `${number(kmh * MPH_PER_KMH, kmh < 10 ? 1 : 0)} mph`;
  return `${number(kmh * KN_PER_KMH, 1)} kn`;
}

/** A speed as a number of the reader's unit, from km/h: for graphs. */
export const speedValue = (kmh: number): number =>
  speedUnit.value === "kmh" ? kmh : kmh * (speedUnit.value === "mph" ? MPH_PER_KMH : KN_PER_KMH);

export const speedUnitName = (): string => ({ kn: "kn", kmh: "km/h", mph: "mph" })[speedUnit.value];

/** A distance with its unit, from kilometres; short ones in metres. */
export function distance(km: number): string {
  if (km < 0.5) return `${number(km * 1_000)} m`;
  if (distanceUnit.value === "km") return `${number(km, km < 100 ? 1 : 0)} km`;
  const miles = km * KN_PER_KMH;
  return `${number(miles, miles < 100 ? 1 : 0)} nm`;
}

/** A course or bearing with three digits, from degrees. */
export const bearing = (degrees: number): string => `${String(Math.round(degrees) % 360).padStart(3, "0")}°`;

/** A latitude or longitude in degrees and minutes, as charts have them. */
function angle(value: number, width: number, [positive, negative]: readonly [string, string]): string {
  const thousandths = Math.round(Math.abs(value) * 60_000);
  const degrees = String(Math.floor(thousandths / 60_000)).padStart(width, "0");
  const minutes = number((thousandths % 60_000) / 1_000, 2);
  return `${degrees}° ${minutes.padStart(5, "0")}′ ${value < 0 ? negative : positive}`;
}

/** A position in degrees and minutes. */
export const place = (latitude: number, longitude: number): string =>
  `${angle(latitude, 2, ["N", "S"])}  ${angle(longitude, 3, tag.value === "de-DE" ? ["O", "W"] : ["E", "W"])}`;
