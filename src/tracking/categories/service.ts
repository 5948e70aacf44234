import { asc, eq, sql } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { keepRoom } from "../../kernel/db/room";
import { invalid, notFound } from "../../kernel/errors/errors";
import { checkChanged } from "../../kernel/http/validation";
import { iso, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { dropList } from "../ingest/detach";
import { categoryTrips } from "../ingest/places";
import type { NewTripCategory, TripCategory, TripCategoryChange } from "./schema";
import { tripCategories } from "./table";

type Row = typeof tripCategories.$inferSelect;

const toCategory = (row: Row): TripCategory => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** All categories by `sort_order`, then by name. */
export const listCategories = (): TripCategory[] =>
  db
    .select()
    .from(tripCategories)
    .orderBy(
      asc(tripCategories.sort_order),
      sql`${tripCategories.name} COLLATE NOCASE`,
      asc(tripCategories.id),
    )
    .all()
    .map(toCategory);

const STORE = { table: "trip_categories", texts: ["name", "description"], records: "trip categories" };

export const getCategory = (id: string): TripCategory => toCategory(categoryRow(id));

function categoryRow(id: string): Row {
  const row = findCategory(id);
  if (!row) throw notFound("Trip category");
  return row;
}

const findCategory = (id: string): Row | undefined =>
  db.select().from(tripCategories).where(eq(tripCategories.id, id)).get();

/** Null clears a field, but this one always has a value. */
const cleared = ({ sort_order, ...input }: TripCategoryChange) => ({
  ...input,
  sort_order: sort_order === null ? 0 : sort_order,
});

/** Creates a category. Throws 400 for an unknown parent, 409 if the table is full. */
export function createCategory(
  actor: Actor,
  { name, parent_id, ...input }: NewTripCategory,
): Promise<TripCategory> {
  return transactAs(actor, () => {
    if (parent_id && !findCategory(parent_id)) throw invalid("/parent_id", "names no trip category");
    const time = now();
    const category = { id: newId(), name, parent_id, ...cleared(input), created_at: time, updated_at: time };
    const row = keepRoom(STORE, () => db.insert(tripCategories).values(category).returning().get());
    return toCategory(row);
  });
}

/** Changes the given fields. Throws 404, 400 if there are none, and 409 if the table is full. */
export function updateCategory(actor: Actor, id: string, input: TripCategoryChange): Promise<TripCategory> {
  checkChanged(input);
  return transactAs(actor, () => {
    const before = categoryRow(id);
    const change = changedOnly(before, cleared(input));
    if (isEmpty(change)) return toCategory(before);
    const row = keepRoom(STORE, () =>
      db
        .update(tripCategories)
        .set({ ...change, updated_at: now() })
        .where(eq(tripCategories.id, id))
        .returning()
        .get(),
    );
    return toCategory(row);
  });
}

/** Deletes a category. Its children move to the top; trips and templates stay, without it. */
export function deleteCategory(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    categoryRow(id);
    db.delete(tripCategories).where(eq(tripCategories.id, id)).run();
    dropList(categoryTrips(id));
  });
}
