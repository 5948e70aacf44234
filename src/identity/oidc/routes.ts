import { Elysia } from "elysia";
import { config, providers } from "../../configuration/config";
import { AppError, invalid } from "../../kernel/errors/errors";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { letWait } from "../../kernel/http/client";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, optionalBody, query, t } from "../../kernel/http/schema";
import { iso, now } from "../../kernel/time/clock";
import { type SessionActor, sessionActor } from "../access/actor";
import { guard } from "../access/guard";
import { isOfPage } from "../access/page";
import { AuthResponse } from "../auth/schema";
import { issuerOf } from "../oauth/issuer";
import { browserHash, markBrowser } from "../oidc-codes/browser";
import { countProof } from "../reauthentication/limits";
import { minutesForWaysIn, requireRecentSignIn } from "../reauthentication/service";
import { begin, exchangeLimit, permittedRedirect, STATE_LIFETIME } from "./begin";
import { exchangeCode } from "./exchange";
import { linkIdentity, listIdentities, unlinkIdentity } from "./identities";
import { findProvider } from "./providers";
import { SignInRefused } from "./refusals";
import { Beginning, Begun, CodeInput, Identity, OwnWaysIn, ProviderParams, WaysToSignIn } from "./schema";
import { ownWaysIn } from "./ways";

const path = "/v1/users/me/identities";
const DEFAULT_LIMIT = 20;
const RECENT =
  "Needs a session in which the user signed in, or proved who they are, within the last 10 minutes, or within `auth.reauthentication_minutes` where that is less";

/** Sends a signed-in user to a provider. Throws 404 for an unknown one, 503 for one that fails. */
async function sendTo(
  actor: SessionActor,
  request: Request,
  headers: Record<string, string | number>,
  name: string,
  purpose: "link" | "reauthenticate",
  { redirect_uri, code_challenge }: Pick<Beginning, "redirect_uri" | "code_challenge">,
) {
  if (!findProvider(name)) throw new AppError("NotFound", "Provider not found");
  if (redirect_uri && !code_challenge) throw invalid("/code_challenge", "is required with redirect_uri");
  headers["cache-control"] = "no-store";
  try {
    const beginning = {
      purpose,
      userId: actor.caller.userId,
      base: issuerOf(request),
      // The session that began it has to bring the code: an app's own cookies are not its browser's.
      browserHash: isOfPage(request) ? markBrowser(request, headers) : null,
      redirectUri: redirect_uri ? permittedRedirect(redirect_uri) : null,
      codeChallenge: redirect_uri ? (code_challenge ?? null) : null,
    };
    const authorization_url = await letWait(request, () => begin(actor, name, beginning));
    return { authorization_url, expires_at: iso(now() + STATE_LIFETIME) };
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    throw new AppError("ServiceUnavailable", "The provider is not available; try again later", {
      headers: { "retry-after": "30" },
      cause: error,
    });
  }
}

/** Sign-in through OpenID providers, for programs: the doors of browsers are in bridge/elsewhere. */
export const oidcRoutes = new Elysia({ prefix: "/v1/auth", tags: ["OpenID providers"] })
  .use(guard)
  .get(
    "/ways-in",
    () => ({
      password_login: config["auth.password_login"],
      registration: config["registration.enabled"] && config["auth.password_login"] === "all",
      providers: providers.map(({ name, display_name }) => ({
        name,
        display_name,
        url: `/v1/auth/oidc/${name}`,
      })),
    }),
    {
      open: true,
      response: { 200: WaysToSignIn },
      detail: {
        operationId: "listWaysToSignIn",
        summary: "List the ways to sign in",
        description: "The OpenID providers of this installation, and who may sign in with a password.",
      },
    },
  )
  .post(
    "/oidc/session",
    ({ actor, body, request, set }) => {
      set.headers["cache-control"] = "no-store";
      return exchangeCode(actor, body.code, {
        browserHash: browserHash(request),
        verifier: body.code_verifier,
      });
    },
    {
      open: { limit: exchangeLimit },
      body: CodeInput,
      response: { 200: AuthResponse, ...errors(403) },
      detail: {
        operationId: "exchangeCodeOfProvider",
        summary: "Exchange the code of a provider for a session",
        description:
          "For a client whose `redirect_uri` the browser came back to from `GET /v1/auth/oidc/{name}`: answers as `POST /v1/auth/login` does, a 2FA challenge included. A code is good once, for 60 seconds, and with the `code_verifier` alone whose challenge began it; else 400.",
      },
    },
  )
  .post(
    "/oidc/:name/reauthenticate",
    ({ actor, params, body, request, set }) =>
      sendTo(sessionActor(actor), request, set.headers, params.name, "reauthenticate", body ?? {}),
    {
      access: "session",
      params: ProviderParams,
      body: optionalBody(Beginning),
      response: { 200: Begun, ...errors(400, 404, 503) },
      detail: {
        operationId: "proveAgainAtProvider",
        summary: "Prove again who you are, at a provider",
        description:
          "Sends the user to a provider to sign in there anew (`prompt=login`, `max_age=0`). The browser comes back with a code, which `POST /v1/auth/reauthenticate` takes as `oidc_code`. A provider that doesn't say when its user signed in (`auth_time`) can't prove it.",
      },
    },
  );

