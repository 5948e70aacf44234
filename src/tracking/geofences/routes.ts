import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import { Geofence, GeofenceChange, NewGeofence } from "./schema";
import { createGeofence, deleteGeofence, getGeofence, listGeofences, updateGeofence } from "./service";

const path = "/v1/geofences";
const DEFAULT_LIMIT = 10;

export const geofenceRoutes = new Elysia({ prefix: path, tags: ["Geofences"] })
  .use(guard)
  .get(
    "",
    ({ query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(path, asked, listGeofences(asked), request);
    },
    {
      access: "geofences:read",
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("GeofencePage", Geofence) },
      detail: { operationId: "listZones", summary: "List zones", description: "Zones, newest first." },
    },
  )
  .get("/:id", ({ params }) => single(getGeofence(params.id), `${path}/${params.id}`), {
    access: "geofences:read",
    params: IdParams,
    response: { 200: Single(Geofence), ...errors(404) },
    detail: { operationId: "getZone", summary: "Get a zone", description: "One zone by its identifier." },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const zone = await createGeofence(actor, body);
      set.status = 201;
      return single(zone, `${path}/${zone.id}`);
    },
    {
      access: "geofences:write",
      body: NewGeofence,
      response: { 201: Single(Geofence), ...errors(409) },
      detail: {
        operationId: "createZone",
        summary: "Create a zone",
        description:
          "Creates a zone: a circle, unless `kind` says `polygon` or `corridor`. Devices whose newest position lies in it are inside, and nobody is told; from the next position on, one that comes in causes a `geofenceEvent` with `enter`, one that goes out an `exit`. Circles may lie over a pole, rings may not; all may cross the 180th meridian. With `box_ids`, which needs the permission `sync:manage` too, these boxes watch it as well. There are at most 200,000 zones, and 200 of a box (409).",
      },
    },
  )
  .patch(
    "/:id",
    async ({ actor, params, body }) =>
      single(await updateGeofence(actor, params.id, body), `${path}/${params.id}`),
    {
      access: "geofences:write",
      params: IdParams,
      body: GeofenceChange,
      response: { 200: Single(Geofence), ...errors(404, 409) },
      detail: {
        operationId: "changeZone",
        summary: "Change a zone",
        description:
          "Changes the fields that are sent; at least one is required, and null clears an optional one. A zone with another shape or other rules, and one that is switched on, begins to watch anew: devices whose newest position lies in it are inside, and nobody is told. Open alerts of it are cleared. `box_ids` needs the permission `sync:manage` too; 409 where a box would have more than 200 zones. One that the shore handed down is changed there (409 `OwnedByShore`).",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await deleteGeofence(actor, params.id);
      set.status = 204;
    },
    {
      access: "geofences:delete",
      params: IdParams,
      response: { 204: NoContent, ...errors(404, 409) },
      detail: {
        operationId: "deleteZone",
        summary: "Delete a zone",
        description:
          "The zone is forgotten silently: no exit event is sent. One that the shore handed down is deleted there (409 `OwnedByShore`).",
      },
    },
  );
