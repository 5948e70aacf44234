import { iso, SECOND } from "../../kernel/time/clock";
import { distanceKm, type Position } from "../../kernel/values/great-circle";
import { isRejected, type Outcome, type Rejection } from "../ingest/fix";
import type { Point, PointReader } from "./reader";
import type { ImportReport } from "./schema";

/** Rejections that are told one by one. */
const MOST_TOLD = 20;

/** The fate of a point, of which a rehearsal knows no identifier. */
export type Fate = { status: "stored" | "duplicate" } | Extract<Outcome, { status: "rejected" }>;

/** Counts the points of a file by their fate, and measures the track that they make. */
export class Tally {
  stored = 0;
  /** The tracks that were found so far. */
  readonly #found: Pick<PointReader, "tracks">;
  #duplicates = 0;
  #rejected = 0;
  readonly #rejections: { line: number; reason: Rejection }[] = [];
  /** Unix seconds. */
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;
  #distanceKm = 0;
  #last: Position | null = null;

  constructor(found: Pick<PointReader, "tracks">) {
    this.#found = found;
  }

  add({ line, reading, begins }: Point, fate: Fate): void {
    if (begins) this.#last = null;
    if (fate.status === "rejected") this.#reject(line, fate.reason);
    else if (fate.status === "stored") this.stored++;
    else this.#duplicates++;
    if (fate.status === "rejected" || isRejected(reading)) return;
    const time = Math.floor(reading.time ?? 0);
    this.#from = Math.min(this.#from, time);
    this.#to = Math.max(this.#to, time);
    if (this.#last) this.#distanceKm += distanceKm(this.#last, reading);
    this.#last = reading;
  }

  #reject(line: number, reason: Rejection): void {
    this.#rejected++;
    if (this.#rejections.length < MOST_TOLD) this.#rejections.push({ line, reason });
  }

  /** The numbers so far. Times and distance are those of the file's good points, stored or known before. */
  report(): ImportReport {
    const isEmpty = this.#to < this.#from;
    return {
      positions: this.stored,
      duplicates: this.#duplicates,
      rejected: this.#rejected,
      rejections: [...this.#rejections],
      from: isEmpty ? null : iso(this.#from * SECOND),
      to: isEmpty ? null : iso(this.#to * SECOND),
      distance_km: Math.round(this.#distanceKm * 1_000) / 1_000,
      tracks: this.#found.tracks,
    };
  }

  /** The numbers so far, as the end of a message. */
  inWords(): string {
    const { rejections: _, ...numbers } = this.report();
    const told = Object.entries(numbers).map(([name, value]) => `${name} ${value ?? "none"}`);
    return `Until there: ${told.join(", ")}`;
  }
}
