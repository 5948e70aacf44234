import { and, eq, isNull, placeholder } from "drizzle-orm";
import { config } from "../../configuration/config";
import { db, statement } from "../../kernel/db/connection";
import { AppError } from "../../kernel/errors/errors";
import { devices } from "../../tracking/devices/table";
import { trips } from "../../tracking/trips/table";
import { boxes } from "../boxes/table";
import { shoreSet } from "../down/table";

/**
 * Ownership in place of merging: what a box sent is its own and is changed aboard, and what the shore handed down is the shore's.
 * Each use case that changes such a row asks here, in its transaction. What a box owns nobody has to ask for: a device, a trip or
 * an alert by its `box_id`, a log entry by its trip, a position by its device, by its trip where it has none, and else by the box that sent it.
 */

/** Refuses to change a row that is a box's own. Throws 409. */
export function requireOwn({ box_id }: { box_id: string | null }): void {
  if (box_id !== null)
    throw new AppError("OwnedByBox", "This belongs to a box that sends it here: change it aboard");
}

const boxOf = (table: typeof devices | typeof trips) =>
  statement(() =>
    db
      .select({ box_id: table.box_id })
      .from(table)
      .where(eq(table.id, placeholder("id")))
      .prepare(),
  );
const boxOfDevice = boxOf(devices);
const boxOfTrip = boxOf(trips);

/** Refuses to change what hangs on a device that is a box's own; null for no device. Throws 409. */
export function requireOwnDevice(id: string | null | undefined): void {
  const device = id ? boxOfDevice().get({ id }) : undefined;
  if (device) requireOwn(device);
}

/** Refuses to change what hangs on a trip that is a box's own; null for no trip. Throws 409. */
export function requireOwnTrip(id: string | null | undefined): void {
  const trip = id ? boxOfTrip().get({ id }) : undefined;
  if (trip) requireOwn(trip);
}

const boxBy = statement(() =>
  db
    .select({ id: boxes.id })
    .from(boxes)
    .where(and(eq(boxes.id, placeholder("id")), isNull(boxes.ended_at)))
    .prepare(),
);

/** Refuses to change a position that hangs on no device and no trip, and that a box sent which is still there. Throws 409. */
export function requireOwnLoose({ box_id }: { box_id: string | null }): void {
  if (box_id !== null && boxBy().get({ id: box_id })) requireOwn({ box_id });
}

/**
 * Refuses, in the current transaction, to change a zone or a rule aboard that the shore handed down. Throws 409. A box without a
 * link may change it; the next shore that it is linked with replaces all of them.
 */
export function requireNotFromShore({ is_from_shore }: { is_from_shore: boolean }): void {
  if (!is_from_shore) return;
  if (config["sync.url"] !== null)
    throw new AppError("OwnedByShore", "The shore handed this down to this box: change it there");
  db.update(shoreSet).set({ tag: null }).run();
}
