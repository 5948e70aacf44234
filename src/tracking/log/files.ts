import { iso, now } from "../../kernel/time/clock";
import { type CsvValue, csvLine } from "../../kernel/values/csv";
import type { LogEntry } from "./schema";
import { countEntries, entriesInTurns, headOf, strikesOf } from "./stored";

/** The log of a trip as files. They are written while they are sent, and hold what was there at the start. */

/** The name of a file: the letters and digits of a trip's name. */
export function fileName(tripName: string, ending: string): string {
  const slug = tripName
    .normalize("NFKD")
    .replaceAll("ß", "ss")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 60)
    .toLowerCase();
  return `log-${slug || "trip"}.${ending}`;
}

/** All entries as they were hashed, in JSON: see `LogFile`. */
export function jsonFile(tripId: string): AsyncGenerator<string> {
  const entries = countEntries(tripId);
  const about = { trip_id: tripId, exported_at: iso(now()), head: headOf(tripId) };
  return jsonText(about, entriesInTurns(tripId, entries));
}

async function* jsonText(about: object, parts: AsyncIterable<LogEntry[]>): AsyncGenerator<string> {
  yield `${JSON.stringify(about).slice(0, -1)},"data":[`;
  let lead = "\n";
  for await (const part of parts) {
    yield lead + part.map((entry) => JSON.stringify(entry)).join(",\n");
    lead = ",\n";
  }
  yield "\n]}\n";
}

const COLUMNS = [
  ...["number", "occurred_at", "kind", "text", "data", "struck_at", "struck_reason", "is_automatic"],
  ...["user_id", "api_key_id", "recorded_at", "id", "strikes_id", "previous_hash", "hash"],
] as const;

/** All entries as CSV, each with its strike. */
export const csvFile = (tripId: string): AsyncGenerator<string> =>
  csvText(entriesInTurns(tripId, countEntries(tripId)));

async function* csvText(parts: AsyncIterable<LogEntry[]>): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for await (const part of parts) {
    const strikes = new Map(strikesOf(part.map(({ id }) => id)).map((strike) => [strike.entry_id, strike]));
    yield part
      .map((entry) => {
        const strike = strikes.get(entry.id);
        const cells: Record<(typeof COLUMNS)[number], CsvValue> = {
          ...entry,
          data: entry.data === null ? null : JSON.stringify(entry.data),
          struck_at: strike?.struck_at ?? null,
          struck_reason: strike?.reason ?? null,
        };
        return csvLine(COLUMNS.map((column) => cells[column]));
      })
      .join("");
  }
}

/** Pieces of text as a body, each made when the client has taken the one before. */
export function bodyOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}
