import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { db } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import type { SourceStation } from "./stations";
import { waterLevelAnswers } from "./table";

/** The source's last answer in the database: a boat that starts without a network shows it, and asks by its ETag later. */

export interface LastAnswer {
  stations: SourceStation[];
  etag: string | null;
  /** Time at which the source last confirmed this content. */
  confirmedAt: number;
}

/** There is one. */
const ID = 1;
/** Raised when `SourceStation` changes: an answer in another form is of no use. */
const FORM = 1;

const nameOf = (source: string): string => `${FORM} ${source}`;

/** The stored answer to a question, `source` being the hash of that; null without one. */
export async function storedAnswer(source: string): Promise<LastAnswer | null> {
  const row = db.select().from(waterLevelAnswers).get();
  if (row?.source !== nameOf(source)) return null;
  const stations: SourceStation[] = JSON.parse((await promisify(gunzip)(row.stations)).toString());
  return { stations, etag: row.etag, confirmedAt: row.confirmed_at };
}

/** Stores an answer in place of the one before. */
export async function storeAnswer(
  source: string,
  { stations, etag, confirmedAt }: LastAnswer,
): Promise<void> {
  const packed = await promisify(gzip)(JSON.stringify(stations));
  const row = { source: nameOf(source), etag, confirmed_at: confirmedAt, stations: packed };
  await transact(() => {
    db.insert(waterLevelAnswers)
      .values({ id: ID, ...row })
      .onConflictDoUpdate({ target: waterLevelAnswers.id, set: row })
      .run();
  });
}
