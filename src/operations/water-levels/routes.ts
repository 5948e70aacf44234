import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, Single } from "../../kernel/http/answers";
import { single } from "../../kernel/http/envelopes";
import type { HookContext } from "../../kernel/http/http";
import { query, t } from "../../kernel/http/schema";
import { historiesOf, historyOf } from "./graph";
import {
  HistoriesQuery,
  HistoryQuery,
  LevelHistory,
  NearbyLevel,
  NearestQuery,
  NearestStation,
  Station,
  StationParams,
  StationsQuery,
} from "./schema";
import { type Answer, listStations, nearbyLevel, nearestStation } from "./service";

/** The header, for the OpenAPI document. */
const MAY_BE_STALE = { "x-headers": ["Warning"] };

/** An older answer carries a warning (RFC 7234, section 5.5.1; rule O3). */
function answer<T>({ body, isStale }: Answer<T>, headers: HookContext["set"]["headers"]): T {
  if (isStale) headers.warning = '110 fairlead "Response is Stale"';
  return body;
}

const ADDRESS = "/v1/pegel";

const KEPT =
  "Levels are kept for `pegel.history_days` (system config), the last one of each quarter of an hour. The source is asked for what is missing, up to 31 days back; without a network the answer has what is kept. The span may have 31 days. 404 for a station that the source doesn't have; 503 when water levels are not configured, or when no answer of the source is kept.";

export const waterLevelRoutes = new Elysia({ prefix: ADDRESS, tags: ["Water levels"] })
  .use(guard)
  .get(
    "/nearest",
    async ({ query, set }) => answer(await nearestStation(query.water, query.radius), set.headers),
    {
      access: "pegel:read",
      ...query(NearestQuery),
      response: { 200: { ...NearestStation, ...MAY_BE_STALE }, ...errors(404, 503) },
      detail: {
        operationId: "getNearestWaterLevel",
        summary: "Get the nearest water level",
        description:
          "The station that is nearest to the newest position of all devices, and its level. 404 when there is no position, or no station within the radius. 503 when water levels are not configured, or when the source does not answer and nothing is cached; a cached answer that is out of date carries a `Warning` header.",
      },
    },
  )
  .get("/nearby", ({ query }) => nearbyLevel(query.water, query.radius), {
    access: "pegel:read",
    ...query(NearestQuery),
    response: { 200: NearbyLevel },
    detail: {
      operationId: "getNearbyWaterLevel",
      summary: "Get the water level near by, if there is one",
      description:
        "The nearest station as above, for whoever shows a level where there is one: without one the answer is 200 too, and says why.",
    },
  })
  .get("/stations", async ({ query, set }) => answer(await listStations(query.water), set.headers), {
    access: "pegel:read",
    ...query(StationsQuery),
    response: { 200: t.Array(Station, MAY_BE_STALE), ...errors(503) },
    detail: {
      operationId: "listWaterLevelStations",
      summary: "List water-level stations",
      description:
        "All stations of the source, or those on one water body. A trend that the source doesn't have is derived from recent measurements, for lists of up to 25 stations. 503 and `Warning` as for the nearest one.",
    },
  })
  .get(
    "/stations/:station_id/history",
    async ({ params, query }) =>
      single(await historyOf(params.station_id, query), `${ADDRESS}/stations/${params.station_id}/history`),
    {
      access: "pegel:read",
      params: StationParams,
      ...query(HistoryQuery),
      response: { 200: Single(LevelHistory), ...errors(404, 503) },
      detail: {
        operationId: "getWaterLevelHistory",
        summary: "Get the past levels of a station",
        description: `The levels of a station over the last days, for a graph: the span in equal steps, with the last level of each. ${KEPT}`,
      },
    },
  )
  .get(
    "/history",
    async ({ query }) => single(await historiesOf(query.station_ids.split(","), query), `${ADDRESS}/history`),
    {
      access: "pegel:read",
      ...query(HistoriesQuery),
      response: {
        200: Single(t.Array(LevelHistory, { description: "The stations, in the order asked for" })),
        ...errors(404, 503),
      },
      detail: {
        operationId: "listWaterLevelHistories",
        summary: "List the past levels of several stations",
        description: `The same for each of some stations: the graphs of a list. ${KEPT}`,
      },
    },
  );
