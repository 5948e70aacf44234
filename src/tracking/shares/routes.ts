import { Elysia } from "elysia";
import { sessionActor } from "../../identity/access/actor";
import { guard } from "../../identity/access/guard";
import { errors, List, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import { DeviceShare, NewShare, ShareParams } from "./schema";
import { endShare, getShare, listShares, putShare, sharesNow } from "./service";

const pathOf = (deviceId: string) => `/v1/devices/${deviceId}/shares`;
const DEFAULT_LIMIT = 20;

const ownPath = "/v1/users/me/shares";

/** The shares of devices with the caller. */
export const ownShareRoutes = new Elysia({ prefix: ownPath, tags: ["Shares"] }).use(guard).get(
  "",
  ({ actor }) => ({
    data: sharesNow(sessionActor(actor).caller.userId),
    _links: { self: ownPath },
  }),
  {
    access: "session",
    response: { 200: List("DeviceShareListing", DeviceShare) },
    detail: {
      operationId: "listOwnShares",
      summary: "List the shares with the caller",
      description:
        "The devices that the user of the session sees by shares, by device, each with its level. A share that has ended or shows nothing any more is left out.",
    },
  },
);

export const shareRoutes = new Elysia({ prefix: "/v1/devices/:id/shares", tags: ["Shares"] })
  .use(guard)
  .get(
    "",
    ({ params, query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(pathOf(params.id), asked, listShares(params.id, asked), request);
    },
    {
      access: { requires: "devices:write", orShare: "manage" },
      params: IdParams,
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("DeviceSharePage", DeviceShare), ...errors(404) },
      detail: {
        operationId: "listShares",
        summary: "List the shares of a device",
        description:
          "The users with whom a device is shared, in the order in which their accounts were made.",
      },
    },
  )
  .get(
    "/:user_id",
    ({ params: { id, user_id } }) => single(getShare(id, user_id), `${pathOf(id)}/${user_id}`),
    {
      access: { requires: "devices:write", orShare: "manage" },
      params: ShareParams,
      response: { 200: Single(DeviceShare), ...errors(404) },
      detail: {
        operationId: "getShare",
        summary: "Get a share",
        description: "The share of one user in a device.",
      },
    },
  )
  .put(
    "/:user_id",
    async ({ actor, params: { id, user_id }, body, set }) => {
      const { share, isNew } = await putShare(actor, id, user_id, body);
      set.status = isNew ? 201 : 200;
      return single(share, `${pathOf(id)}/${user_id}`);
    },
    {
      access: { requires: "devices:write", orShare: "manage" },
      params: ShareParams,
      body: NewShare,
      response: { 200: Single(DeviceShare), 201: Single(DeviceShare), ...errors(404, 409) },
      detail: {
        operationId: "shareDevice",
        summary: "Share a device with a user",
        description:
          "Shows a device to a user who may not see all, or changes what is shown. It counts for sessions of that user alone, not for API keys. Nobody shares more, or longer, than they hold: `now` needs `devices:read` and `gps:read`, `history` `trips:read` and `geofences:read` too, `manage` `gps:write`, `alerts:read` and `alerts:write` as well, or a share of the level `manage`. A share shows nothing once whoever made it has lost that. A device is shared with at most 500 users (409).",
      },
    },
  )
  .delete(
    "/:user_id",
    async ({ actor, params: { id, user_id }, set }) => {
      await endShare(actor, id, user_id);
      set.status = 204;
    },
    {
      access: { requires: "devices:write", orShare: "manage" },
      params: ShareParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "endShare",
        summary: "End a share",
        description: "The user sees the device no more, at once; subscriptions to it end.",
      },
    },
  );
