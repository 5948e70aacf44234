import { sqlite, statement } from "../../kernel/db/connection";
import type { Closed, Part } from "./course";
import type { SegmentKind } from "./kinds";
import type { Box, Tally } from "./tally";

/** Parts and segments as they are stored. Raw SQL: fixes write them, and statistics read them by the ten thousand. */

interface SumRow {
  device_id: string;
  from_time: number;
  until_time: number;
  kind: SegmentKind;
  legs: number;
  distance_mm: number;
  highest_kmh: number | null;
  second_kmh: number | null;
}

export interface PartRow extends SumRow, Box {
  is_last: 0 | 1;
  begun_time: number;
  decided_time: number;
}

export interface SegmentRow extends SumRow {
  start_latitude: number;
  start_longitude: number;
  end_latitude: number;
  end_longitude: number;
}

const PART =
  "device_id, from_time, until_time, is_last, begun_time, decided_time, kind, legs, distance_mm, highest_kmh, second_kmh, south, north, west, east, west_360, east_360";
const SEGMENT =
  "device_id, from_time, until_time, kind, legs, distance_mm, highest_kmh, second_kmh, start_latitude, start_longitude, end_latitude, end_longitude";
const parametersOf = (columns: string): string =>
  columns
    .split(", ")
    .map(() => "?")
    .join(", ");

type Value = string | number | null;
type Sql = Value[];

// --- Writing ----------------------------------------------------------------------------------------------

const putPart = statement(() =>
  sqlite.prepare<unknown, Sql>(
    `INSERT OR REPLACE INTO timeline_parts (${PART}) VALUES (${parametersOf(PART)})`,
  ),
);
const putSegment = statement(() =>
  sqlite.prepare<unknown, Sql>(
    `INSERT OR REPLACE INTO timeline_segments (${SEGMENT}) VALUES (${parametersOf(SEGMENT)})`,
  ),
);

function storePart(deviceId: string, { sums, isLast, begunTime, decidedTime }: Part): void {
  const { from, until, kind, legs, distance_mm, highest_kmh, second_kmh, box } = sums;
  const { south, north, west, east, west_360, east_360 } = box;
  putPart().run(
    ...[deviceId, from.time, until.time, Number(isLast), begunTime, decidedTime],
    ...[kind, legs, distance_mm, highest_kmh, second_kmh],
    ...[south, north, west, east, west_360, east_360],
  );
}

/** Stores a segment, or as much of it as there is, in the current transaction. */
export function storeSegment(deviceId: string, segment: SegmentRow): void {
  putSegment().run(
    ...[deviceId, segment.from_time, segment.until_time, segment.kind, segment.legs, segment.distance_mm],
    ...[segment.highest_kmh, segment.second_kmh, segment.start_latitude, segment.start_longitude],
    ...[segment.end_latitude, segment.end_longitude],
  );
}

export const toSegmentRow = (deviceId: string, segment: Tally): SegmentRow => ({
  device_id: deviceId,
  from_time: segment.from.time,
  until_time: segment.until.time,
  kind: segment.kind,
  legs: segment.legs,
  distance_mm: segment.distance_mm,
  highest_kmh: segment.highest_kmh,
  second_kmh: segment.second_kmh,
  start_latitude: segment.from.latitude,
  start_longitude: segment.from.longitude,
  end_latitude: segment.until.latitude,
  end_longitude: segment.until.longitude,
});

/** Stores a part, and the segment as far as it reaches with it, in the current transaction. */
export function store(deviceId: string, { part, segment }: Closed): void {
  storePart(deviceId, part);
  storeSegment(deviceId, toSegmentRow(deviceId, segment));
}

const dropParts = statement(() =>
  sqlite.prepare<unknown, [string, number, number]>(
    "DELETE FROM timeline_parts WHERE device_id = ? AND until_time > ? AND until_time <= ?",
  ),
);
const dropSegments = statement(() =>
  sqlite.prepare<unknown, [string, number, number]>(
    "DELETE FROM timeline_segments WHERE device_id = ? AND from_time >= ? AND from_time < ?",
  ),
);

/** Deletes, in the current transaction, the parts that end after a time, up to another one. */
export const deleteParts = (deviceId: string, after: number, upTo: number): void => {
  dropParts().run(deviceId, after, upTo);
};

