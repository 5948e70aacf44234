import type { Database } from "bun:sqlite";
import { builtAt } from "../../configuration/version";
import { sqlite } from "../../kernel/db/connection";
import { lastStart, recordStart } from "../../kernel/db/program-record";
import { rows } from "../../kernel/db/rows";
import { log } from "../../kernel/logs/log";
import { iso, MINUTE, now } from "../../kernel/time/clock";
import { type Bilingual, dateInGerman } from "../../kernel/values/bilingual";

/**
 * A clock that runs behind what has certainly happened: sessions and keys then outlive their end, and positions
 * are refused as being from the future. Small machines without a battery start in 1970.
 */

/** Something that has certainly happened, and its time (epoch milliseconds). */
export interface Happened {
  /** In German with its article, in the dative. */
  what: Bilingual;
  time: number;
}

/** A clock that is set back by less than this is no reason to worry (milliseconds). */
const TOLERATED = 5 * MINUTE;

/** The tables that are written most, and a record of each as words. */
const WRITTEN = {
  gps_points: { en: "newest position", de: "der neuesten Position" },
  audit_events: { en: "newest audit event", de: "dem neuesten Ereignis des Audit-Logs" },
  sessions: { en: "newest session", de: "der neuesten Sitzung" },
};

const BUILD = { en: "build of this program", de: "dem Bau dieses Programms" };
const START = { en: "last start of the server", de: "dem letzten Start des Servers" };

/**
 * Everything that is known to have happened: the build of this program and, if there is a database, the last
 * start of a server on it and its newest records. At constant cost, however large the database is.
 */
export function happened(database: Database | null): Happened[] {
  const known = [{ what: BUILD, time: builtAt() }];
  if (database === null) return known;
  const start = lastStart(database);
  if (start !== null) known.push({ what: START, time: start });
  for (const [table, what] of Object.entries(WRITTEN)) {
    const time = newestIn(database, table);
    if (time !== null) known.push({ what, time });
  }
  return known;
}

/** The time at which the newest row was written; null if there is none, or an older schema lacks the table. */
function newestIn(database: Database, table: string): number | null {
  try {
    const [[time] = []] = rows(database, `SELECT created_at FROM ${table} ORDER BY rowid DESC LIMIT 1`);
    return time === undefined ? null : Number(time);
  } catch {
    return null;
  }
}

/** The reason why a clock that shows `time` (epoch milliseconds) is wrong, and the remedy; null if it may be right. */
export function clockTrouble(time: number, known: Happened[]): Bilingual | null {
  const newest = known.reduce<Happened | null>((a, b) => (a && a.time >= b.time ? a : b), null);
  if (newest === null || newest.time <= time + TOLERATED) return null;
  const { en, de } = newest.what;
  return {
    en: `the clock shows ${iso(time)}, which is before the ${en} (${iso(newest.time)}): one of the two is wrong; set the clock (timedatectl), or sessions, keys and positions get wrong times`,
    de: `die Uhr zeigt ${dateInGerman(time)}, und das ist vor ${de} (${dateInGerman(newest.time)}): Eines von beiden ist falsch; stelle die Uhr (timedatectl), sonst bekommen Sitzungen, Schlüssel und Positionen falsche Zeiten`,
  };
}

/** The warnings that `health` shows: at present, only that of the clock. */
export function healthWarnings(): Bilingual[] {
  const trouble = clockTrouble(now(), happened(sqlite));
  return trouble === null ? [] : [trouble];
}

/** Logs one warning if the clock is wrong, and records this start. Called within a transaction. */
export function checkClockAtStart(): void {
  for (const warning of healthWarnings()) log.warn(warning.en);
  recordStart(sqlite);
}
