import { eq } from "drizzle-orm";
import { publicUrl } from "../../configuration/config";
import type { Caller } from "../../identity/access/caller";
import { findUser } from "../../identity/directory/users";
import { db } from "../../kernel/db/connection";
import { AppError, conflict } from "../../kernel/errors/errors";
import { semaphore } from "../../kernel/limits/semaphore";
import { renderPdf } from "../../kernel/pdf/render";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import type { Locale } from "../../kernel/values/bilingual";
import { WORKERS } from "../../workers";
import { devices } from "../devices/table";
import { tripDistanceKm } from "../ingest/distance";
import { locations } from "../locations/table";
import type { trips } from "../trips/table";
import { type Checked, checkNext, NOTHING_CHECKED } from "./chain";
import type { LogEntry } from "./schema";
import type { Author, Sheet, SheetEntry } from "./sheet";
import { countEntries, entriesInTurns, strikesOf } from "./stored";
import { trackOf } from "./track";

/** The log of a trip as a sheet to sign. */

/** Most entries of a sheet, and characters of text and data in them: more would take minutes and hundreds of megabytes. */
const MOST_ENTRIES = 2_000;
const MOST_CHARACTERS = 1_000_000;

const tooLong = () =>
  conflict(
    `A sheet holds at most ${MOST_ENTRIES} entries and ${MOST_CHARACTERS} characters; this log is longer: export it as CSV or JSON`,
  );

/** A sheet takes a core and a hundred megabytes; further ones wait in turn. */
const sheets = semaphore({
  atOnce: 1,
  line: {
    most: 10,
    refusal: () =>
      new AppError("ServiceUnavailable", "Too many logs are being printed; try again in a moment", {
        headers: { "retry-after": "5" },
      }),
  },
});

/**
 * The sheet of a trip's log as a PDF, in the words of a language and with those names of authors that the caller may know.
 * Throws 409 for a log that is too long, and 503 where too many wait.
 */
export async function printLog(
  caller: Caller,
  trip: typeof trips.$inferSelect,
  locale: Locale,
): Promise<Uint8Array<ArrayBuffer>> {
  if (countEntries(trip.id) > MOST_ENTRIES) throw tooLong();
  return sheets.run(caller.id, async () => renderPdf(WORKERS.logSheet, await sheetOf(caller, trip, locale)));
}

async function sheetOf(caller: Caller, trip: typeof trips.$inferSelect, locale: Locale): Promise<Sheet> {
  const { entries, head, brokenAt } = await printedEntries(caller, trip.id);
  return {
    locale,
    site: new URL(publicUrl()).host,
    exportedAt: iso(now()),
    trip: trip.name,
    device: nameIn(devices, trip.device_id),
    origin: nameIn(locations, trip.origin_id),
    destination: nameIn(locations, trip.destination_id),
    startedAt: isoOrNull(trip.started_at),
    endedAt: isoOrNull(trip.ended_at),
    distanceKm: tripDistanceKm(trip.id),
    ...{ entries, head, brokenAt },
    track: await trackOf(trip.id),
  };
}

const nameIn = (table: typeof devices | typeof locations, id: string | null): string | null =>
  id === null
    ? null
    : (db.select({ name: table.name }).from(table).where(eq(table.id, id)).get()?.name ?? null);

async function printedEntries(
  caller: Caller,
  tripId: string,
): Promise<{ entries: SheetEntry[]; head: string | null; brokenAt: number | null }> {
  const names = authors(caller);
  const entries: SheetEntry[] = [];
  const numbers = new Map<string, number>();
  let checked: Checked = NOTHING_CHECKED;
  let characters = 0;
  for await (const part of entriesInTurns(tripId, MOST_ENTRIES)) {
    checked = part.reduce(checkNext, checked);
    const strikes = new Map(strikesOf(part.map(({ id }) => id)).map((strike) => [strike.entry_id, strike]));
    for (const entry of part) {
      numbers.set(entry.id, entry.number);
      const strike = strikes.get(entry.id);
      characters += (entry.text?.length ?? 0) + (entry.data ? JSON.stringify(entry.data).length : 0);
      entries.push({
        ...entry,
        author: names(entry),
        struck: strike ? { number: strike.strike_number, reason: strike.reason } : null,
        strikes: numbers.get(entry.strikes_id ?? "") ?? null,
      });
    }
    if (characters > MOST_CHARACTERS) throw tooLong();
  }
  const brokenAt = numbers.get(checked.firstBreak ?? "") ?? null;
  return { entries, head: checked.head, brokenAt };
}

/** The last characters of an identifier: the first ones are those of its time. */
const short = (id: string): string => id.slice(-8);

/** The authors of entries, as far as a caller may know them: a name is for those who may read users, and for oneself. */
function authors(caller: Caller): (entry: LogEntry) => Author {
  const mayRead = caller.isSuperAdmin || caller.permissions.has("users:read");
  const known = new Map<string, Author>();
  const userOf = (id: string): Author => {
    if (!mayRead && id !== caller.userId) return { kind: "user id", id: short(id) };
    const user = findUser(id);
    return user && user.deleted_at === null ? { kind: "user", name: user.username } : { kind: "deleted" };
  };
  return ({ user_id, api_key_id }) => {
    if (user_id === null)
      return api_key_id === null ? { kind: "automatic" } : { kind: "key", id: short(api_key_id) };
    const author = known.get(user_id) ?? userOf(user_id);
    known.set(user_id, author);
    return author;
  };
}
