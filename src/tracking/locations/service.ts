import { and, asc, desc, eq, sql } from "drizzle-orm";
import { iso, now } from "../../kernel/clock";
import { adjustCounter, counter, db, transact } from "../../kernel/db";
import { notFound } from "../../kernel/errors";
import { newId } from "../../kernel/id";
import { type PageOf, type PageRequest, readPage } from "../../kernel/paging";
import { checkChanged } from "../../kernel/validation";
import type {
  Contact,
  ContactChange,
  Location,
  LocationChange,
  LocationWithContacts,
  NewContact,
  NewLocation,
} from "./schema";
import { locationContacts, locations } from "./table";

type Row = typeof locations.$inferSelect;
type ContactRow = typeof locationContacts.$inferSelect;

const toLocation = (row: Row): Location => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

const toContact = (row: ContactRow): Contact => ({ ...row, created_at: iso(row.created_at) });

const withContacts = (row: Row): LocationWithContacts => ({
  ...toLocation(row),
  contacts: contactsOf(row.id).map(toContact),
});

const contactsOf = (locationId: string): ContactRow[] =>
  db
    .select()
    .from(locationContacts)
    .where(eq(locationContacts.location_id, locationId))
    .orderBy(asc(locationContacts.id))
    .all();

// --- Locations --------------------------------------------------------------------------------------------

const byName = sql`${locations.name} COLLATE NOCASE`;

/** A page of locations by name, in whatever case. */
export function listLocations(request: PageRequest): PageOf<Location> {
  return readPage(request, counter("locations"), (fromEnd, offset, limit) => {
    const way = fromEnd ? desc : asc;
    return db
      .select()
      .from(locations)
      .orderBy(way(byName), way(locations.id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toLocation);
  });
}

export const getLocation = (id: string): LocationWithContacts => withContacts(locationRow(id));

function locationRow(id: string): Row {
  const row = db.select().from(locations).where(eq(locations.id, id)).get();
  if (!row) throw notFound("Location");
  return row;
}

/** Country codes are kept in upper case (decisions 2.9). */
const withCountry = <T extends { country?: string | null }>(input: T): T =>
  input.country ? { ...input, country: input.country.toUpperCase() } : input;

export function createLocation({ contacts, ...input }: NewLocation): Promise<LocationWithContacts> {
  return transact(() => {
    const time = now();
    const row = db
      .insert(locations)
      .values({ id: newId(), ...withCountry(input), created_at: time, updated_at: time })
      .returning()
      .get();
    adjustCounter("locations", 1);
    for (const contact of contacts ?? []) insertContact(row.id, contact);
    return withContacts(row);
  });
}

/** Changes the fields that are given. Throws 404, and 400 when there is none. */
export function updateLocation(id: string, input: LocationChange): Promise<LocationWithContacts> {
  checkChanged(input);
  return transact(() => {
    locationRow(id);
    const row = db
      .update(locations)
      .set({ ...withCountry(input), updated_at: now() })
      .where(eq(locations.id, id))
      .returning()
      .get();
    return withContacts(row);
  });
}

/** Deletes a location and its contacts. Trips and templates that name it stay, without it. */
export function deleteLocation(id: string): Promise<void> {
  return transact(() => {
    locationRow(id);
    db.delete(locations).where(eq(locations.id, id)).run();
    adjustCounter("locations", -1);
  });
}

// --- Contacts ---------------------------------------------------------------------------------------------

/** Stores a contact in the current transaction. What else was sent with it is ignored. */
function insertContact(
  locationId: string,
  { name, phone = null, email = null, role = null }: NewContact,
): ContactRow {
  return db
    .insert(locationContacts)
    .values({ id: newId(), location_id: locationId, name, phone, email, role, created_at: now() })
    .returning()
    .get();
}

export function createContact(locationId: string, input: NewContact): Promise<Contact> {
  return transact(() => {
    locationRow(locationId);
    return toContact(insertContact(locationId, input));
  });
}

const contactOf = (locationId: string, id: string) =>
  and(eq(locationContacts.id, id), eq(locationContacts.location_id, locationId));

/** Changes the fields that are given. Throws 404 for a contact of another location, 400 when there is none. */
export function updateContact(locationId: string, id: string, input: ContactChange): Promise<Contact> {
  checkChanged(input);
  return transact(() => {
    const row = db
      .update(locationContacts)
      .set(input)
      .where(contactOf(locationId, id))
      .returning()
      .all()
      .at(0);
    if (!row) throw notFound("Contact");
    return toContact(row);
  });
}

export function deleteContact(locationId: string, id: string): Promise<void> {
  return transact(() => {
    const deleted = db.delete(locationContacts).where(contactOf(locationId, id)).returning().all();
    if (deleted.length === 0) throw notFound("Contact");
  });
}
