import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, NoContent, Single } from "../../kernel/http/answers";
import { single } from "../../kernel/http/envelopes";
import { IdParams, t } from "../../kernel/http/schema";
import { Trip } from "../trips/schema";
import { NewTripTemplate, TripOfTemplate, TripTemplate, TripTemplateChange } from "./schema";
import {
  createTemplate,
  createTripFrom,
  deleteTemplate,
  getTemplate,
  listTemplates,
  updateTemplate,
} from "./service";

const path = "/v1/trip-templates";

export const templateRoutes = new Elysia({ prefix: path, tags: ["Trip templates"] })
  .use(guard)
  .get("", () => listTemplates(), {
    access: "trips:read",
    response: { 200: t.Array(TripTemplate) },
    detail: {
      operationId: "listTripTemplates",
      summary: "List trip templates",
      description: "All templates by name.",
    },
  })
  .get("/:id", ({ params }) => single(getTemplate(params.id), `${path}/${params.id}`), {
    access: "trips:read",
    params: IdParams,
    response: { 200: Single(TripTemplate), ...errors(404) },
    detail: {
      operationId: "getTripTemplate",
      summary: "Get a trip template",
      description: "One template by its identifier.",
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const template = await createTemplate(actor, body);
      set.status = 201;
      return single(template, `${path}/${template.id}`);
    },
    {
      access: "trips:write",
      body: NewTripTemplate,
      response: { 201: Single(TripTemplate), ...errors(409) },
      detail: {
        operationId: "createTripTemplate",
        summary: "Create a trip template",
        description:
          "Keeps what trips of a kind have in common. There are at most 1,000 templates, with 4 MiB of text in all (409).",
      },
    },
  )
  .patch(
    "/:id",
    async ({ actor, params, body }) =>
      single(await updateTemplate(actor, params.id, body), `${path}/${params.id}`),
    {
      access: "trips:write",
      params: IdParams,
      body: TripTemplateChange,
      response: { 200: Single(TripTemplate), ...errors(404, 409) },
      detail: {
        operationId: "changeTripTemplate",
        summary: "Change a trip template",
        description:
          "Changes the fields that are sent; null clears an optional one. Trips that were made from it stay as they are.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await deleteTemplate(actor, params.id);
      set.status = 204;
    },
    {
      access: "trips:delete",
      params: IdParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "deleteTripTemplate",
        summary: "Delete a trip template",
        description: "Trips that were made from it stay as they are.",
      },
    },
  )
  .post(
    "/:id/create-trip",
    async ({ actor, params, body, set }) => {
      const trip = await createTripFrom(actor, params.id, body);
      set.status = 201;
      return single(trip, `/v1/trips/${trip.id}`);
    },
    {
      access: "trips:write",
      params: IdParams,
      body: TripOfTemplate,
      response: { 201: Single(Trip), ...errors(404, 409) },
      detail: {
        operationId: "createTripFromTemplate",
        summary: "Create a trip from a template",
        description:
          "The draft has what the template holds, the given weight, and the template's name followed by ` (from template)`. 409 `OwnedByBox` where the template's device belongs to a box, which begins its trips aboard.",
      },
    },
  );
