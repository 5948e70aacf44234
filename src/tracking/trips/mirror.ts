import { asc, eq } from "drizzle-orm";
import { note } from "../../feed/journal";
import { db } from "../../kernel/db/connection";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { countCompleted, uncountCompleted } from "../ingest/distance";
import { recount } from "./lists";
import { tripSpans, tripStatusHistory, trips } from "./table";

/** Trips of boxes, which are stored as their box has them: nothing is asked, and nothing follows but what lists and sums need. */

type Row = typeof trips.$inferSelect;
type HistoryRow = typeof tripStatusHistory.$inferSelect;
type SpanRow = typeof tripSpans.$inferSelect;

export type MirroredTrip = Omit<Row, "box_id" | "category_id" | "origin_id" | "destination_id"> & {
  history: Omit<HistoryRow, "trip_id">[];
  spans: Omit<SpanRow, "trip_id">[];
};

/** Stores a trip of a box, with its changes of status and its spans, in the current transaction. False if nothing has changed. */
export function mirrorTrip(boxId: string, { history, spans, ...fields }: MirroredTrip): boolean {
  const { id } = fields;
  const before = db.select().from(trips).where(eq(trips.id, id)).get() ?? null;
  const isSame =
    before !== null &&
    isEmpty(changedOnly(before, fields)) &&
    Bun.deepEquals(historyOf(id), history) &&
    Bun.deepEquals(spansOf(id), spans);
  if (isSame) return false;
  const row = before
    ? db.update(trips).set(fields).where(eq(trips.id, id)).returning().get()
    : db
        .insert(trips)
        .values({ ...fields, box_id: boxId })
        .returning()
        .get();
  recount(before, row);
  recompleted(before, row);
  replaceHistory(id, history);
  db.delete(tripSpans).where(eq(tripSpans.trip_id, id)).run();
  for (const span of spans)
    db.insert(tripSpans)
      .values({ ...span, trip_id: id })
      .run();
  const former = before?.device_id ?? null;
  const isMoved = former !== null && former !== row.device_id;
  note("tripUpdate", id, row.device_id, isMoved ? { former_device_id: former } : undefined);
  return true;
}

/** Keeps the sum of the completed trips' distances. A box that was restored may have one under way again. */
function recompleted(before: Row | null, after: Row): void {
  const [was, is] = [before?.status === "completed", after.status === "completed"];
  if (is && !was) countCompleted(after.id);
  if (was && !is) uncountCompleted(after.id);
}

const historyOf = (id: string): MirroredTrip["history"] =>
  db
    .select()
    .from(tripStatusHistory)
    .where(eq(tripStatusHistory.trip_id, id))
    .orderBy(asc(tripStatusHistory.changed_at), asc(tripStatusHistory.id))
    .all()
    .map(({ trip_id: _, ...change }) => change);

const spansOf = (id: string): MirroredTrip["spans"] =>
  db
    .select()
    .from(tripSpans)
    .where(eq(tripSpans.trip_id, id))
    .orderBy(asc(tripSpans.from_time))
    .all()
    .map(({ trip_id: _, ...span }) => span);

/** An identifier that a change of another trip has already is left out: nobody can refer to it. */
function replaceHistory(id: string, history: MirroredTrip["history"]): void {
  db.delete(tripStatusHistory).where(eq(tripStatusHistory.trip_id, id)).run();
  for (const change of history)
    db.insert(tripStatusHistory)
      .values({ ...change, trip_id: id })
      .onConflictDoNothing()
      .run();
}
