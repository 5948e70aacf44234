import { asc, eq, sql } from "drizzle-orm";
import { iso, now } from "../../kernel/clock";
import { db, transact } from "../../kernel/db";
import { invalid, notFound } from "../../kernel/errors";
import { newId } from "../../kernel/id";
import { checkChanged } from "../../kernel/validation";
import type { NewTripCategory, TripCategory, TripCategoryChange } from "./schema";
import { tripCategories } from "./table";

type Row = typeof tripCategories.$inferSelect;

const toCategory = (row: Row): TripCategory => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** All categories by their place, and by name where that is the same. */
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

export const getCategory = (id: string): TripCategory => toCategory(categoryRow(id));

function categoryRow(id: string): Row {
  const row = findCategory(id);
  if (!row) throw notFound("Trip category");
  return row;
}

const findCategory = (id: string): Row | undefined =>
  db.select().from(tripCategories).where(eq(tripCategories.id, id)).get();

/** Null clears a field: this one has a value always. */
const cleared = ({ sort_order, ...input }: TripCategoryChange) => ({
  ...input,
  sort_order: sort_order === null ? 0 : sort_order,
});

/** Creates a category. Throws 400 for a parent that is none. */
export function createCategory({ name, parent_id, ...input }: NewTripCategory): Promise<TripCategory> {
  return transact(() => {
    if (parent_id && !findCategory(parent_id)) throw invalid("/parent_id", "names no trip category");
    const time = now();
    const row = db
      .insert(tripCategories)
      .values({ id: newId(), name, parent_id, ...cleared(input), created_at: time, updated_at: time })
      .returning()
      .get();
    return toCategory(row);
  });
}

/** Changes the fields that are given. Throws 404, and 400 when there is none. */
export function updateCategory(id: string, input: TripCategoryChange): Promise<TripCategory> {
  checkChanged(input);
  return transact(() => {
    categoryRow(id);
    const row = db
      .update(tripCategories)
      .set({ ...cleared(input), updated_at: now() })
      .where(eq(tripCategories.id, id))
      .returning()
      .get();
    return toCategory(row);
  });
}

/** Deletes a category. Its children move to the top; trips and templates stay, without it. */
export function deleteCategory(id: string): Promise<void> {
  return transact(() => {
    categoryRow(id);
    db.delete(tripCategories).where(eq(tripCategories.id, id)).run();
  });
}
