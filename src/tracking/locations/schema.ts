import {
  change,
  characters,
  latitude,
  longitude,
  name,
  nullable,
  objectsOrNull,
  optional,
  out,
  record,
  t,
  text,
  uuid,
} from "../../kernel/http/schema";

export const Contact = record(
  "LocationContact",
  {
    id: out.uuid("Identifier"),
    location_id: out.uuid("The location"),
    name: out.string("Name", "Inga Hansen"),
    phone: nullable(out.string("Telephone number", "+49 3834 000000")),
    email: nullable(out.string("Email address", "harbour@example.org")),
    role: nullable(out.string("Role or title", "Harbour master")),
    created_at: out.time("When it was created"),
  },
  "A contact at a location",
);
export type Contact = (typeof Contact)["static"];

const locationFields = {
  id: out.uuid("Identifier"),
  name: out.string("Name", "Museum harbour"),
  street: nullable(out.string("Street and number", "Am Hafen 1")),
  zip: nullable(out.string("Postal code", "17489")),
  city: nullable(out.string("City", "Greifswald")),
  country: nullable(out.string("Country, ISO 3166-1 alpha-2", "DE")),
  latitude: nullable(out.number("Latitude in degrees", 54.0967)),
  longitude: nullable(out.number("Longitude in degrees", 13.4553)),
  notes: nullable(out.string("Notes", "Depth 3 m at the quay")),
  is_active: out.boolean("Whether it is in use"),
  created_at: out.time("When it was created"),
  updated_at: out.time("When it was last changed"),
};

export const Location = record("LocationRecord", locationFields, "A place where trips begin and end");
export type Location = (typeof Location)["static"];

export const LocationWithContacts = record(
  "LocationWithContacts",
  {
    ...locationFields,
    contacts: t.Array(Contact, { description: "Contacts there, in the order of their creation" }),
  },
  "A location and its contacts",
);
export type LocationWithContacts = (typeof LocationWithContacts)["static"];

const line = (description: string, example: string) =>
  optional(characters({ maxLength: 200, description, examples: [example] }));

const email = t.String({
  format: "email",
  maxLength: 254,
  description: "Email address",
  examples: ["harbour@example.org"],
});

const contactName = name("Name", "Inga Hansen");
const contactFields = {
  phone: line("Telephone number", "+49 3834 000000"),
  email: optional(email),
  role: line("Role or title", "Harbour master"),
};

export const NewContact = t.Object({ name: contactName, ...contactFields }, { title: "NewLocationContact" });
export type NewContact = (typeof NewContact)["static"];

export const ContactChange = change("LocationContactChange", {
  name: t.Optional(contactName),
  ...contactFields,
});
export type ContactChange = (typeof ContactChange)["static"];

const locationName = name("Name", "Museum harbour");
const fields = {
  street: line("Street and number", "Am Hafen 1"),
  zip: line("Postal code", "17489"),
  city: line("City", "Greifswald"),
  country: optional(
    t.String({
      pattern: "^[A-Za-z]{2}$",
      "x-expected": "must be a country code of two letters (ISO 3166-1 alpha-2)",
      description: "Country, ISO 3166-1 alpha-2; kept in upper case",
      examples: ["DE"],
    }),
  ),
  latitude: optional(latitude("Latitude in degrees")),
  longitude: optional(longitude("Longitude in degrees")),
  notes: optional(text("Notes", "Depth 3 m at the quay")),
};

export const NewLocation = t.Object(
  {
    name: locationName,
    ...fields,
    contacts: t.Optional(
      objectsOrNull(NewContact, {
        maxItems: 100,
        description: "Contacts that are created with the location: at most 100",
        examples: [[{ name: "Inga Hansen", role: "Harbour master" }]],
      }),
    ),
  },
  { title: "NewLocation" },
);
export type NewLocation = (typeof NewLocation)["static"];

export const LocationChange = change("LocationChange", {
  name: t.Optional(locationName),
  ...fields,
  is_active: t.Optional(t.Boolean({ description: "Whether it is in use", examples: [true] })),
});
export type LocationChange = (typeof LocationChange)["static"];

export const ContactParams = t.Object({
  id: uuid("Identifier of the location"),
  cid: uuid("Identifier of the contact"),
});
