import { profile } from "../../configuration/profile";
import type { VisibleDevices } from "../../identity/access/visible-devices";
import { AppError, invalid } from "../../kernel/errors/errors";
import { semaphore } from "../../kernel/limits/semaphore";
import { DAY, iso, now, SECOND, spanOf } from "../../kernel/time/clock";
import { getDevice } from "../devices/service";
import { shownTrip } from "../trips/service";
import { writeCsv } from "./csv";
import { type Owner, readFixes, readSpots, type Span, type Spot } from "./fixes";
import type { Writer } from "./format";
import type { FileFormat } from "./forms";
import { writeGeojson } from "./geojson";
import { writeGpx } from "./gpx";
import { writeKml } from "./kml";
import { PieceFinder } from "./pieces";
import { DEFAULT_GAP_SECONDS, DEFAULT_POINTS, type Track, type TrackFormat, type TrackQuery } from "./schema";
import { type Thinned, thinTo, thinToFit, toTrackPoint } from "./thin";
import { versionOf } from "./version";

/** Tracks of devices and trips, as they are drawn and as files to take along. */

/** The positions that a track is made of. */
export interface Course {
  owner: Owner;
  deviceId: string | null;
  /** The name of the device or the trip. */
  name: string;
  span: Span;
  /** The first and the last moment as they are shown, in epoch milliseconds: a trip may have positions beyond them. */
  from: number;
  to: number;
  /** Moments that the answer shows and that neither the request names nor the clock moves. */
  fixed?: readonly (number | null)[];
}

/** The course of a device, by default that of the last 24 hours. Throws 400 and 404. */
export function courseOfDevice(deviceId: string, { from, to }: TrackQuery): Course {
  const device = getDevice(deviceId);
  const end = to === undefined ? now() : spanOf(to)[1];
  const begin = from === undefined ? end - DAY : spanOf(from)[0];
  return { owner: { device: deviceId }, deviceId, name: device.name, ...spanBetween(begin, end) };
}

/** The course of a trip that a caller sees, by default of all of it. Throws 400 and 404. */
export function courseOfTrip(tripId: string, { from, to }: TrackQuery, visible: VisibleDevices): Course {
  const trip = shownTrip(tripId, visible);
  const begin = from === undefined ? (trip.started_at ?? trip.created_at) : spanOf(from)[0];
  const end = to === undefined ? (trip.ended_at ?? Math.max(begin, now())) : spanOf(to)[1];
  const shown = spanBetween(begin, end);
  // Positions may have been joined to it by hand: without bounds, all belong to it.
  const span = {
    from: from === undefined ? 0 : shown.span.from,
    until: to === undefined ? Number.MAX_SAFE_INTEGER : shown.span.until,
  };
  const course = { owner: { trip: tripId }, deviceId: trip.device_id, name: trip.name };
  return { ...course, ...shown, span, fixed: [begin, trip.ended_at] };
}

function spanBetween(begin: number, end: number): Pick<Course, "span" | "from" | "to"> {
  if (end < begin) throw invalid("/to", "must not be before from");
  const from = Math.max(0, begin);
  const to = Math.max(0, end);
  return { span: { from, until: to + 1 }, from, to };
}

/** A text that changes with whatever an answer depends on. */
export function etagOf(course: Course, query: TrackQuery, format: string): string {
  const { owner, deviceId, name, fixed, span } = course;
  const told = JSON.stringify([owner, deviceId, name, fixed, format, query, versionOf(owner, span)]);
  return `W/"${new Bun.CryptoHasher("sha256").update(told).digest("base64url").slice(0, 22)}"`;
}

// --- JSON -------------------------------------------------------------------------------------------------

/** Tracks that are read at once. */
const reading = semaphore({
  atOnce: () => profile.tracksAtOnce,
  line: {
    most: 100,
    refusal: () =>
      new AppError("ServiceUnavailable", "Too many tracks are being read; try again in a moment", {
        headers: { "retry-after": "2" },
      }),
  },
});

/** Most points of an answer in JSON. */
const MOST_POINTS = 200_000;

/** Throws where whoever asked may not see the track any more. */
export type Check = () => void;

/** The same pages, while a check holds before each. */
async function* whileSeen<T>(pages: AsyncIterable<T>, check: Check): AsyncGenerator<T> {
  for await (const page of pages) {
    check();
    yield page;
  }
}

/**
 * A track with as many points as were asked for, or within a tolerance. Throws 400, 503 where too many are read, and what the
 * check throws.
 */
export const trackOf = (
  course: Course,
  query: TrackQuery,
  credentialId: string,
  check: Check,
): Promise<Track> =>
  reading.run(credentialId, () => {
    const fixes = readSpots(course.owner, course.span, credentialId);
    return draw(course, query, whileSeen(fixes, check), new PieceFinder(gapOf(query)));
  });

/** Milliseconds of a pause that begins a new piece, if it is longer. */
export const gapOf = ({ gap_seconds }: Pick<TrackQuery, "gap_seconds">): number =>
  (gap_seconds ?? DEFAULT_GAP_SECONDS) * SECOND;

/** A track of some positions of a course, as many as were asked for, or within a tolerance. Throws 400. */
export async function draw(
  course: Course,
  query: TrackQuery,
  fixes: AsyncIterable<Spot[]>,
  finder: PieceFinder,
): Promise<Track> {
  const { pieces, tolerance } =
    query.tolerance_m === undefined
      ? await thinToFit(fixes, finder, query.max_points ?? DEFAULT_POINTS)
      : await within(thinTo(fixes, finder, query.tolerance_m), query.tolerance_m);
  const { points_total, distance_km, bbox } = finder.figures;
  return {
    device_id: course.deviceId,
    from: iso(course.from),
    to: iso(course.to),
    points_total,
    points: pieces.reduce((sum, piece) => sum + piece.length, 0),
    tolerance_m: tolerance,
    distance_km,
    bbox,
    pieces,
  };
}

async function within(parts: ReturnType<typeof thinTo<Spot>>, tolerance: number): Promise<Thinned> {
  const pieces: Thinned["pieces"] = [];
  let points = 0;
  for await (const part of parts) {
    for (const [fix, begins] of part) {
      if (begins) pieces.push([]);
      pieces.at(-1)?.push(toTrackPoint(fix));
    }
    points += part.length;
    if (points > MOST_POINTS)
      throw invalid(
        "/tolerance_m",
        `leaves more than ${MOST_POINTS.toLocaleString("en")} points: take a larger one, max_points or a file`,
      );
  }
  return { pieces, tolerance };
}

// --- Files ------------------------------------------------------------------------------------------------

const WRITERS: Record<FileFormat, Writer> = {
  geojson: writeGeojson,
  gpx: writeGpx,
  kml: writeKml,
  csv: writeCsv,
};

/** The text of a file of a track, made as it is read: all positions, unless a tolerance is named. It breaks off as the check fails. */
export function fileOf(
  course: Course,
  format: FileFormat,
  query: TrackQuery,
  credentialId: string,
  check: Check,
): AsyncGenerator<string> {
  const finder = new PieceFinder(gapOf(query));
  const fixes = whileSeen(readFixes(course.owner, course.span, credentialId), check);
  return WRITERS[format]({ name: course.name }, thinTo(fixes, finder, query.tolerance_m ?? null));
}

/** The name of a file, in ASCII: the device or the trip, and the day on which it begins. */
export function fileName({ name, from }: Course, format: TrackFormat): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${plain || "track"}-${iso(from).slice(0, 10)}.${format}`;
}
