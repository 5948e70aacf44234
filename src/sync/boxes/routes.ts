import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, optionalBody, query, t } from "../../kernel/http/schema";
import { Box, BoxChange, CreatedBox, NewBox, NewBoxToken } from "./schema";
import { createBox, deleteBox, getBox, listBoxes, resyncBox, rotateToken, updateBox } from "./service";

const path = "/v1/sync/boxes";
const DEFAULT_LIMIT = 20;

export const boxRoutes = new Elysia({ prefix: path, tags: ["Boxes"] })
  .use(guard)
  .get(
    "",
    ({ query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(path, asked, listBoxes(asked), request);
    },
    {
      access: "sync:manage",
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("BoxPage", Box) },
      detail: {
        operationId: "listBoxes",
        summary: "List boxes",
        description: "The servers aboard that send what they keep to this one, newest first.",
      },
    },
  )
  .get("/:id", ({ params }) => single(getBox(params.id), `${path}/${params.id}`), {
    access: "sync:manage",
    params: IdParams,
    response: { 200: Single(Box), ...errors(404) },
    detail: {
      operationId: "getBox",
      summary: "Get a box",
      description:
        "One box, with its last contact, its backlog and its clock as it told them last, and the zones and rules that are handed to it.",
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const box = await createBox(actor, body);
      set.status = 201;
      return single(box, `${path}/${box.id}`);
    },
    {
      access: "sync:manage",
      body: NewBox,
      response: { 201: Single(CreatedBox), ...errors(409) },
      detail: {
        operationId: "createBox",
        summary: "Create a box",
        description:
          "Creates the credential by which a server aboard sends what it keeps, and can do nothing else, and answers the lines for its configuration. The token is shown only once. It is the installation's: it stays when whoever made it leaves. What the box sends is read here as all else, with its `box_id`, and is changed aboard alone (409 `OwnedByBox` here). The lines name `base_url` or `server.public_url`; 409 `PublicUrlNeeded` where that leads other machines to themselves. There are at most 2,000 boxes (409).",
      },
    },
  )
  .patch(
    "/:id",
    async ({ actor, params, body }) =>
      single(await updateBox(actor, params.id, body), `${path}/${params.id}`),
    {
      access: "sync:manage",
      params: IdParams,
      body: BoxChange,
      response: { 200: Single(Box), ...errors(404) },
      detail: {
        operationId: "changeBox",
        summary: "Rename a box",
        description: "Changes the fields that are sent; at least one is required.",
      },
    },
  )
  .post(
    "/:id/rotate-token",
    async ({ actor, params, body }) =>
      single(await rotateToken(actor, params.id, body ?? {}), `${path}/${params.id}`),
    {
      access: "sync:manage",
      params: IdParams,
      body: optionalBody(NewBoxToken),
      response: { 200: Single(CreatedBox), ...errors(404, 409) },
      detail: {
        operationId: "rotateTokenOfBox",
        summary: "Give a box another token",
        description:
          "Makes a new token, shown only once; the former one is refused at once. What the box has sent stays its own, and it goes on from there: for a box whose token is lost or known to others, and for one that was replaced and restored from its backup. 409 `PublicUrlNeeded` as for a new one.",
      },
    },
  )
  .post(
    "/:id/resync",
    async ({ actor, params }) => single(await resyncBox(actor, params.id), `${path}/${params.id}`),
    {
      access: "sync:manage",
      params: IdParams,
      response: { 200: Single(Box), ...errors(404) },
      detail: {
        operationId: "resyncBox",
        summary: "Have a box send everything again",
        description:
          "From its next request on, at the latest after 15 minutes with a link, the box sends all that it keeps again, alerts and trips before older positions: for rows that are missing here, or that somebody else sent with its token. Each row is put right where it differs and none is stored twice. What the box doesn't have any more stays.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await deleteBox(actor, params.id);
      set.status = 204;
    },
    {
      access: "sync:manage",
      params: IdParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "deleteBox",
        summary: "Delete a box",
        description:
          "Its token is refused at once. What it sent stays and is this server's own from then on, with `box_id` null: it can be changed and deleted here. Its open alerts are cleared, a device's `external_id` that another device here has goes, and the boat keeps the zones and rules that it was handed, as its own, once `sync.url` is taken out there. A box that is made anew can't take these rows back: to renew a token, rotate it.",
      },
    },
  );
