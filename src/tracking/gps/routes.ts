import { Elysia } from "elysia";
import { guard, type RateRule } from "../../identity/access/guard";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { inMemory, readList, WholeListQuery } from "../../kernel/http/lists";
import { IdParams, query, t } from "../../kernel/http/schema";
import { systemValue } from "../../runtime-settings/service";
import { CurrentQuery, GpsFilter, GpsPoint, NewGpsPoint } from "./schema";
import {
  currentPosition,
  currentPositions,
  deletePoint,
  getPoint,
  listPoints,
  recordPosition,
} from "./service";

const path = "/v1/gps";
const DEFAULT_LIMIT = 10;

const writeLimit: RateRule = {
  name: "gps",
  rate: () => ({
    requests: systemValue("gps.rate_limit_requests"),
    seconds: systemValue("gps.rate_limit_window_seconds"),
  }),
};

export const gpsRoutes = new Elysia({ prefix: path, tags: ["GPS data"] })
  .use(guard)
  .get(
    "",
    ({ query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(path, asked, listPoints(asked, query), request);
    },
    {
      access: "gps:read",
      ...query(t.Object({ ...pageQuery(DEFAULT_LIMIT), ...GpsFilter.properties })),
      response: { 200: Page("PositionPage", GpsPoint) },
      detail: {
        operationId: "listPositions",
        summary: "List positions",
        description:
          "Positions, newest first by the receiver's time: all of them, or those of a device, or those between two times of the receiver. A day's track of a device is `?device_id=…&from=2026-05-04&to=2026-05-04`. A device that does not exist has none. The cost of pages and totals does not grow with the number of positions, except within the quarters of an hour in which the page, `from` and `to` fall.",
      },
    },
  )
  .get(
    "/current",
    ({ query: { device_id } }) =>
      single(
        currentPosition(device_id ?? null),
        device_id ? `${path}/current?device_id=${device_id}` : `${path}/current`,
      ),
    {
      access: "gps:read",
      ...query(CurrentQuery),
      response: { 200: Single(GpsPoint), ...errors(404) },
      detail: {
        operationId: "getCurrentPosition",
        summary: "Get the current position",
        description:
          "The newest position of a device, or of all. Kept in memory for 5 minutes; a new or deleted position refreshes it at once. 404 when there is none.",
      },
    },
  )
  .get("/current/devices", ({ query }) => readList(query, inMemory(currentPositions())), {
    access: "gps:read",
    ...query(WholeListQuery),
    response: { 200: t.Array(GpsPoint) },
    detail: {
      operationId: "getCurrentPositionOfEachDevice",
      summary: "Get the current position of each device",
      description: "The newest position of every device that has one, newest first. A bare array.",
    },
  })
  .get("/:id", ({ params }) => single(getPoint(params.id), `${path}/${params.id}`), {
    access: "gps:read",
    params: IdParams,
    response: { 200: Single(GpsPoint), ...errors(404) },
    detail: {
      operationId: "getPosition",
      summary: "Get a position",
      description: "One position by its identifier.",
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const point = await recordPosition(actor.caller, body);
      set.status = 201;
      return single(point, `${path}/${point.id}`);
    },
    {
      access: { requires: "gps:write", limit: writeLimit },
      body: NewGpsPoint,
      response: { 201: Single(GpsPoint) },
      detail: {
        operationId: "postPosition",
        summary: "Post a position",
        description:
          "Stores a position, joins it to the device's active trip with GPS logging, broadcasts it as `gpsUpdate`, and sends a `geofenceEvent` for each zone that the device entered or left. A position posted with an API key that is linked to a device belongs to that device; with any other credential it has none, unless the caller holds `devices:write` and names one by `device_id` (400 if there is no such device). One older than the device's newest is stored and broadcast but evaluates no zone. Limited to 30 requests per 60 seconds and credential unless the system config says otherwise.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await deletePoint(actor, params.id);
      set.status = 204;
    },
    {
      access: "gps:delete",
      params: IdParams,
      response: { 204: NoContent, ...errors(404, 409) },
      detail: {
        operationId: "deletePosition",
        summary: "Delete a position",
        description: "409 when the position is linked to a trip.",
      },
    },
  );
