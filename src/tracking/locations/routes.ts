import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import {
  Contact,
  ContactChange,
  ContactParams,
  Location,
  LocationChange,
  LocationWithContacts,
  NewContact,
  NewLocation,
} from "./schema";
import {
  createContact,
  createLocation,
  deleteContact,
  deleteLocation,
  getLocation,
  listLocations,
  updateContact,
  updateLocation,
} from "./service";

const path = "/v1/locations";
const DEFAULT_LIMIT = 10;

export const locationRoutes = new Elysia({ prefix: path, tags: ["Locations"] })
  .use(guard)
  .get(
    "",
    ({ query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(path, asked, listLocations(asked), request);
    },
    {
      access: "locations:read",
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("LocationPage", Location) },
      detail: {
        operationId: "listLocations",
        summary: "List locations",
        description: "Locations by name, ignoring case; without their contacts.",
      },
    },
  )
  .get("/:id", ({ params }) => single(getLocation(params.id), `${path}/${params.id}`), {
    access: "locations:read",
    params: IdParams,
    response: { 200: Single(LocationWithContacts), ...errors(404) },
    detail: {
      operationId: "getLocation",
      summary: "Get a location",
      description: "One location with its contacts.",
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const location = await createLocation(actor, body);
      set.status = 201;
      return single(location, `${path}/${location.id}`);
    },
    {
      access: "locations:write",
      body: NewLocation,
      response: { 201: Single(LocationWithContacts) },
      detail: {
        operationId: "createLocation",
        summary: "Create a location",
        description: "Creates a location, and contacts with it.",
      },
    },
  )
  .patch(
    "/:id",
    async ({ actor, params, body }) =>
      single(await updateLocation(actor, params.id, body), `${path}/${params.id}`),
    {
      access: "locations:write",
      params: IdParams,
      body: LocationChange,
      response: { 200: Single(LocationWithContacts), ...errors(404) },
      detail: {
        operationId: "changeLocation",
        summary: "Change a location",
        description:
          "Changes the fields that are sent; at least one is required, and null clears an optional one. Contacts have operations of their own.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await deleteLocation(actor, params.id);
      set.status = 204;
    },
    {
      access: "locations:delete",
      params: IdParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "deleteLocation",
        summary: "Delete a location",
        description: "Deletes a location with its contacts. Trips and templates stay, without it.",
      },
    },
  )
  .post(
    "/:id/contacts",
    async ({ actor, params, body, set }) => {
      const contact = await createContact(actor, params.id, body);
      set.status = 201;
      return single(contact, `${path}/${params.id}/contacts/${contact.id}`);
    },
    {
      access: "locations:write",
      params: IdParams,
      body: NewContact,
      response: { 201: Single(Contact), ...errors(404, 409) },
      detail: {
        operationId: "createContact",
        summary: "Create a contact",
        description: "Adds a contact to a location, which has at most 200 (409).",
      },
    },
  )
  .patch(
    "/:id/contacts/:cid",
    async ({ actor, params: { id, cid }, body }) =>
      single(await updateContact(actor, id, cid, body), `${path}/${id}/contacts/${cid}`),
    {
      access: "locations:write",
      params: ContactParams,
      body: ContactChange,
      response: { 200: Single(Contact), ...errors(404) },
      detail: {
        operationId: "changeContact",
        summary: "Change a contact",
        description:
          "Changes the fields that are sent; at least one is required, and null clears an optional one.",
      },
    },
  )
  .delete(
    "/:id/contacts/:cid",
    async ({ actor, params, set }) => {
      await deleteContact(actor, params.id, params.cid);
      set.status = 204;
    },
    {
      access: "locations:write",
      params: ContactParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "deleteContact",
        summary: "Delete a contact",
        description: "Takes a contact from its location.",
      },
    },
  );
