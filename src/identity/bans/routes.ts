import { Elysia } from "elysia";
import { Done, errors, List, Single } from "../../kernel/http/answers";
import { single } from "../../kernel/http/envelopes";
import { ListQuery, list } from "../../kernel/http/lists";
import { IdParams, optionalBody, query } from "../../kernel/http/schema";
import { guard } from "../access/guard";
import { Ban, BanStatus, NewBan, PastBan } from "./schema";
import { bansOf, banUser, getBan, unbanUser } from "./service";

const path = "/v1/users";

export const banRoutes = new Elysia({ prefix: path, tags: ["Bans"] })
  .use(guard)
  .get("/:id/ban", ({ params }) => getBan(params.id), {
    access: { requires: "users:read", orSelf: true },
    params: IdParams,
    response: { 200: BanStatus, ...errors(404) },
    detail: {
      operationId: "getUserBan",
      summary: "Get a user's ban",
      description: "Whether the user is banned now, and the ban.",
    },
  })
  .post(
    "/:id/ban",
    async ({ actor, params, body }) =>
      single(await banUser(actor, params.id, body ?? {}), `${path}/${params.id}/ban`),
    {
      access: "users:ban",
      params: IdParams,
      body: optionalBody(NewBan),
      response: { 200: Single(Ban), ...errors(404, 409) },
      detail: {
        operationId: "banUser",
        summary: "Ban a user",
        description:
          "Ends all sessions of the user at once and refuses sign-ins (403 `AccountBanned`) and API keys (401) until the ban ends. Without `duration_seconds` it is permanent. Open sockets hear `accountBanned` and are closed with 4401 five seconds later. 409 for oneself, for the last super admin and for a user who is banned already; 403 for somebody who may do more than the caller.",
      },
    },
  )
  .delete(
    "/:id/ban",
    async ({ actor, params }) => {
      await unbanUser(actor, params.id);
      return { success: true, message: "The user was unbanned" };
    },
    {
      access: "users:ban",
      params: IdParams,
      response: { 200: Done, ...errors(404) },
      detail: {
        operationId: "unbanUser",
        summary: "Unban a user",
        description:
          "Sign-ins and API keys work again; sessions don't come back. 404 when the user is not banned.",
      },
    },
  )
  .get(
    "/:id/bans",
    ({ params, query, request }) => list(`${path}/${params.id}/bans`, query, bansOf(params.id), request),
    {
      access: "users:read",
      params: IdParams,
      ...query(ListQuery),
      response: { 200: List("BanListing", PastBan), ...errors(404) },
      detail: {
        operationId: "listUserBans",
        summary: "List a user's bans",
        description: "All bans, ended ones too, newest first.",
      },
    },
  );
