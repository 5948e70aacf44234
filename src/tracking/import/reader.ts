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
  /** The points that a further piece completes. Throws FileError. */
  read: (text: string) => Point[];
  /** The points that the end of the file completes. Throws BrokenOff if it isn't whole. */
  end: () => Point[];
  /** Number of tracks so far. */
  readonly tracks: number;
}
