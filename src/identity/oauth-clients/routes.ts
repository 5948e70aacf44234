import { Elysia } from "elysia";
import { errors, List, NoContent, Single } from "../../kernel/http/answers";
import { single } from "../../kernel/http/envelopes";
import { list, listQuery } from "../../kernel/http/lists";
import { IdParams, optionalBody, query, t } from "../../kernel/http/schema";
import { guard } from "../access/guard";
import { NEEDS_RECENT_SIGN_IN, Proof } from "../proof/schema";
import { countProof } from "../reauthentication/limits";
import {
  CreatedOAuthClient,
  NewOAuthClient,
  OAuthClient,
  OAuthClientChange,
  RegeneratedSecret,
} from "./schema";
import {
  allClients,
  createClient,
  deleteClient,
  getClient,
  ownClients,
  regenerateSecret,
  updateClient,
} from "./service";

const path = "/v1/oauth/clients";

/** A session manages its user's clients; a key needs the permission. */
const reads = { requires: "oauth_clients:read", orSession: true } as const;
const writes = { requires: "oauth_clients:write", orSession: true } as const;

/** Number of clients in a list without `page` and `limit`. */
const LISTED = 100;
const ClientQuery = t.Object(listQuery(LISTED));

export const oauthClientRoutes = new Elysia({ prefix: path, tags: ["OAuth clients"] })
  .use(guard)
  .get("", ({ actor, query, request }) => list(path, query, ownClients(actor.caller), request, LISTED), {
    access: reads,
    ...query(ClientQuery),
    response: { 200: List("OAuthClientListing", OAuthClient) },
    detail: {
      operationId: "listOwnOAuthClients",
      summary: "List the caller's OAuth clients",
      description: "The caller's clients, newest first.",
    },
  })
  .get("/all", ({ query, request }) => list(`${path}/all`, query, allClients, request, LISTED), {
    access: "admin",
    ...query(ClientQuery),
    response: { 200: List("OAuthClientListing", OAuthClient) },
    detail: {
      operationId: "listAllOAuthClients",
      summary: "List all OAuth clients",
      description: "Everybody's clients, newest first.",
    },
  })
  .get("/:id", ({ actor, params }) => single(getClient(actor.caller, params.id), `${path}/${params.id}`), {
    access: reads,
    params: IdParams,
    response: { 200: Single(OAuthClient), ...errors(403, 404) },
    detail: {
      operationId: "getOAuthClient",
      summary: "Get an OAuth client",
      description:
        "For its owner and administrators; else 403. An API key is its owner's where it holds the permission.",
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      countProof(actor, body, set.headers);
      const created = await createClient(actor, body);
      set.status = 201;
      set.headers.location = `${path}/${created.client.id}`;
      return created;
    },
    {
      access: writes,
      body: NewOAuthClient,
      response: { 201: CreatedOAuthClient, ...errors(403, 409, 429) },
      detail: {
        operationId: "createOAuthClient",
        summary: "Create an OAuth client",
        description: `Registers an application of the caller's. The secret of a confidential client is shown only once; a public one has none. Redirect URIs must be absolute and without fragment: https, http on the device itself, or a private scheme (RFC 6749, RFC 8252). \`is_first_party\` needs a super admin (403), \`approved_scopes\` an administrator (403); they are single permissions of the catalogue among \`allowed_scopes\` (400). A client stores at most 16 KiB (400), and a user has at most \`oauth.max_clients_per_user\` of them (409). Of one with \`is_first_party\` or \`approved_scopes\`: ${NEEDS_RECENT_SIGN_IN.replace("Where", "where")}`,
      },
    },
  )
  .patch(
    "/:id",
    async ({ actor, params, body, set }) => {
      countProof(actor, body, set.headers);
      return single(await updateClient(actor, params.id, body), `${path}/${params.id}`);
    },
    {
      access: writes,
      params: IdParams,
      body: OAuthClientChange,
      response: { 200: Single(OAuthClient), ...errors(403, 404, 429) },
      detail: {
        operationId: "changeOAuthClient",
        summary: "Change an OAuth client",
        description: `Changes the fields that are sent; null clears an optional one. For its owner and administrators. A client that becomes public loses its secret; one that becomes confidential gets one by regeneration; in either case, and when it is switched off, all its tokens end. \`approved_scopes\` is for administrators (403); a scope that leaves \`allowed_scopes\` loses its approval. Tokens follow all of this at once. A client stores at most 16 KiB (400). An email tells the owner of other redirect URIs and another type. Of these, of \`is_first_party\` and of further \`approved_scopes\`: ${NEEDS_RECENT_SIGN_IN.replace("Where", "where")}`,
      },
    },
  )
  .post(
    "/:id/regenerate-secret",
    ({ actor, params, body, set }) => {
      countProof(actor, body ?? {}, set.headers);
      return regenerateSecret(actor, params.id, body ?? {});
    },
    {
      access: writes,
      params: IdParams,
      body: optionalBody(Proof),
      response: { 200: RegeneratedSecret, ...errors(400, 403, 404, 429) },
      detail: {
        operationId: "regenerateSecretOfOAuthClient",
        summary: "Regenerate the secret of an OAuth client",
        description: `Shows the new secret only once; the former one is invalid at once, and an email tells the client's owner. 400 for a public client. For its owner and administrators. ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await deleteClient(actor, params.id);
      set.status = 204;
    },
    {
      access: writes,
      params: IdParams,
      response: { 204: NoContent, ...errors(403, 404) },
      detail: {
        operationId: "deleteOAuthClient",
        summary: "Delete an OAuth client",
        description: "For its owner and administrators.",
      },
    },
  );
