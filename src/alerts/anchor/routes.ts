import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import { AnchorDrop, AnchorTest, AnchorWatch } from "./schema";
import { dropAnchor, getWatch, listWatches, raiseAnchor, testWatch } from "./service";

const pathOf = (id: string) => `/v1/devices/${id}/anchor`;

const listPath = "/v1/anchor-watches";
const DEFAULT_LIMIT = 20;

/** All watches at once, for whoever shows which boats lie at anchor. */
export const anchorListRoutes = new Elysia({ prefix: listPath, tags: ["Anchor watch"] }).use(guard).get(
  "",
  ({ query, request, visible }) => {
    const asked = pageRequest(query, DEFAULT_LIMIT);
    return page(listPath, asked, listWatches(asked, visible), request);
  },
  {
    access: { requires: "alerts:read", orShare: "manage" },
    ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
    response: { 200: Page("AnchorWatchPage", AnchorWatch) },
    detail: {
      operationId: "listAnchorWatches",
      summary: "List anchor watches",
      description: "The anchor watches that are set, the newest first, each with where its boat lies.",
    },
  },
);

export const anchorRoutes = new Elysia({ prefix: "/v1/devices/:id/anchor", tags: ["Anchor watch"] })
  .use(guard)
  .get("", ({ params }) => single(getWatch(params.id), pathOf(params.id)), {
    access: { requires: "alerts:read", orShare: "manage" },
    params: IdParams,
    response: { 200: Single(AnchorWatch), ...errors(404) },
    detail: {
      operationId: "getAnchorWatch",
      summary: "Get the anchor watch",
      description: "The watch over a device at anchor, and where the boat lies. 404 while none is set.",
    },
  })
  .put(
    "",
    async ({ actor, params, body }) => single(await dropAnchor(actor, params.id, body), pathOf(params.id)),
    {
      access: { requires: "alerts:write", orShare: "manage" },
      params: IdParams,
      body: AnchorDrop,
      response: { 200: Single(AnchorWatch), ...errors(404, 409) },
      detail: {
        operationId: "setAnchorWatch",
        summary: "Set the anchor watch",
        description:
          "Watches over the boat from now on: beyond `radius_m` an alarm is raised, beyond `warning_radius_m` a warning, and an alarm of its own when no position arrives for `silence_seconds`, whatever the reason. The watch survives a restart of the server. The anchor lies at `latitude` and `longitude`, or in the direction and at the distance that are given from the newest position, or there; set again without a place, it stays where it is. A watch that is set again keeps its history: `dropped_at`, `max_distance_m` and its alerts. 409 for a device without a position, unless the place is given. Needs `alerts:read` and `gps:read` too.",
      },
    },
  )
  .delete(
    "",
    async ({ actor, params, set }) => {
      await raiseAnchor(actor, params.id);
      set.status = 204;
    },
    {
      access: { requires: "alerts:write", orShare: "manage" },
      params: IdParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "endAnchorWatch",
        summary: "End the anchor watch",
        description:
          "The anchor is raised: nothing is watched any more, and open alerts of the watch are cleared.",
      },
    },
  )
  .post(
    "/test",
    async ({ actor, params }) =>
      single({ deliveries: await testWatch(actor, params.id) }, `${pathOf(params.id)}/test`),
    {
      access: { requires: "alerts:write", orShare: "manage" },
      params: IdParams,
      response: { 200: Single(AnchorTest), ...errors(404) },
      detail: {
        operationId: "testAnchorWatch",
        summary: "Test the anchor watch",
        description:
          "Sends a test to all targets that would be told of an alarm, on the same way, and answers once each delivery has ended, or after ten seconds.",
      },
    },
  );
