import { asc, eq, inArray } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { AppError, invalid, notFound } from "../../kernel/errors/errors";
import { semaphore } from "../../kernel/limits/semaphore";
import { iso, now, spanOf } from "../../kernel/time/clock";
import { devices } from "../devices/table";
import type { Row } from "../ingest/columns";
import { noteOpening } from "../links/openings";
import { type Link, linkByToken } from "../links/standing";
import { type Owner, readSpots, type Spot } from "../tracks/fixes";
import { PieceFinder } from "../tracks/pieces";
import type { Track } from "../tracks/schema";
import { type Course, draw, gapOf } from "../tracks/service";
import { trips } from "../trips/table";
import { newestShown } from "./positions";
import type { Shared, SharedPosition, SharedTrackQuery } from "./schema";
import { boundsOf, placeShown } from "./veil";

/** Answers to whoever has a link. */

const CREDENTIAL = /^Share +([!-~]{1,128})$/i;

/** The link of a request, by its Authorization header. Throws the same 404 whatever is wrong with it. */
function linkOfRequest({ headers }: Request): Link {
  return linkOfToken(CREDENTIAL.exec(headers.get("authorization") ?? "")?.[1] ?? "");
}

/** The link with a token. Throws 404. */
export function linkOfToken(token: string): Link {
  const link = linkByToken(token.slice(0, 128));
  if (!link) throw notFound("Link");
  return link;
}

/** A device that a link shows, or a trip of one. */
export interface Shown {
  owner: Owner;
  deviceId: string | null;
  name: string;
  /** Begin of the trip in epoch milliseconds; 0 for a device. */
  begun: number;
}

/** Devices that a link shows, by name. */
export function shownBy({ tripId, deviceIds }: Pick<Link, "tripId" | "deviceIds">): Shown[] {
  if (tripId === null)
    return db
      .select({ id: devices.id, name: devices.name })
      .from(devices)
      .where(inArray(devices.id, [...deviceIds]))
      .orderBy(asc(devices.name), asc(devices.id))
      .all()
      .map(({ id, name }) => ({ owner: { device: id }, deviceId: id, name, begun: 0 }));
  return db
    .select({
      ...{ deviceId: trips.device_id, trip: trips.name, device: devices.name },
      ...{ startedAt: trips.started_at, createdAt: trips.created_at },
    })
    .from(trips)
    .leftJoin(devices, eq(devices.id, trips.device_id))
    .where(eq(trips.id, tripId))
    .all()
    .map(({ deviceId, trip, device, startedAt, createdAt }) => ({
      ...{ owner: { trip: tripId }, deviceId, name: device ?? trip },
      begun: startedAt ?? createdAt,
    }));
}

const toPosition = (row: Row): SharedPosition => ({
  latitude: row.latitude,
  longitude: row.longitude,
  timestamp: iso(row.timestamp),
  heading: row.heading,
  speed_kmh: row.speed_kmh,
  speed_mps: row.speed_mps,
  speed_mph: row.speed_mph,
  speed_knots: row.speed_knots,
});

/** All that a link shows now. Throws 404. */
export async function shared(request: Request): Promise<Shared> {
  const link = linkOfRequest(request);
  noteOpening(link.id);
  const shown = [];
  for (const { owner, deviceId, name } of shownBy(link)) {
    const newest = (await newestShown(link, owner)).shown;
    shown.push({ device_id: deviceId, name, position: newest && toPosition(newest) });
  }
  // It may have ended while a million positions were looked through.
  linkOfRequest(request);
  return { label: link.label, level: link.level, expires_at: iso(link.expiresAt), devices: shown };
}

// --- The track --------------------------------------------------------------------------------------------

/** Tracks that are read for links at once: others go on beside them. */
const reading = semaphore({
  atOnce: 1,
  line: {
    most: 50,
    refusal: () =>
      new AppError("ServiceUnavailable", "Too many tracks are being read; try again in a moment", {
        headers: { "retry-after": "2" },
      }),
  },
});

/** The track that a link shows of a device. Throws 400, 404 also for a link of another level, and 503. */
export async function sharedTrack(request: Request, query: SharedTrackQuery): Promise<Track> {
  const link = linkOfRequest(request);
  if (link.level !== "history") throw notFound("Link");
  const course = courseOf(link, query);
  return reading.run(link.id, () => {
    // It may have ended while others were read.
    linkOfRequest(request);
    const beginners = new Set<number>();
    const fixes = veiled(link, readSpots(course.owner, course.span, link.id), beginners);
    return draw(course, query, fixes, new PieceFinder(gapOf(query), beginners));
  });
}

function chosen(link: Link, deviceId: string | undefined): Shown {
  const all = shownBy(link);
  const found = all.find((shown) => deviceId === undefined || shown.deviceId === deviceId);
  if (!found) throw notFound("Device");
  if (deviceId === undefined && all.length > 1)
    throw invalid("/device_id", "is required: this link shows several devices");
  return found;
}

/** The course of a device, cut to the span of the link and to its delay. Throws 400 and 404. */
function courseOf(link: Link, { device_id, from, to }: SharedTrackQuery): Course {
  const shown = chosen(link, device_id);
  const [asked, until] = [from === undefined ? 0 : spanOf(from)[0], to === undefined ? null : spanOf(to)[1]];
  if (until !== null && until < asked) throw invalid("/to", "must not be before from");
  const { fixedBy, arrivedBy } = boundsOf(link);
  const begin = Math.max(0, asked, link.from ?? 0);
  const end = Math.min(until ?? fixedBy, fixedBy);
  // A trip that began within the delay would tell of it.
  const first = begin || Math.min(shown.begun, end);
  return {
    ...shown,
    span: { from: begin, until: end + 1, arrivedBy },
    from: first,
    to: Math.max(first, Math.min(end, now())),
  };
}

/** Positions as a link shows them. One behind a hidden one begins a piece: no line leads through what is hidden. */
async function* veiled(
  link: Link,
  pages: AsyncIterable<Spot[]>,
  beginners: Set<number>,
): AsyncGenerator<Spot[]> {
  let isBehindHidden = false;
  for await (const page of pages) {
    const shown: Spot[] = [];
    for (const [row, timestamp, latitude, longitude, altitude, speed] of page) {
      const place = placeShown(link, { latitude, longitude });
      if (place && isBehindHidden) beginners.add(row);
      isBehindHidden = !place;
      const height = link.precisionM === null ? altitude : null;
      if (place) shown.push([row, timestamp, place.latitude, place.longitude, height, speed]);
    }
    yield shown;
  }
}
