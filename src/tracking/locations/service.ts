import { and, asc, desc, eq, sql } from "drizzle-orm";
import { noteTripsOf } from "../../feed/journal";
import { type Actor, transactAs } from "../../identity/access/actor";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { adjustCounter, counter } from "../../kernel/db/counters";
import { conflict, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { checkChanged } from "../../kernel/http/validation";
import { iso, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
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

/** A page of locations by name, ignoring case. */
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

/** Country codes are stored in upper case, as ISO 3166-1 writes them. */
const withCountry = <T extends { country?: string | null }>(input: T): T =>
  input.country ? { ...input, country: input.country.toUpperCase() } : input;

export function createLocation(
  actor: Actor,
  { contacts, ...input }: NewLocation,
): Promise<LocationWithContacts> {
  return transactAs(actor, () => {
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

/** Changes the given fields. Throws 404, and 400 if there are none. */
export function updateLocation(
  actor: Actor,
  id: string,
  input: LocationChange,
): Promise<LocationWithContacts> {
  checkChanged(input);
  return transactAs(actor, () => {
    const before = locationRow(id);
    const change = changedOnly(before, withCountry(input));
    if (isEmpty(change)) return withContacts(before);
    const row = db
      .update(locations)
      .set({ ...change, updated_at: now() })
      .where(eq(locations.id, id))
      .returning()
      .get();
    return withContacts(row);
  });
}

/** Deletes a location and its contacts. Trips and templates that name it stay, without it. */
export function deleteLocation(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    locationRow(id);
    noteTripsOf("location", id);
    db.delete(locations).where(eq(locations.id, id)).run();
    adjustCounter("locations", -1);
  });
}

// --- Contacts ---------------------------------------------------------------------------------------------

/** Stores a contact in the current transaction. Unknown fields are ignored. */
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

/** Contacts of one location, which come with it. */
const MAX_CONTACTS = 200;

/** Throws 404, and 409 for a location with too many contacts. */
export function createContact(actor: Actor, locationId: string, input: NewContact): Promise<Contact> {
  return transactAs(actor, () => {
    locationRow(locationId);
    if (contactsOf(locationId).length >= MAX_CONTACTS)
      throw conflict(`A location can have at most ${MAX_CONTACTS} contacts; delete one first`);
    return toContact(insertContact(locationId, input));
  });
}

const contactOf = (locationId: string, id: string) =>
  and(eq(locationContacts.id, id), eq(locationContacts.location_id, locationId));

/** Changes the given fields. Throws 404 for a contact of another location, 400 if there are none. */
export function updateContact(
  actor: Actor,
  locationId: string,
  id: string,
  input: ContactChange,
): Promise<Contact> {
  checkChanged(input);
  return transactAs(actor, () => {
    const before = db.select().from(locationContacts).where(contactOf(locationId, id)).get();
    if (!before) throw notFound("Contact");
    const change = changedOnly(before, input);
    if (isEmpty(change)) return toContact(before);
    return toContact(
      db.update(locationContacts).set(change).where(contactOf(locationId, id)).returning().get(),
    );
  });
}

export function deleteContact(actor: Actor, locationId: string, id: string): Promise<void> {
  return transactAs(actor, () => {
    const deleted = db.delete(locationContacts).where(contactOf(locationId, id)).returning().all();
    if (deleted.length === 0) throw notFound("Contact");
  });
}
