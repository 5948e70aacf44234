import type { Reading } from "../ingest/fix";

/** The formats of files, by the name under which their positions are stored. */
export const FORMATS = ["gpx", "csv"] as const;
export type Format = (typeof FORMATS)[number];

/** Something in a file that was meant to be a position. */
export interface Point {
  /** The line on which it begins, counted from 1. */
  line: number;
  reading: Reading;
  /** True for the first one of a stretch: between it and the one before, the file knows no track. */
  begins: boolean;
}

/** Reads a file piece by piece, and keeps no more of it than an unfinished element or line. */
export interface PointReader {
  /** The points that were read, in their order, for the caller to take away. */
  readonly points: Point[];
  /** Number of tracks so far. */
  readonly tracks: number;
  /** Reads a further piece. Throws FileError; the points before the fault are there nevertheless. */
  read: (bytes: Uint8Array) => void;
  /** Throws FileError if the file isn't whole. */
  end: () => void;
}
