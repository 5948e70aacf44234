import { eq } from "drizzle-orm";
import type { VisibleDevices } from "../../identity/access/visible-devices";
import { db } from "../../kernel/db/connection";
import { tripSpans, type trips } from "../trips/table";

/** True if a caller who sees some devices sees a trip: it sees each device that logged for it. */
export const isTripShown = (
  { id, device_id }: Pick<typeof trips.$inferSelect, "id" | "device_id">,
  visible: VisibleDevices,
): boolean =>
  visible === "all" ||
  (device_id !== null &&
    visible.has(device_id) &&
    db
      .select({ device: tripSpans.device_id })
      .from(tripSpans)
      .where(eq(tripSpans.trip_id, id))
      .all()
      .every(({ device }) => visible.has(device)));
