import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** Reads the shorelines that `gmt pscoast -M` writes: pieces of rings, cut at the borders of its bins. */

/** Longitude and latitude in degrees. */
export type Point = [number, number];

/** A closed ring; its first point is not repeated at the end. */
export interface Ring {
  /** 1 land, 2 lake, 3 island in a lake, 4 pond on such an island. */
  level: number;
  points: Point[];
}

interface Piece extends Ring {
  isUsed: boolean;
}

const HEADING = /^> Shore Bin # \d+, Level (\d)/;

/** The rings of a file. Throws Error where pieces don't close. */
export async function readShore(file: string): Promise<Ring[]> {
  return closed(await readPieces(file));
}

async function readPieces(file: string): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let piece: Piece | undefined;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line.startsWith(">")) {
      const level = Number(HEADING.exec(line)?.[1]);
      if (!level) throw new Error(`a heading of another form: ${line}`);
      piece = { level, points: [], isUsed: false };
      pieces.push(piece);
    } else {
      const tab = line.indexOf("\t");
      piece?.points.push([Number(line.slice(0, tab)), Number(line.slice(tab + 1))]);
    }
  }
  return pieces;
}

/** Where an end lies: 0° and 360° are the same. */
function keyOf(level: number, [longitude, latitude]: Point): string {
  const east = Math.round((((longitude % 360) + 360) % 360) * 1e5) % 36_000_000;
  return `${level} ${east} ${Math.round(latitude * 1e5)}`;
}

/** Joins pieces of one level whose ends meet. */
function closed(pieces: Piece[]): Ring[] {
  const ends = new Map<string, Piece[]>();
  const rings: Ring[] = [];
  for (const piece of pieces) {
    const [first, last] = endsOf(piece.points);
    if (piece.points.length > 2 && keyOf(piece.level, first) === keyOf(piece.level, last)) {
      piece.isUsed = true;
      rings.push(ringOf(piece.level, piece.points));
      continue;
    }
    for (const end of [first, last]) {
      const key = keyOf(piece.level, end);
      ends.set(key, [...(ends.get(key) ?? []), piece]);
    }
  }
  for (const piece of pieces) {
    if (piece.isUsed) continue;
    piece.isUsed = true;
    const points = [...piece.points];
    const start = keyOf(piece.level, endsOf(points)[0]);
    for (;;) {
      const key = keyOf(piece.level, endsOf(points)[1]);
      const next = ends.get(key)?.find(({ isUsed }) => !isUsed);
      if (!next) {
        if (key !== start) throw new Error(`a shoreline stays open at ${key}`);
        break;
      }
      next.isUsed = true;
      const isForward = keyOf(next.level, endsOf(next.points)[0]) === key;
      for (const point of isForward ? next.points : next.points.toReversed()) points.push(point);
    }
    rings.push(ringOf(piece.level, points));
  }
  return rings;
}

function endsOf(points: Point[]): [Point, Point] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) throw new Error("a piece without a point");
  return [first, last];
}

function ringOf(level: number, points: Point[]): Ring {
  const unwrapped = unwrap(points);
  const [first, last] = endsOf(unwrapped);
  if (Math.abs(last[0] - first[0]) > 180) return { level, points: aroundThePole(unwrapped) };
  if (isSame(first, last)) unwrapped.pop();
  const [west] = extremes(unwrapped.map(([longitude]) => longitude));
  const shift = west >= 180 ? -360 : 0;
  return { level, points: unwrapped.map(([longitude, latitude]) => [longitude + shift, latitude]) };
}

const isSame = (a: Point, b: Point): boolean => Math.abs(a[0] - b[0]) < 1e-7 && Math.abs(a[1] - b[1]) < 1e-7;

/** Adds whole turns to longitudes, so that no step is longer than half the globe, and drops repeated points. */
function unwrap(points: Point[]): Point[] {
  const unwrapped: Point[] = [];
  for (const [longitude, latitude] of points) {
    const before = unwrapped.at(-1);
    const turns = before ? Math.round((before[0] - longitude) / 360) : 0;
    const point: Point = [longitude + 360 * turns, latitude];
    if (!before || !isSame(before, point)) unwrapped.push(point);
  }
  return unwrapped;
}

/**
 * The ring of Antarctica, which ends a whole turn away from its beginning. It is opened where it crosses the 180th meridian
 * furthest south, and closed along the edge of the map: at any other crossing that line would cut through the sea.
 */
function aroundThePole(points: Point[]): Point[] {
  const sideOf = ([longitude]: Point) => Math.floor((longitude - 180) / 360);
  const crossings = [...points.keys()].filter((at) => {
    const [before, after] = [points[at - 1], points[at]];
    return before && after && sideOf(before) !== sideOf(after);
  });
  const [at] = crossings.sort((a, b) => (points[a] as Point)[1] - (points[b] as Point)[1]);
  if (at === undefined) throw new Error("a ring around the pole crosses no 180th meridian");
  const turned = unwrap([...points.slice(at), ...points.slice(0, at)]);
  const isEastward = endsOf(turned)[1][0] > endsOf(turned)[0][0];
  const eastward = isEastward ? turned : turned.toReversed();
  const shift = -180 - Math.round(endsOf(eastward)[0][0]);
  const [first, last] = endsOf(eastward);
  return [
    [-180, first[1]],
    ...eastward.map(([longitude, latitude]): Point => [longitude + shift, latitude]),
    [180, last[1]],
    [180, -90],
    [-180, -90],
  ];
}

/** The least and the greatest of many numbers. */
export function extremes(values: number[]): [least: number, greatest: number] {
  return values.reduce<[number, number]>(
    ([least, greatest], value) => [Math.min(least, value), Math.max(greatest, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}
