import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import { CreatedShareLink, NewShareLink, ShareLink } from "./schema";
import { createLink, deleteLink, getLink, listLinks } from "./service";

const path = "/v1/share-links";
const DEFAULT_LIMIT = 20;

export const linkRoutes = new Elysia({ prefix: path, tags: ["Links"] })
  .use(guard)
  .get(
    "",
    ({ query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(path, asked, listLinks(asked), request);
    },
    {
      access: "devices:write",
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("ShareLinkPage", ShareLink) },
      detail: {
        operationId: "listShareLinks",
        summary: "List links",
        description: "The links that have not ended, of all makers, newest first, without their tokens.",
      },
    },
  )
  .get("/:id", ({ params }) => single(getLink(params.id), `${path}/${params.id}`), {
    access: "devices:write",
    params: IdParams,
    response: { 200: Single(ShareLink), ...errors(404) },
    detail: {
      operationId: "getShareLink",
      summary: "Get a link",
      description: "One link, without its token.",
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const link = await createLink(actor, body);
      set.status = 201;
      return single(link, `${path}/${link.id}`);
    },
    {
      access: "devices:write",
      body: NewShareLink,
      response: { 201: Single(CreatedShareLink), ...errors(409) },
      detail: {
        operationId: "createShareLink",
        summary: "Create a link",
        description:
          "Makes a link that shows devices, or a trip, to whoever has it, without an account. Nobody shows more than they see: `live` needs `devices:read` and `gps:read` too, `history` `trips:read` and `geofences:read` as well, and a trip `trips:read`. It shows nothing once whoever made it has lost that, or is banned. It ends at `expires_at`, by `DELETE`, with its trip or its last device, with its maker's account, and with a zone that it hides. It begins with `base_url` or `server.public_url` (409 `PublicUrlNeeded` where that leads other machines to themselves). 409 for more than 1,000 links.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await deleteLink(actor, params.id);
      set.status = 204;
    },
    {
      access: "devices:write",
      params: IdParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "deleteShareLink",
        summary: "Delete a link",
        description: "It shows nothing more, at once: the same 404 as a wrong one. Its sockets are closed.",
      },
    },
  );
