import { eq, sql } from "drizzle-orm";
import { iso, now } from "../../kernel/clock";
import { db, transact } from "../../kernel/db";
import { notFound } from "../../kernel/errors";
import { newId } from "../../kernel/id";
import type { Trip } from "../trips/schema";
import { checkReferences, insertTrip } from "../trips/service";
import type { NewTripTemplate, TripOfTemplate, TripTemplate, TripTemplateChange } from "./schema";
import { tripTemplates } from "./table";

type Row = typeof tripTemplates.$inferSelect;

const toTemplate = (row: Row): TripTemplate => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** All templates by name. */
export const listTemplates = (): TripTemplate[] =>
  db
    .select()
    .from(tripTemplates)
    .orderBy(sql`${tripTemplates.name} COLLATE NOCASE`, tripTemplates.id)
    .all()
    .map(toTemplate);

export const getTemplate = (id: string): TripTemplate => toTemplate(templateRow(id));

function templateRow(id: string): Row {
  const row = db.select().from(tripTemplates).where(eq(tripTemplates.id, id)).get();
  if (!row) throw notFound("Trip template");
  return row;
}

/** Null clears a field: these two have a value always. */
const cleared = ({ gps_logging_enabled, tags, ...input }: TripTemplateChange) => ({
  ...input,
  ...(gps_logging_enabled !== undefined && { gps_logging_enabled: gps_logging_enabled ?? false }),
  ...(tags !== undefined && { tags: tags ?? [] }),
});

/** Creates a template. Throws 400 for a reference to nothing. */
export function createTemplate({ name, ...input }: NewTripTemplate): Promise<TripTemplate> {
  return transact(() => {
    checkReferences(input);
    const time = now();
    const row = db
      .insert(tripTemplates)
      .values({ id: newId(), name, tags: [], ...cleared(input), created_at: time, updated_at: time })
      .returning()
      .get();
    return toTemplate(row);
  });
}

/** Changes the fields that are given. Throws 404, and 400 for a reference to nothing. */
export function updateTemplate(id: string, input: TripTemplateChange): Promise<TripTemplate> {
  return transact(() => {
    const before = templateRow(id);
    if (Object.keys(input).length === 0) return toTemplate(before);
    checkReferences(input);
    const row = db
      .update(tripTemplates)
      .set({ ...cleared(input), updated_at: now() })
      .where(eq(tripTemplates.id, id))
      .returning()
      .get();
    return toTemplate(row);
  });
}

export function deleteTemplate(id: string): Promise<void> {
  return transact(() => {
    templateRow(id);
    db.delete(tripTemplates).where(eq(tripTemplates.id, id)).run();
  });
}

/** What the name of a trip says of its origin (Part 1); it may exceed the limit of names by this. */
const SUFFIX = " (from template)";

/** Creates a draft with what the template holds, and a weight of its own. Throws 404. */
export function createTripFrom(id: string, { weight_kg }: TripOfTemplate): Promise<Trip> {
  return transact(() => {
    const { name, description, category_id, origin_id, destination_id, device_id, notes, tags, ...rest } =
      templateRow(id);
    const { gps_logging_enabled } = rest;
    const copied = { description, category_id, origin_id, destination_id, device_id, notes, tags };
    return insertTrip({ name: name + SUFFIX, ...copied, gps_logging_enabled, weight_kg });
  });
}
