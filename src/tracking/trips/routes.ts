import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { ListQuery, readList } from "../../kernel/http/lists";
import { IdParams, query, t } from "../../kernel/http/schema";
import { GpsPoint } from "../ingest/schema";
import { NewTrip, StatusChange, Trip, TripChange, TripFilter } from "./schema";
import {
  createTrip,
  deleteTrip,
  getTrip,
  listPointsOfTrip,
  listTrips,
  statusHistory,
  updateTrip,
} from "./service";

const path = "/v1/trips";
const DEFAULT_LIMIT = 20;
const DEFAULT_POINTS = 10;

export const tripRoutes = new Elysia({ prefix: path, tags: ["Trips"] })
  .use(guard)
  .get(
    "",
    ({ query, request, visible }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(path, asked, listTrips(asked, query, visible), request);
    },
    {
      access: { requires: "trips:read", orShare: "history" },
      ...query(t.Object({ ...pageQuery(DEFAULT_LIMIT), ...TripFilter.properties })),
      response: { 200: Page("TripPage", Trip) },
      detail: {
        operationId: "listTrips",
        summary: "List trips",
        description:
          "Trips, newest first; with filters, only those that match all of them. With `device_id`, `category_id`, `from` or `to`, the trips that began last come first; a trip that hasn't begun is placed by the time of its creation. A device or category that does not exist has none. By a share, a trip is seen by whoever sees each device that logged for it.",
      },
    },
  )
  .get("/:id", ({ params, visible }) => single(getTrip(params.id, visible), `${path}/${params.id}`), {
    access: { requires: "trips:read", orShare: "history" },
    params: IdParams,
    response: { 200: Single(Trip), ...errors(404) },
    detail: { operationId: "getTrip", summary: "Get a trip", description: "One trip by its identifier." },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const trip = await createTrip(actor, body);
      set.status = 201;
      return single(trip, `${path}/${trip.id}`);
    },
    {
      access: "trips:write",
      body: NewTrip,
      response: { 201: Single(Trip), ...errors(409) },
      detail: {
        operationId: "createTrip",
        summary: "Create a trip",
        description:
          "Creates a trip as a draft. With `gps_logging_enabled` and a `device_id`, the device's positions join it while it is active: a trip that logs without a device never gets a position. A reference to a record that does not exist gives 400, and a device that belongs to a box, which begins its trips aboard, 409 `OwnedByBox`.",
      },
    },
  )
  .patch(
    "/:id",
    async ({ actor, params, body }) =>
      single(await updateTrip(actor, params.id, body), `${path}/${params.id}`),
    {
      access: "trips:write",
      params: IdParams,
      body: TripChange,
      response: { 200: Single(Trip), ...errors(404, 409) },
      detail: {
        operationId: "changeTripOrItsStatus",
        summary: "Change a trip or its status",
        description:
          "Changes the fields that are sent; null clears an optional one. Status: draft → active → paused or completed, paused → active or completed; anything else gives 400 `InvalidStatusTransition`. Activation sets `started_at`, completion `ended_at`. 409 when another active trip with GPS logging runs on the same device, and `OwnedByBox` for a trip or a device that belongs to a box.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await deleteTrip(actor, params.id);
      set.status = 204;
    },
    {
      access: "trips:delete",
      params: IdParams,
      response: { 204: NoContent, ...errors(404, 409) },
      detail: {
        operationId: "deleteTrip",
        summary: "Delete a trip",
        description:
          "Only a draft or completed trip (409 otherwise), and none that belongs to a box (409 `OwnedByBox`). Its log goes with it; its positions stay, with `trip_id` null.",
      },
    },
  )
  .get(
    "/:id/gps",
    ({ params, query, request, visible }) => {
      const asked = pageRequest(query, DEFAULT_POINTS);
      return page(`${path}/${params.id}/gps`, asked, listPointsOfTrip(params.id, asked, visible), request);
    },
    {
      access: { requires: "trips:read", orShare: "history" },
      params: IdParams,
      ...query(t.Object(pageQuery(DEFAULT_POINTS))),
      response: { 200: Page("PositionPage", GpsPoint), ...errors(404) },
      detail: {
        operationId: "listPositionsOfTrip",
        summary: "List the positions of a trip",
        description: "Oldest first by the receiver's time.",
      },
    },
  )
  .get("/:id/history", ({ params, query, visible }) => readList(query, statusHistory(params.id, visible)), {
    access: { requires: "trips:read", orShare: "history" },
    params: IdParams,
    ...query(ListQuery),
    response: { 200: t.Array(StatusChange), ...errors(404) },
    detail: {
      operationId: "listStatusChangesOfTrip",
      summary: "List the status changes of a trip",
      description: "Oldest first. A bare array.",
    },
  });
