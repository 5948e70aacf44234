import { notFound } from "../../kernel/errors/errors";
import type { PageOf, PageRequest } from "../../kernel/http/paging";
import { iso, SECOND } from "../../kernel/time/clock";
import { type Stay, staysOf, zonesBetween } from "../geofences/stays";
import { nearestLocation } from "../locations/nearest";
import { tailOf } from "./live";
import type { Segment } from "./schema";
import { recomputingFrom } from "./spans";
import { countSegments, readSegments, type SegmentRow, segmentBegunBy, toSegmentRow } from "./stored";
import { highestSpeed } from "./tally";
import { measuresOf } from "./track";
import { windowOf } from "./window";

/** Timelines as clients read them: the stored segments, and behind them those that go on. */

const MM_PER_KM = 1_000_000;
const SECONDS_PER_HOUR = 3_600;

/** Throws 404 for a device that is gone. */
export function requireDevice(deviceId: string): void {
  if (!measuresOf(deviceId)) throw notFound("Device");
}

/** A page of segments, with the time from which on they are being computed anew. */
export type TimelinePage = PageOf<Segment> & { recomputing_from: string | null };

/** A page of the segments of a device that touch a span of time, oldest first. Throws 404 and 400. */
export function listTimeline(
  deviceId: string,
  request: PageRequest,
  query: { from?: string; to?: string },
): TimelinePage {
  requireDevice(deviceId);
  const { from, until } = windowOf(query);
  const tail = segmentsOfTail(deviceId);
  const [first] = tail;
  // The stored row of a segment that goes on holds less than the tail.
  const before = Math.min(until, first?.from_time ?? until);
  const begun = segmentBegunBy(deviceId, Math.min(from, before - 1));
  const begin = begun && begun.until_time > from ? begun.from_time : from;
  const isAsked = (row: SegmentRow) => row.from_time < until && row.until_time > from;
  const last = tail.filter(isAsked);
  const stored = countSegments(deviceId, begin, before);
  const skip = (request.page - 1) * request.limit;
  const rows = skip < stored ? readSegments(deviceId, begin, before, request.limit, skip) : [];
  const left = request.limit - rows.length;
  const behind = Math.max(0, skip - stored);
  rows.push(...last.slice(behind, behind + left));
  return {
    rows: toSegments(deviceId, rows),
    total: stored + last.length,
    recomputing_from: recomputingFrom(deviceId, until),
  };
}

/** The segments at the end of a device's timeline of which parts aren't stored. */
export function segmentsOfTail(deviceId: string): SegmentRow[] {
  const segments = new Map<number, SegmentRow>();
  for (const { segment } of tailOf(deviceId))
    segments.set(segment.from.time, toSegmentRow(deviceId, segment));
  return [...segments.values()];
}

function toSegments(deviceId: string, rows: readonly SegmentRow[]): Segment[] {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  const stays = staysOf(deviceId, first.from_time, last.until_time);
  return rows.map((row) => toSegment(row, stays));
}

function toSegment(row: SegmentRow, stays: readonly Stay[]): Segment {
  const { kind, from_time, until_time } = row;
  const duration_seconds = (until_time - from_time) / SECOND;
  const distance_km = row.distance_mm / MM_PER_KM;
  const start = { latitude: row.start_latitude, longitude: row.start_longitude };
  return {
    kind,
    from: iso(from_time),
    to: iso(until_time),
    duration_seconds,
    distance_km,
    average_speed_kmh: kind === "stop" ? null : (distance_km / duration_seconds) * SECONDS_PER_HOUR,
    max_speed_kmh: highestSpeed(row),
    moving_seconds: kind === "move" ? duration_seconds : 0,
    start,
    end: { latitude: row.end_latitude, longitude: row.end_longitude },
    location_id: kind === "stop" ? (nearestLocation(start)?.id ?? null) : null,
    zone_ids: zonesBetween(stays, from_time, until_time),
    points: row.legs + 1,
  };
}
