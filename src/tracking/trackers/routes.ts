import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { query, t } from "../../kernel/http/schema";
import { CreatedTracker, DeviceParams, NewTracker, Tracker, TrackerChange, TrackerParams } from "./schema";
import { createTracker, deleteTracker, getTracker, listTrackers, updateTracker } from "./service";

const pathOf = (deviceId: string) => `/v1/devices/${deviceId}/trackers`;
const DEFAULT_LIMIT = 20;

export const trackerRoutes = new Elysia({ prefix: "/v1/devices/:id/trackers", tags: ["Trackers"] })
  .use(guard)
  .get(
    "",
    ({ params, query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(pathOf(params.id), asked, listTrackers(params.id, asked), request);
    },
    {
      access: { requires: "devices:read", orShare: "manage" },
      params: DeviceParams,
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("TrackerPage", Tracker), ...errors(404) },
      detail: {
        operationId: "listTrackers",
        summary: "List the trackers of a device",
        description: "The credentials of apps that post positions of a device, newest first.",
      },
    },
  )
  .get(
    "/:tracker_id",
    ({ params }) =>
      single(getTracker(params.id, params.tracker_id), `${pathOf(params.id)}/${params.tracker_id}`),
    {
      access: { requires: "devices:read", orShare: "manage" },
      params: TrackerParams,
      response: { 200: Single(Tracker), ...errors(404) },
      detail: {
        operationId: "getTracker",
        summary: "Get a tracker",
        description:
          "One tracker of a device. `rejected_total` and `last_rejection` tell of what its app sent that became no position, which the app never learns: it would send it again for ever.",
      },
    },
  )
  .post(
    "",
    async ({ actor, params, body, set }) => {
      const tracker = await createTracker(actor, params.id, body);
      set.status = 201;
      return single(tracker, `${pathOf(params.id)}/${tracker.id}`);
    },
    {
      access: { requires: "devices:write", orShare: "manage" },
      params: DeviceParams,
      body: NewTracker,
      response: { 201: Single(CreatedTracker), ...errors(404, 409) },
      detail: {
        operationId: "createTracker",
        summary: "Create a tracker for an app",
        description:
          "Creates a credential with which an app can post positions of the device, and do nothing else, and answers all that sets the app up. Its token is shown only once. Needs the permission `gps:write` too: the tracker acts while its maker holds that and is neither banned nor deleted, and the device is active. A device has at most 50 trackers, and one that belongs to a box none (409). Links and QR codes name `base_url` or `server.public_url`; 409 `PublicUrlNeeded` where that leads other machines to themselves. `send_zones` and `with_encryption` are for OwnTracks (else 400).",
      },
    },
  )
  .patch(
    "/:tracker_id",
    async ({ actor, params, body }) =>
      single(
        await updateTracker(actor, params.id, params.tracker_id, body),
        `${pathOf(params.id)}/${params.tracker_id}`,
      ),
    {
      access: { requires: "devices:write", orShare: "manage" },
      params: TrackerParams,
      body: TrackerChange,
      response: { 200: Single(Tracker), ...errors(404) },
      detail: {
        operationId: "changeTracker",
        summary: "Change a tracker",
        description:
          "Changes the fields that are sent; at least one is required. Effective with the app's next request.",
      },
    },
  )
  .delete(
    "/:tracker_id",
    async ({ actor, params, set }) => {
      await deleteTracker(actor, params.id, params.tracker_id);
      set.status = 204;
    },
    {
      access: { requires: "devices:write", orShare: "manage" },
      params: TrackerParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "deleteTracker",
        summary: "Delete a tracker",
        description: "Its token is refused at once. Positions that it brought stay.",
      },
    },
  );
