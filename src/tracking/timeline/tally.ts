import { distanceKm, type Position } from "../../kernel/values/great-circle";
import type { SegmentKind } from "./kinds";
import type { Leg, TrackFix } from "./machine";

/** The sums of legs. */

/** The box around some places, in degrees, and the same with longitudes from 0 to 360. */
export interface Box {
  south: number;
  north: number;
  west: number;
  east: number;
  west_360: number;
  east_360: number;
}

/** A place at a time in epoch milliseconds. */
export interface Spot extends Position {
  time: number;
}

export interface Tally {
  kind: SegmentKind;
  /** The fixes at which the first leg begins and the last one ends. */
  from: Spot;
  until: Spot;
  legs: number;
  /** Each leg is rounded by itself, so that the sum is the same in whatever order the fixes came. */
  distance_mm: number;
  highest_kmh: number | null;
  second_kmh: number | null;
  box: Box;
}

const MM_PER_KM = 1_000_000;
const MS_PER_HOUR = 3_600_000;

/** The speed at the end of a leg: as the receiver told it, else along the leg. */
const speedOf = (km: number, { from, to }: Leg): number =>
  to.speedKmh ?? (km / (to.time - from.time)) * MS_PER_HOUR;

const turned = (longitude: number): number => (longitude < 0 ? longitude + 360 : longitude);

/** The box around one place. */
function boxOf({ latitude, longitude }: Position): Box {
  const from0 = turned(longitude);
  return {
    ...{ south: latitude, north: latitude, west: longitude, east: longitude },
    ...{ west_360: from0, east_360: from0 },
  };
}

/** Widens a box by another one. */
export function widen(box: Box, by: Box): void {
  if (by.south < box.south) box.south = by.south;
  if (by.north > box.north) box.north = by.north;
  if (by.west < box.west) box.west = by.west;
  if (by.east > box.east) box.east = by.east;
  if (by.west_360 < box.west_360) box.west_360 = by.west_360;
  if (by.east_360 > box.east_360) box.east_360 = by.east_360;
}

const spotOf = ({ time, latitude, longitude }: TrackFix): Spot => ({ time, latitude, longitude });

interface Speeds {
  highest_kmh: number | null;
  second_kmh: number | null;
}

/** Keeps the two highest of some speeds. */
export function addSpeed(sums: Speeds, speed: number | null): void {
  if (speed === null) return;
  if (sums.highest_kmh === null || speed > sums.highest_kmh) {
    sums.second_kmh = sums.highest_kmh;
    sums.highest_kmh = speed;
  } else if (sums.second_kmh === null || speed > sums.second_kmh) sums.second_kmh = speed;
}

/** The highest speed that was reached twice, against spikes; of a single one, that. */
export const highestSpeed = ({ highest_kmh, second_kmh }: Speeds): number | null => second_kmh ?? highest_kmh;

/** The sums of one leg. */
export function tallyOf(leg: Leg): Tally {
  const km = distanceKm(leg.from, leg.to);
  const box = boxOf(leg.from);
  widen(box, boxOf(leg.to));
  return {
    kind: leg.kind,
    from: spotOf(leg.from),
    until: spotOf(leg.to),
    legs: 1,
    distance_mm: Math.round(km * MM_PER_KM),
    highest_kmh: speedOf(km, leg),
    second_kmh: null,
    box,
  };
}

/** Adds the leg that follows. */
export function addLeg(tally: Tally, leg: Leg): void {
  const km = distanceKm(leg.from, leg.to);
  tally.until = spotOf(leg.to);
  tally.legs++;
  tally.distance_mm += Math.round(km * MM_PER_KM);
  addSpeed(tally, speedOf(km, leg));
  widen(tally.box, boxOf(leg.to));
}

/** Adds the legs that follow. */
export function addTally(tally: Tally, next: Tally): void {
  tally.until = next.until;
  tally.legs += next.legs;
  tally.distance_mm += next.distance_mm;
  addSpeed(tally, next.highest_kmh);
  addSpeed(tally, next.second_kmh);
  widen(tally.box, next.box);
}

export const copyOf = (tally: Tally): Tally => ({ ...tally, box: { ...tally.box } });
