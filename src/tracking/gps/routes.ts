import { Elysia } from "elysia";
import { guard, type RateRule } from "../../identity/access/guard";
import { errors, NoContent, Page, Single, unchecked } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single, singleOfText } from "../../kernel/http/envelopes";
import { inMemory, readList, WholeListQuery } from "../../kernel/http/lists";
import { IdParams, query, t, uncopied } from "../../kernel/http/schema";
import { checkChanged } from "../../kernel/http/validation";
import { systemValue } from "../../runtime-settings/service";
import { recordBatch } from "../ingest/batch";
import { idempotencyOf } from "../ingest/idempotency";
import { recordPosition } from "../ingest/record";
import { BatchAnswer, GpsPoint, NewBatch, NewGpsPoint, PointChange } from "../ingest/schema";
import { CurrentQuery, GpsFilter } from "./schema";
import { currentPosition, currentPositions, deletePoint, getPoint, listPoints, markPoint } from "./service";

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
    ({ query: { device_id }, visible }) =>
      single(
        currentPosition(device_id ?? null, visible),
        device_id ? `${path}/current?device_id=${device_id}` : `${path}/current`,
      ),
    {
      access: { requires: "gps:read", orShare: "now" },
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
  .get("/current/devices", ({ query, visible }) => readList(query, inMemory(currentPositions(visible))), {
    access: { requires: "gps:read", orShare: "now" },
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
    async ({ actor, body, request, set }) => {
      const idempotency = idempotencyOf(request, actor.caller.id, body);
      const { point, json } = await recordPosition(actor.caller, body, idempotency);
      set.status = 201;
      return singleOfText<GpsPoint>(json, `${path}/${point.id}`);
    },
    {
      access: { requires: "gps:write", limit: writeLimit },
      body: uncopied(NewGpsPoint),
      response: { 201: unchecked(Single(GpsPoint)), ...errors(409, 422) },
      detail: {
        operationId: "postPosition",
        parameters: [
          {
            name: "Idempotency-Key",
            in: "header",
            required: false,
            description:
              "A name of this request, unique among yours. Sent again within 24 hours, it gets the first answer and stores nothing",
            schema: { type: "string", minLength: 1, maxLength: 255, examples: ["5f1c9a02-voyage-118"] },
          },
        ],
        summary: "Post a position",
        description:
          "Stores a position, joins it to the device's active trip with GPS logging, broadcasts it as `gpsUpdate`, and sends a `geofenceEvent` for each zone that the device entered or left. A position posted with an API key that is linked to a device belongs to that device; with any other credential it has none, unless the caller holds `devices:write` and names one by `device_id` (400 if there is no such device). One older than the device's newest is stored and broadcast but evaluates no zone. A request that repeats an `Idempotency-Key` of the last 24 hours stores nothing and gets the first answer; 422 if its body is another. A device that belongs to a box gets its positions from there alone (409 `OwnedByBox`). Limited to 30 requests per 60 seconds and credential unless the system config says otherwise.",
      },
    },
  )
  .post("/batch", ({ actor, body }) => recordBatch(actor.caller, body), {
    access: { requires: "gps:write", body: { values: 32_000 } },
    body: NewBatch,
    response: { 200: BatchAnswer, ...errors(409, 429) },
    detail: {
      operationId: "postPositions",
      summary: "Post many positions",
      description:
        "Stores up to 1,000 positions of one device, such as a buffer that was filled without a connection. Their order does not matter: each joins the trip for which the device logged at its time, also when that is completed by now. A device has at most one position a second this way: sending a batch again does no harm. Positions that are older than the device's newest are told of together, by `gpsLate` to extended subscriptions; of the others the newest 100 are broadcast as `gpsUpdate`. A device that belongs to a box gets its positions from there alone (409 `OwnedByBox`). Limited to 6,000 positions a minute and credential unless the system config says otherwise.",
    },
  })
  .patch(
    "/:id",
    async ({ actor, body, params }) => {
      checkChanged(body);
      return single(await markPoint(actor, params.id, body.is_outlier === true), `${path}/${params.id}`);
    },
    {
      access: "gps:delete",
      params: IdParams,
      body: PointChange,
      response: { 200: Single(GpsPoint), ...errors(404, 409) },
      detail: {
        operationId: "markPosition",
        summary: "Mark a position as an outlier",
        description:
          "An outlier stays stored and is shown with its mark, and counts for no track, distance, zone or current position. 409 `OwnedByBox` for what belongs to a box.",
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
        description: "409 when the position is linked to a trip, and `OwnedByBox` when it belongs to a box.",
      },
    },
  );
