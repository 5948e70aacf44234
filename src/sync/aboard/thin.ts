import { config } from "../../configuration/config";
import { mostWaiting } from "../../feed/retention";
import { sqlite, statement } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { log } from "../../kernel/logs/log";
import { gauge } from "../../kernel/logs/metrics";
import { DAY, now, SECOND } from "../../kernel/time/clock";
import { counts } from "../../tracking/ingest/columns";
import { countAll, newestNumber, positionsBetween, timeAfter } from "./feed";
import type { Spans } from "./memory";

/**
 * Bounds of what waits for the shore. Where that is more than `sync.max_backlog_mb`, positions are given up, the oldest first: one
 * of each device is left in a span of time, which grows where that doesn't suffice. The positions themselves stay aboard, and
 * alerts, trips and log entries wait however many there are. Raw SQL: changes go by the thousand.
 */

/** Numbers that are looked at in one transaction: some milliseconds. */
const STRETCH = 1_000;
/** The part of the bound that is left once positions were given up, so that the next ones have room. */
const ROOM = 0.9;
/** The factor by which spans grow. */
const COARSER = 4;

const placeOf = statement(() =>
  sqlite.prepare<{ released: number; acknowledged: number }, []>(
    `SELECT s.released, l.acknowledged FROM sync_state s JOIN sync_lanes l ON l.lane = 'backlog'`,
  ),
);

const thinnedAt = statement(() =>
  sqlite.prepare<{ from: number; to: number; rows: number; seconds: number }, [number]>(
    `SELECT from_number AS "from", to_number AS "to", rows, seconds FROM feed_thinned
     WHERE to_number > ? ORDER BY from_number LIMIT 1`,
  ),
);

const give = statement(() =>
  sqlite.prepare<unknown, [string]>("DELETE FROM changes WHERE number IN (SELECT value FROM json_each(?))"),
);
const keep = statement(() =>
  sqlite.prepare<unknown, [number, number, number, number, number]>(
    `INSERT INTO feed_thinned (from_number, to_number, rows, seconds, made_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (from_number) DO UPDATE SET rows = excluded.rows, seconds = excluded.seconds, made_at = excluded.made_at`,
  ),
);

const allGivenUp = statement(() =>
  sqlite.prepare<{ n: number | null }, []>("SELECT sum(rows) AS n FROM feed_thinned"),
);

gauge(
  "fairlead_sync_given_up_rows",
  "Changes of positions among those kept that the shore isn't told, for want of room",
  () => (config["sync.url"] === null ? null : (allGivenUp().get()?.n ?? 0)),
);

/** The job: gives positions up while too much waits for the shore. */
export async function thinBacklog(): Promise<void> {
  const place = config["sync.url"] === null ? null : placeOf().get();
  if (!place) return;
  const most = mostWaiting();
  const isTooMuch = (part: number) => countAll(place.released) > part * most;
  if (!isTooMuch(1)) return;
  const before = countAll(place.released);
  // A stretch that the shore was told of in part can't be told of anew.
  const from = thinnedAt().get(place.acknowledged);
  const start = from && from.from <= place.acknowledged ? from.to : place.acknowledged;
  for (
    let seconds = config["sync.thin_seconds"];
    seconds <= DAY / SECOND && isTooMuch(ROOM);
    seconds *= COARSER
  )
    await thin(start, seconds, () => isTooMuch(ROOM));
  const rows = before - countAll(place.released);
  if (rows > 0)
    log.warn("too much waits for the shore; it will be told fewer positions of the oldest time", {
      ...{ given_up: rows, waiting: countAll(place.released), setting: "sync.max_backlog_mb" },
    });
}

/** Gives positions up behind a number, the oldest first, to one of each device in so many seconds, while there is need. */
async function thin(start: number, seconds: number, isNeeded: () => boolean): Promise<void> {
  const firstAt = timeAfter(start);
  if (firstAt === null) return;
  const chosen: Spans = new Map();
  for (let after = start; after < newestNumber() && isNeeded(); ) {
    const known = thinnedAt().get(after);
    const isInside = known !== null && known.from === after + 1;
    if (isInside && known.seconds >= seconds) {
      after = known.to;
      continue;
    }
    const end = isInside
      ? known.to
      : Math.min(after + STRETCH, newestNumber() - 1, (known?.from ?? Infinity) - 1);
    if (end <= after) return;
    const rows = isInside ? known.rows : 0;
    await transact(() => giveUp(after, end, rows, { seconds, firstAt, chosen }));
    after = end;
  }
}

interface Choice {
  seconds: number;
  firstAt: number;
  chosen: Spans;
}

/** Gives positions up between two numbers, in the current transaction. `rows` were given up there before. */
function giveUp(after: number, end: number, rows: number, { seconds, firstAt, chosen }: Choice): void {
  const given = positionsBetween(after, end).filter((change) => {
    // The shore may have the position, and has to hear that it is gone.
    if (change.isDeletion === 1) return false;
    if (change.id === null) return true;
    // A change of a position that the shore was told before.
    if (change.created_at <= firstAt) return false;
    const span = Math.floor(change.timestamp / (seconds * SECOND));
    if (!counts(change.judgement) || chosen.get(change.device_id) === span) return true;
    chosen.set(change.device_id, span);
    return false;
  });
  give().run(JSON.stringify(given.map(({ number }) => number)));
  keep().run(after + 1, end, rows + given.length, seconds, now());
}
