import { sql } from "drizzle-orm";
import { index, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/db/table";
import { JUDGEMENTS, SOURCES } from "../ingest/kinds";

/** The positions that count, as a condition in SQL. */
export const COUNTS = "(judgement IS NULL OR judgement = 'cleared')";

/**
 * Recorded positions: the table that grows without end. Its device and trip are no foreign keys, since
 * deleting a device with ten million points would then rewrite them all in one transaction: see `detach.ts`.
 */
export const gpsPoints = sqliteTable(
  "gps_points",
  {
    id: id(),
    device_id: text(),
    trip_id: text(),
    latitude: real().notNull(),
    longitude: real().notNull(),
    altitude: real(),
    heading: real(),
    /** Time of the receiver's fix, epoch milliseconds (whole seconds). */
    timestamp: time().notNull(),
    speed_kmh: real(),
    speed_mps: real(),
    speed_mph: real(),
    speed_knots: real(),
    pdop: real(),
    hdop: real(),
    vdop: real(),
    created_at: time().notNull(),
    /** Radius of 68 %, metres. */
    accuracy_m: real(),
    battery_percent: real(),
    source: text({ enum: SOURCES }).notNull().default("api"),
    judgement: text({ enum: JUDGEMENTS }),
    /** The box that sent it, which may be gone; null for one of this server. No foreign key: see above. */
    box_id: text(),
  },
  (table) => [
    index("gps_points_time").on(table.timestamp),
    index("gps_points_device").on(table.device_id, table.timestamp).where(sql`device_id IS NOT NULL`),
    // Points without a trip, which may be deleted by age.
    index("gps_points_loose").on(table.timestamp).where(sql`trip_id IS NULL`),
    index("gps_points_trip").on(table.trip_id, table.timestamp).where(sql`trip_id IS NOT NULL`),
    // One fix a second and device by the doors that take what apps send again: see tracking/ingest. A box keeps the rule itself.
    uniqueIndex("gps_points_second")
      .on(table.device_id, table.timestamp)
      .where(sql`source <> 'api' AND device_id IS NOT NULL AND box_id IS NULL`),
  ],
);

/**
 * Deleted devices and trips whose points still carry their identifier, and lists and timelines that are gone though counters
 * and parts are left of them, until a background job is done.
 */
export const gpsDetachments = sqliteTable(
  "gps_detachments",
  {
    kind: text({ enum: ["device", "trip", "list", "timeline"] }).notNull(),
    reference: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.reference] })],
);

/** The first answers to requests with an `Idempotency-Key`, kept for a day. */
export const idempotentAnswers = sqliteTable(
  "idempotent_answers",
  {
    /** The session or the key. */
    credential_id: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of the body. */
    body_hash: text().notNull(),
    /** The answer, as JSON. */
    answer: text().notNull(),
    created_at: time().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.credential_id, table.key] }),
    index("idempotent_answers_age").on(table.created_at),
  ],
);
