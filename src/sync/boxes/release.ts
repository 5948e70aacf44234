import { and, eq, inArray, isNotNull, isNull, ne, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { clear } from "../../alerts/alerts/register";
import { alerts } from "../../alerts/alerts/table";
import { note } from "../../feed/journal";
import { inBatches } from "../../kernel/db/batches";
import { db } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { logFailure } from "../../kernel/errors/trouble";
import { devicesChanged } from "../../tracking/devices/epoch";
import { devices } from "../../tracking/devices/table";
import { trips } from "../../tracking/trips/table";
import { boxes } from "./table";

/**
 * The end of a box: what it sent becomes this server's own. Devices do so in the transaction that deletes it; trips and alerts,
 * which may be many, step by step, and the box's row goes with the last of them.
 */

/** Makes the devices of a box this server's own, in the current transaction. A name that one here has already goes. */
export function releaseDevices(boxId: string): void {
  const own = alias(devices, "own");
  const taken = db
    .select({ external_id: own.external_id })
    .from(own)
    .where(and(isNull(own.box_id), isNotNull(own.external_id)));
  db.update(devices)
    .set({ external_id: null })
    .where(and(eq(devices.box_id, boxId), inArray(devices.external_id, taken)))
    .run();
  const released = db
    .update(devices)
    .set({ box_id: null })
    .where(eq(devices.box_id, boxId))
    .returning({ id: devices.id })
    .all();
  for (const { id } of released) note("deviceUpdate", id, id);
  devicesChanged();
}

/** Makes some trips of a box this server's own, in the current transaction. Returns their number. */
function releaseTrips(boxId: string, limit: number): number {
  const some = db.select().from(trips).where(eq(trips.box_id, boxId)).limit(limit).all();
  for (const trip of some) {
    const isSecond = trip.status === "active" && trip.gps_logging_enabled && hasLogger(trip);
    db.update(trips)
      .set({ box_id: null, ...(isSecond && { gps_logging_enabled: false }) })
      .where(eq(trips.id, trip.id))
      .run();
    note("tripUpdate", trip.id, trip.device_id);
  }
  return some.length;
}

/** True if a device has an active trip here that logs: the one that came first goes on (rule T8). */
const hasLogger = ({ id, device_id }: typeof trips.$inferSelect): boolean =>
  device_id !== null &&
  db
    .select({ id: trips.id })
    .from(trips)
    .where(
      and(
        eq(trips.device_id, device_id),
        eq(trips.status, "active"),
        eq(trips.gps_logging_enabled, true),
        isNull(trips.box_id),
        ne(trips.id, id),
      ),
    )
    .get() !== undefined;

/**
 * Makes some alerts of a box this server's own, in the current transaction. Open ones are cleared: what raised them is aboard,
 * and nothing here would. Returns their number.
 */
function releaseAlerts(boxId: string, limit: number): number {
  const some = db.select().from(alerts).where(eq(alerts.box_id, boxId)).limit(limit).all();
  for (const alert of some) {
    if (alert.cleared_at === null) clear(alert);
    else note("alertUpdated", alert.id, alert.device_id);
    db.update(alerts).set({ box_id: null }).where(eq(alerts.id, alert.id)).run();
  }
  return some.length;
}

let releasing: Promise<void> | null = null;

/** The job: finishes the end of boxes that were deleted, with requests in between. */
export function finishReleases(): Promise<void> {
  releasing ??= release().finally(() => {
    releasing = null;
  });
  return releasing;
}

async function release(): Promise<void> {
  const ended = db.select({ id: boxes.id }).from(boxes).where(isNotNull(boxes.ended_at)).all();
  for (const { id } of ended) {
    await inBatches((limit) => releaseTrips(id, limit));
    await inBatches((limit) => releaseAlerts(id, limit));
    await transact(() => {
      db.delete(boxes)
        .where(and(eq(boxes.id, id), sql`ended_at IS NOT NULL`))
        .run();
    });
  }
}

/** Begins to release what boxes left that were just deleted; nobody waits for it. */
export function releaseSoon(): void {
  finishReleases().catch((error) =>
    logFailure("what a box left could not be released; it is tried again", error),
  );
}
