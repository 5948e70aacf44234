import { Elysia } from "elysia";
import { errors, List, NoContent, Single } from "../../kernel/http/answers";
import { single } from "../../kernel/http/envelopes";
import { inMemory, list, WholeListQuery } from "../../kernel/http/lists";
import { IdParams, query } from "../../kernel/http/schema";
import { guard } from "../access/guard";
import { ExtendedUser } from "../users/schema";
import { upsertExternalLogin } from "./external-login";
import { AccountParams, EmailParams, ExternalLogin, PlatformAccount } from "./schema";
import { getUserByEmail, listAccounts, makePrimary, unlinkAccount } from "./service";

const path = "/v1/users";
const writes = { requires: "users:write", orSelf: true } as const;

export const accountRoutes = new Elysia({ prefix: path, tags: ["Platform accounts"] })
  .use(guard)
  .get(
    "/:id/accounts",
    ({ params, query, request }) =>
      list(`${path}/${params.id}/accounts`, query, inMemory(listAccounts(params.id)), request),
    {
      access: { requires: "users:read", orSelf: true },
      params: IdParams,
      ...query(WholeListQuery),
      response: { 200: List("PlatformAccountListing", PlatformAccount), ...errors(404) },
      detail: {
        operationId: "listPlatformAccountsOfUser",
        summary: "List platform accounts of a user",
        description: "How the user signs in, newest first.",
      },
    },
  )
  .put(
    "/:id/accounts/:account_id/primary",
    async ({ actor, params }) =>
      single(
        await makePrimary(actor, params.id, params.account_id),
        `${path}/${params.id}/accounts/${params.account_id}`,
      ),
    {
      access: writes,
      params: AccountParams,
      response: { 200: Single(PlatformAccount), ...errors(404) },
      detail: {
        operationId: "makePlatformAccountPrimary",
        summary: "Make a platform account primary",
        description:
          "From now on this account stands for the user: its name, address and picture are shown. A user who holds permissions that the caller doesn't gives 403.",
      },
    },
  )
  .delete(
    "/:id/accounts/:account_id",
    async ({ actor, params, set }) => {
      await unlinkAccount(actor, params.id, params.account_id);
      set.status = 204;
    },
    {
      access: writes,
      params: AccountParams,
      response: { 204: NoContent, ...errors(404, 409) },
      detail: {
        operationId: "unlinkPlatformAccount",
        summary: "Unlink a platform account",
        description:
          "The user can no longer sign in through it. 409 for the email account, for the last remaining one and for the primary one: make another primary first. A user who holds permissions that the caller doesn't gives 403.",
      },
    },
  )
  .post(
    "/oauth",
    async ({ actor, body }) => {
      const user = await upsertExternalLogin(actor, body);
      return single(user, `${path}/${user.id}`);
    },
    {
      access: "system",
      body: ExternalLogin,
      response: { 200: Single(ExtendedUser), ...errors(409) },
      detail: {
        operationId: "noteSignInThroughExternalProvider",
        summary: "Note a sign-in through an external provider",
        description:
          "For the identity web app, once the provider has identified the user. A known platform account is updated with what is sent (null clears; an address of another user's is left out). Otherwise the account is linked to the user known by the address; with `email_verified` false that gives 409, and so does an address that an administrator set and its user hasn't proved yet. Otherwise a user is created, with a username made from `name`. A platform that is not external, and a new user while registration is off, give 400; a platform that is switched off, and a deleted user, 403; an address of a deleted user 409. A banned user is answered with `is_banned` true.",
      },
    },
  )
  .get(
    "/email/:email",
    ({ actor, params }) => {
      const user = getUserByEmail(actor.caller, params.email);
      return single(user, `${path}/${user.id}`);
    },
    {
      access: "authenticated",
      params: EmailParams,
      response: { 200: Single(ExtendedUser), ...errors(403, 404) },
      detail: {
        operationId: "findUserByEmailAddress",
        summary: "Find a user by email address",
        description:
          "The user known by an address that a platform vouches for. A system key, or a holder of `users:read`, may ask for any; a session for an address of its own, and gets 403 for every other, known or not.",
      },
    },
  );
