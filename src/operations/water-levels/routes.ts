import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors } from "../../kernel/http/answers";
import type { HookContext } from "../../kernel/http/http";
import { query, t } from "../../kernel/http/schema";
import { NearbyLevel, NearestQuery, NearestStation, Station, StationsQuery } from "./schema";
import { type Answer, listStations, nearbyLevel, nearestStation } from "./service";

/** The header, for the OpenAPI document. */
const MAY_BE_STALE = { "x-headers": ["Warning"] };

/** An older answer carries a warning (RFC 7234, section 5.5.1; rule O3). */
function answer<T>({ body, isStale }: Answer<T>, headers: HookContext["set"]["headers"]): T {
  if (isStale) headers.warning = '110 fairlead "Response is Stale"';
  return body;
}

export const waterLevelRoutes = new Elysia({ prefix: "/v1/pegel", tags: ["Water levels"] })
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
  });