export const identityRoutes = new Elysia({ prefix: path, tags: ["OpenID providers"] })
  .use(guard)
  .get(
    "",
    ({ actor, query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      const { userId } = sessionActor(actor).caller;
      return page(path, asked, listIdentities(userId, asked), request);
    },
    {
      access: "session",
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("OidcIdentityPage", Identity) },
      detail: {
        operationId: "listOwnIdentities",
        summary: "List the caller's identities at providers",
        description: "The identities at OpenID providers that let the caller sign in, newest first.",
      },
    },
  )
  .post(
    "/begin/:name",
    async ({ actor, params, body, request, set }) => {
      const session = sessionActor(actor);
      const minutes = minutesForWaysIn(session);
      countProof(session, body ?? {}, set.headers, minutes);
      await requireRecentSignIn(session, null, body ?? {}, minutes);
      return sendTo(session, request, set.headers, params.name, "link", body ?? {});
    },
    {
      access: "session",
      params: ProviderParams,
      body: optionalBody(Beginning),
      response: { 200: Begun, ...errors(400, 403, 404, 429, 503) },
      detail: {
        operationId: "beginToLinkIdentity",
        summary: "Begin to link an identity",
        description: `Sends the user to a provider. The browser comes back with a code, which \`POST ${path}\` takes in the same user's session. ${RECENT}, or a proof in the body; otherwise 403 \`ReauthenticationRequired\`.`,
      },
    },
  )
  .post(
    "",
    async ({ actor, body, request, set }) => {
      const identity = await linkIdentity(sessionActor(actor), body.code, {
        browserHash: browserHash(request),
        verifier: body.code_verifier,
      });
      set.status = 201;
      set.headers.location = `${path}/${identity.id}`;
      return single(identity, `${path}/${identity.id}`);
    },
    {
      access: "session",
      body: CodeInput,
      response: { 201: Single(Identity), ...errors(409) },
      detail: {
        operationId: "linkIdentity",
        summary: "Link an identity",
        description:
          "Links the identity with which the browser came back: from then on its owner can sign in to this account. An email tells the user. 400 for a code that is not good, 409 for an identity that is linked already.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await unlinkIdentity(sessionActor(actor), params.id);
      set.status = 204;
    },
    {
      access: "session",
      params: IdParams,
      response: { 204: NoContent, ...errors(403, 404, 409) },
      detail: {
        operationId: "unlinkIdentity",
        summary: "Unlink an identity",
        description: `Its owner can no longer sign in to this account; sessions stay. 409 for the last way into the account. ${RECENT}; otherwise 403 \`ReauthenticationRequired\`.`,
      },
    },
  );

export const ownWaysInRoutes = new Elysia({ prefix: "/v1/users/me/ways-in", tags: ["OpenID providers"] })
  .use(guard)
  .get("", ({ actor }) => ownWaysIn(sessionActor(actor).caller.userId), {
    access: "session",
    response: { 200: OwnWaysIn },
    detail: {
      operationId: "getOwnWaysIn",
      summary: "Get the caller's ways in",
      description: "How the caller can sign in now: the last way can't be taken away.",
    },
  });
