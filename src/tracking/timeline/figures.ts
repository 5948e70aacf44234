import { SECOND } from "../../kernel/time/clock";
import { QUARTER } from "./course";
import type { SegmentKind } from "./kinds";
import type { Figures as Shown } from "./schema";
import { addSpeed, type Box, highestSpeed, widen } from "./tally";
import type { Window } from "./window";

/** The figures of periods, added up from parts of timelines. */

/** A part as figures need it; see table.ts. */
export interface Piece extends Box {
  kind: SegmentKind;
  from_time: number;
  until_time: number;
  begun_time: number;
  distance_mm: number;
  highest_kmh: number | null;
  second_kmh: number | null;
}

/** The sums of a period; times in milliseconds. */
export interface Sums {
  moving: number;
  stopped: number;
  moved_mm: number;
  gaps_mm: number;
  stops: number;
  highest_kmh: number | null;
  second_kmh: number | null;
  box: Box | null;
}

export const blank = (): Sums => ({
  ...{ moving: 0, stopped: 0, moved_mm: 0, gaps_mm: 0, stops: 0 },
  ...{ highest_kmh: null, second_kmh: null, box: null },
});

const MM_PER_KM = 1_000_000;
const MS_PER_HOUR = 3_600_000;

/** Adds pieces, oldest first, to periods in order. A leg belongs to the period in which it ends. */
export class Figures {
  readonly periods: readonly Window[];
  /** Of each period. */
  readonly sums: Sums[];
  /** Quarters of an hour that a period begins or ends in the midst of: their parts must be added leg by leg. */
  readonly #divided = new Set<number>();
  /** The first period that the next piece may touch. */
  #at = 0;

  constructor(periods: readonly Window[]) {
    this.periods = periods;
    this.sums = periods.map(blank);
    for (const { from, until } of periods)
      for (const time of [from, until])
        if (time % QUARTER !== 0) this.#divided.add(Math.ceil(time / QUARTER));
  }

  /** True for a piece that must be added leg by leg. */
  isDivided({ until_time }: Pick<Piece, "until_time">): boolean {
    return this.#divided.has(Math.ceil(until_time / QUARTER));
  }

  add(piece: Piece): void {
    while (this.#at < this.periods.length && this.#until(this.#at) <= piece.from_time) this.#at++;
    for (let at = this.#at; at < this.periods.length; at++) {
      const { from, until } = this.periods[at] as Window;
      if (from >= piece.until_time) break;
      const sums = this.sums[at] as Sums;
      const milliseconds = Math.min(until, piece.until_time) - Math.max(from, piece.from_time);
      if (piece.kind === "move") sums.moving += milliseconds;
      if (piece.kind === "stop") sums.stopped += milliseconds;
      const isBegunHere = isBegun(piece) && piece.from_time >= from && piece.from_time < until;
      if (piece.kind === "stop" && isBegunHere) sums.stops++;
      if (piece.until_time <= until) addTo(sums, piece);
    }
  }

  #until(at: number): number {
    return (this.periods[at] as Window).until;
  }
}

/** True for the first part of a stop. */
const isBegun = ({ from_time, begun_time }: Piece): boolean => from_time === begun_time;

function addTo(sums: Sums, piece: Piece): void {
  addBox(sums, piece);
  if (piece.kind === "gap") sums.gaps_mm += piece.distance_mm;
  if (piece.kind !== "move") return;
  sums.moved_mm += piece.distance_mm;
  addSpeed(sums, piece.highest_kmh);
  addSpeed(sums, piece.second_kmh);
}

function addBox(sums: Sums, { south, north, west, east, west_360, east_360 }: Box): void {
  const box = { south, north, west, east, west_360, east_360 };
  if (sums.box) widen(sums.box, box);
  else sums.box = box;
}

/** Adds the sums of another time or another track. */
export function addSums(sums: Sums, by: Sums): void {
  sums.moving += by.moving;
  sums.stopped += by.stopped;
  sums.moved_mm += by.moved_mm;
  sums.gaps_mm += by.gaps_mm;
  sums.stops += by.stops;
  addSpeed(sums, by.highest_kmh);
  addSpeed(sums, by.second_kmh);
  if (by.box) addBox(sums, by.box);
}

/** The figures as they are shown, but for the zones. */
export function toShown(sums: Sums): Omit<Shown, "zone_ids"> {
  const { moving, moved_mm } = sums;
  return {
    distance_km: (moved_mm + sums.gaps_mm) / MM_PER_KM,
    moving_seconds: moving / SECOND,
    stopped_seconds: sums.stopped / SECOND,
    average_speed_kmh: moving === 0 ? null : (moved_mm / MM_PER_KM / moving) * MS_PER_HOUR,
    max_speed_kmh: highestSpeed(sums),
    stops: sums.stops,
    bbox: sums.box && toBbox(sums.box),
  };
}

/** The narrower of the two boxes; across the 180th meridian its west exceeds its east. */
function toBbox({ south, north, west, east, west_360, east_360 }: Box): [number, number, number, number] {
  if (east - west <= east_360 - west_360 + ROUNDING) return [west, south, east, north];
  return [beyond(west_360), south, beyond(east_360), north];
}

/** Degrees. */
const ROUNDING = 1e-9;

const beyond = (longitude: number): number => (longitude > 180 ? longitude - 360 : longitude);
