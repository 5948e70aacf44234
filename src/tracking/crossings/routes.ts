import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import { recomputingFrom, recomputingOf } from "../geofences/spans";
import {
  DeviceInside,
  EventFilter,
  GeofenceEvent,
  GeofencePresence,
  PresenceFilter,
  RecomputedPage,
  Visit,
} from "./schema";
import { getEvent, listDevicesInside, listEvents, listPresence, listVisits } from "./service";

const path = "/v1/geofence-events";
const PRESENCE = "/v1/geofence-presence";
const EVENTS = 50;
const OTHERS = 20;

const ANEW =
  "While `recomputing_from` is set, crossings from then on are being computed anew after late positions: read again when it is null.";

export const crossingRoutes = new Elysia({ tags: ["Geofences"] })
  .use(guard)
  .get(
    path,
    ({ query, request, visible }) => {
      const asked = pageRequest(query, EVENTS);
      return {
        ...page(path, asked, listEvents(asked, query, visible), request),
        recomputing_from: recomputingOf(visible, query.device_id),
      };
    },
    {
      access: { requires: "geofences:read", orShare: "history" },
      ...query(t.Object({ ...pageQuery(EVENTS), ...EventFilter.properties })),
      response: { 200: RecomputedPage("GeofenceEventPage", GeofenceEvent) },
      detail: {
        operationId: "listCrossings",
        summary: "List crossings of zones",
        description: `The crossings that hold, newest first by the receiver's time; with filters, those that match all of them. They are kept for \`geofence.event_retention_days\`, and stay when their zone or device is deleted. ${ANEW}`,
      },
    },
  )
  .get(`${path}/:id`, ({ params, visible }) => single(getEvent(params.id, visible), `${path}/${params.id}`), {
    access: { requires: "geofences:read", orShare: "history" },
    params: IdParams,
    response: { 200: Single(GeofenceEvent), ...errors(404) },
    detail: {
      operationId: "getCrossing",
      summary: "Get a crossing",
      description: "One crossing by its identifier, also one that was superseded.",
    },
  })
  .get(
    PRESENCE,
    ({ query, request, visible }) => {
      const asked = pageRequest(query, OTHERS);
      return {
        ...page(PRESENCE, asked, listPresence(asked, query, visible), request),
        recomputing_from: recomputingOf(visible, query.device_id),
      };
    },
    {
      access: { requires: "geofences:read", orShare: "history" },
      ...query(t.Object({ ...pageQuery(OTHERS), ...PresenceFilter.properties })),
      response: { 200: RecomputedPage("GeofencePresencePage", GeofencePresence) },
      detail: {
        operationId: "listPresence",
        summary: "List the zones that devices are in",
        description: `Each device with each zone that it is inside now, device by device; with filters, those of one device or one zone. ${ANEW}`,
      },
    },
  )
  .get(
    "/v1/geofences/:id/devices",
    ({ params, query, request }) => {
      const asked = pageRequest(query, OTHERS);
      const here = `/v1/geofences/${params.id}/devices`;
      return {
        ...page(here, asked, listDevicesInside(params.id, asked), request),
        recomputing_from: recomputingFrom(),
      };
    },
    {
      access: "geofences:read",
      params: IdParams,
      ...query(t.Object(pageQuery(OTHERS))),
      response: { 200: RecomputedPage("DeviceInsidePage", DeviceInside), ...errors(404) },
      detail: {
        operationId: "listDevicesInZone",
        summary: "List devices in a zone",
        description: `The devices that are inside the zone now, the one that came last first. ${ANEW}`,
      },
    },
  )
  .get(
    "/v1/geofences/:id/visits",
    ({ params, query, request }) => {
      const asked = pageRequest(query, OTHERS);
      const here = `/v1/geofences/${params.id}/visits`;
      return {
        ...page(here, asked, listVisits(params.id, asked), request),
        recomputing_from: recomputingFrom(),
      };
    },
    {
      access: "geofences:read",
      params: IdParams,
      ...query(t.Object(pageQuery(OTHERS))),
      response: { 200: RecomputedPage("GeofenceVisitPage", Visit), ...errors(404) },
      detail: {
        operationId: "listVisitsOfZone",
        summary: "List visits of a zone",
        description: `The stays of devices in the zone, newest first. A zone that gets another shape or other rules ends them, and begins new ones. ${ANEW}`,
      },
    },
  );
