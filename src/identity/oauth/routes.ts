import { Elysia } from "elysia";
import { config } from "../../configuration/config";
import { AppError } from "../../kernel/errors/errors";
import { errors } from "../../kernel/http/answers";
import { type Fields, readForm } from "../../kernel/http/form";
import { t } from "../../kernel/http/schema";
import { guard, type RateRule } from "../access/guard";
import { invalidRequest } from "./errors";
import { issuerOf } from "./issuer";
import { publishedKeys } from "./keys";
import { metadataOf } from "./metadata";
import { revokeToken } from "./revocation";
import {
  ClientRefused,
  InsufficientScope,
  KeySet,
  OAuthErrorBody,
  RevocationForm,
  ServerMetadata,
  TokenForm,
  TokenResponse,
  UserInfo,
} from "./schema";
import { answerTokenRequest } from "./token";
import { userInfo } from "./userinfo";

/** The form of a request. What is wrong with it is told in the words of OAuth; its size and its type in those of HTTP. */
const formOf = (request: Request): Promise<Fields> =>
  readForm(request).catch((error) => {
    throw error instanceof AppError && error.status === 400 ? invalidRequest(error.message) : error;
  });

const FORM = ["application/x-www-form-urlencoded"];

/** Requests of one address to what strangers may ask: a secret can't be guessed, but each costs a look into the database. */
const limit: RateRule = { name: "oauth", rate: () => config["rate_limit.oauth"] };

/** Time for which clients may remember the keys and the facts, in seconds. */
const REMEMBERED = "public, max-age=300";

const refusals = { 400: OAuthErrorBody, 401: ClientRefused };

const metadata = {
  open: true,
  response: { 200: ServerMetadata },
} as const;

/** The endpoints that clients call; those that a browser is sent to are pages: see bridge/authorize. */
export const oauthRoutes = new Elysia({ tags: ["OAuth and OpenID Connect"] })
  .use(guard)
  .get(
    "/.well-known/openid-configuration",
    ({ request, set }) => {
      set.headers["cache-control"] = REMEMBERED;
      return metadataOf(issuerOf(request));
    },
    {
      ...metadata,
      detail: {
        operationId: "getOpenIdConfiguration",
        summary: "Read the OpenID Connect configuration",
        description:
          "The addresses and abilities of this server, for OpenID Connect clients (Discovery 1.0). The issuer is `server.public_url`, or the address of the request where that isn't configured. A browser is sent to `authorization_endpoint` (RFC 6749, section 4.1.1; PKCE with S256 is required) and `end_session_endpoint` (RP-Initiated Logout 1.0): `docs/sign-in.md` has their parameters.",
      },
    },
  )
  .get(
    "/.well-known/oauth-authorization-server",
    ({ request, set }) => {
      set.headers["cache-control"] = REMEMBERED;
      return metadataOf(issuerOf(request));
    },
    {
      ...metadata,
      detail: {
        operationId: "getAuthorizationServerMetadata",
        summary: "Read the OAuth server metadata",
        description: "The same for OAuth clients (RFC 8414).",
      },
    },
  )
  .get(
    "/oauth/jwks",
    ({ set }) => {
      set.headers["cache-control"] = REMEMBERED;
      return publishedKeys();
    },
    {
      open: { limit },
      response: { 200: KeySet },
      detail: {
        operationId: "getSigningKeys",
        summary: "Read the keys of ID tokens",
        description:
          "Keys change every 90 days: the next one is here a day before it signs, the last one for a week after.",
      },
    },
  )
  .post(
    "/oauth/token",
    async ({ actor, request, set }) => {
      const tokens = await answerTokenRequest(actor, request, await formOf(request));
      set.headers.pragma = "no-cache";
      return tokens;
    },
    {
      open: { limit },
      response: { 200: TokenResponse, ...refusals, ...errors(413, 415) },
      detail: {
        operationId: "requestTokens",
        summary: "Get tokens",
        description:
          "Exchanges a code (once, within 60 seconds, with the verifier of PKCE), or a refresh token (once), for tokens; or lets a confidential client act for itself, as its owner's API key with the approved scopes would. An access token lasts 15 minutes. A code or a refresh token that comes twice ends all tokens of that sign-in. A client authenticates by Basic, by `client_secret` in the form, or, if public, by `client_id` alone.",
        "x-body": { types: FORM, schema: TokenForm, required: true },
      } as object,
    },
  )
  .get("/oauth/userinfo", ({ actor }) => userInfo(actor.caller), {
    access: { requires: "openid", limit },
    response: { 200: UserInfo, 403: InsufficientScope },
    detail: {
      operationId: "getUserInfo",
      summary: "Read claims about the user",
      description:
        "The claims that the scopes of the access token show: `profile` and `email` beside `openid`.",
    },
  })
  .post("/oauth/userinfo", ({ actor }) => userInfo(actor.caller), {
    access: { requires: "openid", limit },
    response: { 200: UserInfo, 403: InsufficientScope },
    detail: {
      operationId: "postForUserInfo",
      summary: "Read claims about the user, by POST",
      description: "The same as by GET. The access token comes in the header; a body is not read.",
    },
  })
  .post(
    "/oauth/revoke",
    async ({ actor, request }) => {
      await revokeToken(actor, request, await formOf(request));
    },
    {
      open: { limit },
      response: {
        200: t.Void({ description: "The token has ended, or was none; the body is empty" }),
        ...refusals,
        ...errors(413, 415),
      },
      detail: {
        operationId: "revokeToken",
        summary: "End a token",
        description:
          "Ends an access token, or a refresh token with all tokens of that sign-in (RFC 7009). The client authenticates as for tokens. A token that is unknown is no error; one of another client is 400 `invalid_grant`.",
        "x-body": { types: FORM, schema: RevocationForm, required: true },
      } as object,
    },
  );
