import { sqlite, statement } from "../../kernel/db/connection";
import { undoneSince } from "../../kernel/db/transactions";
import { highestKnownRow } from "../geofences/tracks";

/** The numbers of the rows of positions, in the order in which they were stored. Raw SQL: each fix runs this. */

const newestRow = statement(() =>
  sqlite.prepare<{ row: number | null }, []>("SELECT max(rowid) AS row FROM gps_points"),
);

/** The highest number of a row so far, as long as no insertion was undone and no other process has written since. */
let lastNumber = 0;
let lastNumberSince: number | null = null;

/**
 * The number of the next row: the row itself is written later. Numbers of deleted positions don't return: zones tell by them what
 * came after they began to watch.
 */
export function nextNumber(): number {
  if (lastNumberSince !== undoneSince())
    lastNumber = Math.max(lastNumber, newestRow().get()?.row ?? 0, highestKnownRow());
  lastNumberSince = undoneSince();
  return ++lastNumber;
}
