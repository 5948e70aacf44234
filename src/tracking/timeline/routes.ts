import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { requireDevice } from "../../identity/access/visible-devices";
import { errors } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import {
  calendar,
  DeviceStatistics,
  deviceIds,
  fromToOfLastDay,
  Recomputed,
  RecomputedTimelinePage,
  Segment,
  Statistics,
} from "./schema";
import { listTimeline } from "./service";
import { deviceStatistics, fleetStatistics, tripStatistics } from "./statistics";

const LIMIT = 50;

const ANEW =
  "While `recomputing_from` is set, the timeline from then on is being computed anew after late positions: read again when it is null.";
const SPAN = "The span may have 400 days.";

export const timelineRoutes = new Elysia({ tags: ["Timeline"] })
  .use(guard)
  .get(
    "/v1/devices/:id/timeline",
    ({ params, query, request }) => {
      const asked = pageRequest(query, LIMIT);
      const { recomputing_from, ...rows } = listTimeline(params.id, asked, query);
      return { ...page(`/v1/devices/${params.id}/timeline`, asked, rows, request), recomputing_from };
    },
    {
      access: { requires: "gps:read", orShare: "history" },
      params: IdParams,
      ...query(t.Object({ ...pageQuery(LIMIT), ...fromToOfLastDay })),
      response: { 200: RecomputedTimelinePage("TimelinePage", Segment), ...errors(404) },
      detail: {
        operationId: "listTimelineOfDevice",
        summary: "List moves and stops of a device",
        description: `The moves, stops and gaps that touch the span, whole, oldest first: each begins where the one before ends. A stop begins with the oldest position that others stay near to for long enough. Of several positions of one second the first counts. ${SPAN} ${ANEW}`,
      },
    },
  )
  .get(
    "/v1/devices/:id/statistics",
    async ({ params, query }) => {
      const { data, recomputing_from } = await deviceStatistics(params.id, query);
      return { ...single(data, `/v1/devices/${params.id}/statistics`), recomputing_from };
    },
    {
      access: { requires: "gps:read", orShare: "history" },
      params: IdParams,
      ...query(t.Object({ ...fromToOfLastDay, ...calendar })),
      response: { 200: Recomputed(Statistics), ...errors(404) },
      detail: {
        operationId: "getStatisticsOfDevice",
        summary: "Get the statistics of a device",
        description: `Distance, times, speeds, stops, zones and extent of a device's track, in all and by day, week or month. ${SPAN} ${ANEW}`,
      },
    },
  )
  .get(
    "/v1/trips/:id/statistics",
    async ({ params, query, visible }) => {
      const { data, recomputing_from } = await tripStatistics(params.id, query, visible);
      return { ...single(data, `/v1/trips/${params.id}/statistics`), recomputing_from };
    },
    {
      access: { requires: "trips:read", orShare: "history" },
      params: IdParams,
      ...query(
        t.Object({
          from: t.Optional({
            ...fromToOfLastDay.from,
            description:
              "From this time, or the beginning of this day (UTC), on; by default from the first position on",
          }),
          to: t.Optional({
            ...fromToOfLastDay.to,
            description: "Up to this time, or the end of this day (UTC); by default up to the last position",
          }),
          ...calendar,
        }),
      ),
      response: { 200: Recomputed(Statistics), ...errors(404) },
      detail: {
        operationId: "getStatisticsOfTrip",
        summary: "Get the statistics of a trip",
        description: `The same for the times in which the trip's device logged for it, from the trip's first position to its last one. ${SPAN} ${ANEW}`,
      },
    },
  )
  .get(
    "/v1/statistics",
    async ({ actor, query, visible }) => {
      const ids = [...new Set(query.device_ids.toLowerCase().split(","))];
      for (const id of ids) requireDevice(actor.caller, visible, id);
      const { data, recomputing_from } = await fleetStatistics(ids, query);
      return { ...single(data, "/v1/statistics"), recomputing_from };
    },
    {
      access: { requires: "gps:read", orShare: "history" },
      ...query(t.Object({ device_ids: deviceIds, ...fromToOfLastDay, ...calendar })),
      response: {
        200: Recomputed(t.Array(DeviceStatistics, { description: "The devices, in the order asked for" })),
        ...errors(404),
      },
      detail: {
        operationId: "getStatisticsOfDevices",
        summary: "Get the statistics of several devices",
        description: `The same for each of some devices: a fleet's table. A device that does not exist gives 404. ${SPAN} ${ANEW}`,
      },
    },
  );
