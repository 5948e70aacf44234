import { eq, sql } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { keepRoom } from "../../kernel/db/room";
import { notFound } from "../../kernel/errors/errors";
import { iso, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
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

const STORE = {
  table: "trip_templates",
  texts: ["name", "description", "notes", "tags"],
  records: "trip templates",
};

export const getTemplate = (id: string): TripTemplate => toTemplate(templateRow(id));

function templateRow(id: string): Row {
  const row = db.select().from(tripTemplates).where(eq(tripTemplates.id, id)).get();
  if (!row) throw notFound("Trip template");
  return row;
}

/** Null clears a field, but these two always have a value. */
const cleared = ({ gps_logging_enabled, tags, ...input }: TripTemplateChange) => ({
  ...input,
  ...(gps_logging_enabled !== undefined && { gps_logging_enabled: gps_logging_enabled ?? false }),
  ...(tags !== undefined && { tags: tags ?? [] }),
});

/** Creates a template. Throws 400 for an unknown reference, 409 if the table is full. */
export function createTemplate(actor: Actor, { name, ...input }: NewTripTemplate): Promise<TripTemplate> {
  return transactAs(actor, () => {
    checkReferences(input);
    const time = now();
    const template = { id: newId(), name, tags: [], ...cleared(input), created_at: time, updated_at: time };
    const row = keepRoom(STORE, () => db.insert(tripTemplates).values(template).returning().get());
    return toTemplate(row);
  });
}

/** Changes the given fields. Throws 404, 400 for an unknown reference, and 409 if the table is full. */
export function updateTemplate(actor: Actor, id: string, input: TripTemplateChange): Promise<TripTemplate> {
  return transactAs(actor, () => {
    const before = templateRow(id);
    checkReferences(input);
    const change = changedOnly(before, cleared(input));
    if (isEmpty(change)) return toTemplate(before);
    const row = keepRoom(STORE, () =>
      db
        .update(tripTemplates)
        .set({ ...change, updated_at: now() })
        .where(eq(tripTemplates.id, id))
        .returning()
        .get(),
    );
    return toTemplate(row);
  });
}

export function deleteTemplate(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    templateRow(id);
    db.delete(tripTemplates).where(eq(tripTemplates.id, id)).run();
  });
}

/** Marks a trip's origin in its name, which may exceed the limit of names by this. */
const SUFFIX = " (from template)";

/** Creates a draft with the template's values, and a weight of its own. Throws 404. */
export function createTripFrom(actor: Actor, id: string, { weight_kg }: TripOfTemplate): Promise<Trip> {
  return transactAs(actor, () => {
    const { name, description, category_id, origin_id, destination_id, device_id, notes, tags, ...rest } =
      templateRow(id);
    const { gps_logging_enabled } = rest;
    const copied = { description, category_id, origin_id, destination_id, device_id, notes, tags };
    return insertTrip({ name: name + SUFFIX, ...copied, gps_logging_enabled, weight_kg });
  });
}