/** Deletes, in the current transaction, the segments that begin at a time or later, and before another one. */
export const deleteSegments = (deviceId: string, from: number, before: number): void => {
  dropSegments().run(deviceId, from, before);
};

// --- Parts ------------------------------------------------------------------------------------------------

const ofDevice = (rest: string) =>
  statement(() =>
    sqlite.prepare<PartRow, Sql>(`SELECT ${PART} FROM timeline_parts WHERE device_id = +?1 AND ${rest}`),
  );
const lastDecided = ofDevice("until_time < ?2 AND decided_time < ?2 ORDER BY until_time DESC LIMIT 1");
const part = ofDevice("until_time = ?2");
const ofSegmentTo = ofDevice(
  `until_time <= ?2 AND until_time > coalesce(
     (SELECT max(until_time) FROM timeline_parts WHERE device_id = +?1 AND until_time < ?2 AND is_last = 1), -1)
   ORDER BY until_time`,
);
const ofSegmentAfter = ofDevice(
  `until_time > ?2 AND until_time <= coalesce(
     (SELECT until_time FROM timeline_parts WHERE device_id = +?1 AND until_time > ?2 AND is_last = 1 ORDER BY until_time LIMIT 1),
     9007199254740991)
   ORDER BY until_time`,
);
const after = ofDevice("until_time >= ?2 ORDER BY until_time LIMIT +?3");

/** The last part of a device that was decided before a time; null if there is none. */
export const partDecidedBefore = (deviceId: string, time: number): PartRow | null =>
  lastDecided().get(deviceId, time);

/** The part of a device that ends with a fix; null if there is none. */
export const partEndingAt = (deviceId: string, time: number): PartRow | null => part().get(deviceId, time);

/** The parts of the segment that the part with this end belongs to, up to it. */
export const partsUpTo = (deviceId: string, until: number): PartRow[] => ofSegmentTo().all(deviceId, until);

/** The parts of a segment behind the one with this end, which isn't its last. */
export const partsBehind = (deviceId: string, until: number): PartRow[] =>
  ofSegmentAfter().all(deviceId, until);

/** A page of the parts of a device that end at a time or later, oldest first. */
export const partsFrom = (deviceId: string, time: number, limit: number): PartRow[] =>
  after().all(deviceId, time, limit);

// --- Segments ---------------------------------------------------------------------------------------------

const segments = (columns: string, rest: string) =>
  statement(() =>
    sqlite.prepare<SegmentRow, Sql>(
      `SELECT ${columns} FROM timeline_segments WHERE device_id = +?1 AND ${rest}`,
    ),
  );
const BETWEEN = "from_time >= ?2 AND from_time < ?3";
const inOrder = segments(SEGMENT, `${BETWEEN} ORDER BY from_time LIMIT +?4 OFFSET +?5`);
const lastBegun = segments(SEGMENT, "from_time <= ?2 ORDER BY from_time DESC LIMIT 1");
const counted = statement(() =>
  sqlite.prepare<{ n: number }, Sql>(
    `SELECT count(*) AS n FROM timeline_segments WHERE device_id = +?1 AND ${BETWEEN}`,
  ),
);

/** The stored segments of a device that begin at a time or later and before another one: some of them, oldest first. */
export const readSegments = (
  deviceId: string,
  from: number,
  before: number,
  limit: number,
  offset: number,
): SegmentRow[] => inOrder().all(deviceId, from, before, limit, offset);

export const countSegments = (deviceId: string, from: number, before: number): number =>
  counted().get(deviceId, from, before)?.n ?? 0;

const firstLong = segments(
  SEGMENT,
  "from_time >= ?2 AND (kind = 'move') = ?3 AND until_time - from_time >= ?4 ORDER BY from_time LIMIT 1",
);

/** The first stored segment from a time on that lasts long enough: a move, or a stop or a gap. Null if there is none. */
export const firstLasting = (
  deviceId: string,
  from: number,
  which: "move" | "rest",
  milliseconds: number,
): SegmentRow | null => firstLong().get(deviceId, from, Number(which === "move"), milliseconds);

/** The last segment of a device that begins at a time or earlier; null if there is none. */
export const segmentBegunBy = (deviceId: string, time: number): SegmentRow | null =>
  lastBegun().get(deviceId, time);
