import { CsvReader } from "./csv";
import { GpxReader } from "./gpx";
import type { Format, Point, PointReader } from "./reader";

/** A file as it arrives. */
export interface ImportFile {
  format: Format;
  /** The encoding that its sender tells; null leaves it to the file. */
  charset: string | null;
  pieces: AsyncIterable<Uint8Array>;
}

/** Bytes that are read in one turn of the event loop: a millisecond's work. */
const SLICE = 16 * 1024;
/** Points that are recorded together: of those under way, a collection of garbage finds none until the next large one. */
const BATCH = 500;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const readerOf = ({ format, charset }: ImportFile): PointReader =>
  format === "gpx" ? new GpxReader(charset) : new CsvReader(charset);

/**
 * The points of a file, a few hundred together, with other work in between. Reads on when the next ones are asked for. All
 * points before a fault come before it is thrown: FileError, or what the pieces throw.
 */
export async function* batchesOf(file: ImportFile, reader: PointReader): AsyncGenerator<Point[]> {
  const { points } = reader;
  try {
    for await (const slice of slicesOf(file.pieces)) {
      reader.read(slice);
      while (points.length >= BATCH) yield points.splice(0, BATCH);
      await nextTurn();
    }
    reader.end();
  } catch (error) {
    yield* rest(points);
    throw error;
  }
  yield* rest(points);
}

function* rest(points: Point[]): Generator<Point[]> {
  while (points.length > 0) yield points.splice(0, BATCH);
}

/** The same bytes in pieces of one size, of which each holds until the next is asked for. */
async function* slicesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const slice = new Uint8Array(SLICE);
  let size = 0;
  try {
    for await (const piece of pieces)
      for (let at = 0; at < piece.length; ) {
        const part = piece.subarray(at, at + SLICE - size);
        slice.set(part, size);
        size += part.length;
        at += part.length;
        if (size < SLICE) continue;
        yield slice;
        size = 0;
      }
  } catch (error) {
    if (size > 0) yield slice.subarray(0, size);
    throw error;
  }
  if (size > 0) yield slice.subarray(0, size);
}
