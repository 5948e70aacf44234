import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "../../kernel/db/table";
import type { Lane } from "../batch/lanes";
import { boxes } from "../boxes/table";

/** The last number of a lane that is held without a gap, and the hash of its row. */
export interface Held {
  number: number;
  hash: string;
}

/**
 * Ashore: the runs of numbers of each box. A box has a new one after a restore, and so does each of two copies of a box: the older
 * ones stay for a while, so that a copy isn't taken for the other.
 */
export const syncEpochs = sqliteTable(
  "sync_epochs",
  {
    box_id: text()
      .notNull()
      .references(() => boxes.id, { onDelete: "cascade" }),
    epoch: text().notNull(),
    lanes: text({ mode: "json" }).$type<Partial<Record<Lane, Held>>>().notNull(),
    /** The highest one of the box's requests that were heard: an older one that was on its way for long is not. */
    sequence: integer().notNull(),
    last_contact_at: time().notNull(),
  },
  (table) => [primaryKey({ columns: [table.box_id, table.epoch] })],
);
