import { and, eq, isNull } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { tripSpans, type trips } from "./table";

type Row = typeof trips.$inferSelect;

/** The device that logs for a trip now; null for none. */
const loggerOf = ({ status, gps_logging_enabled, device_id }: Row): string | null =>
  status === "active" && gps_logging_enabled ? device_id : null;

/**
 * Notes, in the current transaction, from when or until when a device logged for a trip that was changed at a time (epoch
 * milliseconds). A span doesn't end before it began, even if the clock was set back.
 */
export function noteSpan(before: Row, after: Row, time: number): void {
  const [former, present] = [loggerOf(before), loggerOf(after)];
  if (former === present) return;
  const open = and(eq(tripSpans.trip_id, after.id), isNull(tripSpans.until_time));
  for (const { from_time } of db.select().from(tripSpans).where(open).all())
    db.update(tripSpans)
      .set({ until_time: Math.max(time, from_time ?? time) })
      .where(open)
      .run();
  if (present !== null)
    db.insert(tripSpans).values({ trip_id: after.id, device_id: present, from_time: time }).run();
}
