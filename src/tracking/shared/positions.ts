import { sqlite, statement } from "../../kernel/db/connection";
import { shareReadTransaction } from "../../kernel/db/reads";
import { inTurns } from "../../kernel/limits/turns";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { zoneEpoch } from "../geofences/epoch";
import { COUNTS } from "../gps/table";
import { COLUMNS, type Row } from "../ingest/columns";
import type { Link } from "../links/standing";
import type { Owner } from "../tracks/fixes";
import { versionOf } from "../tracks/version";
import { boundsOf, placeShown } from "./veil";

/**
 * The positions that a link shows, one after the other. Raw SQL: a device may lie in a hidden zone for a million positions,
 * which are looked through in turns.
 */

type Stored = Row & { row: number };

/** A place among the positions of an owner, in order of fix time. */
export interface Place {
  /** Epoch milliseconds. */
  timestamp: number;
  row: number;
}

const pageOf = (column: "device_id" | "trip_id", order: "upward" | "downward") =>
  statement(() =>
    sqlite.prepare<Stored, (string | number)[]>(
      `SELECT ${COLUMNS}, rowid AS row FROM gps_points
       WHERE ${column} = +?1 AND ${COUNTS} AND timestamp >= ?2 AND timestamp <= ?3 AND ${
         order === "upward"
           ? "(timestamp > ?2 OR rowid > ?4) ORDER BY timestamp, rowid"
           : "(timestamp < ?3 OR rowid < ?4) ORDER BY timestamp DESC, rowid DESC"
       } LIMIT +?5`,
    ),
  );
const PAGES = {
  device: { upward: pageOf("device_id", "upward"), downward: pageOf("device_id", "downward") },
  trip: { upward: pageOf("trip_id", "upward"), downward: pageOf("trip_id", "downward") },
};
const pagesOf = (owner: Owner) => ("device" in owner ? PAGES.device : PAGES.trip);
const idOf = (owner: Owner): string => ("device" in owner ? owner.device : owner.trip);

/** Positions looked at in one turn: some milliseconds. */
const PAGE = 500;
/** Positions looked at for the newest that is shown. */
const FARTHEST = 1_000_000;
const LAST = Number.MAX_SAFE_INTEGER;

const turn = inTurns();

/** A position as a link shows it: without identifiers of its own, rounded. Null for one that it hides. */
function shownAs(link: Link, { row: _, ...stored }: Stored): Row | null {
  const place = placeShown(link, stored);
  return place && { ...stored, ...place, ...(link.precisionM !== null && { altitude: null }) };
}

/**
 * The next positions that a link shows behind a place, and the place behind them. It stops before the first one that came in
 * too lately: that will be shown when its time has come.
 */
export function stepFrom(
  link: Link,
  owner: Owner,
  place: Place,
  most = PAGE,
): { shown: Row[]; place: Place; isEnd: boolean } {
  const { fixedBy, arrivedBy } = boundsOf(link);
  const found = pagesOf(owner).upward().all(idOf(owner), place.timestamp, fixedBy, place.row, most);
  const shown: Row[] = [];
  let at = place;
  for (const stored of found) {
    if (stored.created_at > arrivedBy) return { shown, place: at, isEnd: true };
    at = { timestamp: stored.timestamp, row: stored.row };
    const row = shownAs(link, stored);
    if (row) shown.push(row);
  }
  return { shown, place: at, isEnd: found.length < most };
}

/** The newest position that a link shows of an owner, and the place up to which all is looked through. */
interface Newest {
  shown: Row | null;
  place: Place;
}

interface Known extends Newest {
  zones: number;
  /** Of the positions up to the place. */
  version: string;
}

/** By link and owner. */
const known = new BoundedMap<string, Known>(10_000);

const versionUpTo = (owner: Owner, { timestamp }: Place): string =>
  versionOf(owner, { from: 0, until: timestamp + 1 });

/** The newest position that a link shows of a device or a trip; null where there is none. */
export async function newestShown(link: Link, owner: Owner): Promise<Newest> {
  const key = `${link.id} ${idOf(owner)}`;
  const before = known.get(key);
  const zones = zoneEpoch();
  const isSame = before?.zones === zones && before.version === versionUpTo(owner, before.place);
  const newest = before && isSame ? await goOn(link, owner, before) : await lookBack(link, owner);
  known.renew(key, { ...newest, zones, version: versionUpTo(owner, newest.place) });
  return newest;
}

async function goOn(link: Link, owner: Owner, { shown, place }: Newest): Promise<Newest> {
  for (;;) {
    shareReadTransaction();
    const step = stepFrom(link, owner, place);
    shown = step.shown.at(-1) ?? shown;
    place = step.place;
    if (step.isEnd) return { shown, place };
    await turn(link.id);
  }
}

/** Looks from the newest position backwards. */
async function lookBack(link: Link, owner: Owner): Promise<Newest> {
  const { fixedBy, arrivedBy } = boundsOf(link);
  const from = link.from ?? 0;
  const begin = { timestamp: from, row: -1 };
  let end: Place = { timestamp: fixedBy, row: LAST };
  let place: Place | null = null;
  for (let seen = 0; seen < FARTHEST; seen += PAGE) {
    shareReadTransaction();
    const found = pagesOf(owner).downward().all(idOf(owner), from, end.timestamp, end.row, PAGE);
    for (const stored of found) {
      end = { timestamp: stored.timestamp, row: stored.row };
      // All that is newer is looked at again, since this one will be shown later.
      if (stored.created_at > arrivedBy) {
        place = null;
        continue;
      }
      place ??= end;
      const shown = shownAs(link, stored);
      if (shown) return { shown, place };
    }
    if (found.length < PAGE) break;
    await turn(link.id);
  }
  return { shown: null, place: place ?? begin };
}
