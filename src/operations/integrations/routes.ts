import { Elysia } from "elysia";
import { guard, type RateRule } from "../../identity/access/guard";
import { badRequest } from "../../kernel/errors/errors";
import { Done, errors, Single } from "../../kernel/http/answers";
import { giveSeconds } from "../../kernel/http/client";
import { single } from "../../kernel/http/envelopes";
import { inMemory, readList, WholeListQuery } from "../../kernel/http/lists";
import { query, t } from "../../kernel/http/schema";
import { MINUTE, SECOND } from "../../kernel/time/clock";
import { finishConnecting, startConnecting } from "./connect";
import { listIntegrationPlatforms, platformOf } from "./platforms";
import {
  Authorization,
  BotStatusChange,
  BotStatusResult,
  CallbackParams,
  CallbackQuery,
  ConnectInput,
  Integration,
  IntegrationParams,
  PlatformList,
  Refreshed,
  ScopeList,
  SlugParams,
  StatsResult,
} from "./schema";
import {
  getIntegration,
  listIntegrations,
  readStats,
  refreshIntegration,
  removeIntegration,
  setBotStatus,
} from "./service";

const path = "/v1/integrations";

/** Several requests to a slow platform take longer than the server waits elsewhere. */
const giveTime = (request: Request) => giveSeconds(request, TIMEOUT_SECONDS);
const TIMEOUT_SECONDS = 120;

const reads = { requires: "integrations:read", orSession: true } as const;
const writes = { requires: "integrations:write", orSession: true } as const;

/** A limit for operations that make requests to a platform. */
const limited = (name: string, requests: number): RateRule => ({
  name,
  rate: () => ({ requests, seconds: (10 * MINUTE) / SECOND }),
});
const connectLimit = limited("integration-connect", 20);
const callbackLimit = limited("integration-callback", 60);
const askLimit = limited("integration-ask", 120);

export const integrationRoutes = new Elysia({ prefix: path, tags: ["Integrations"] })
  .use(guard)
  .get("", ({ actor, query }) => readList(query, inMemory(listIntegrations(actor.caller))), {
    access: reads,
    ...query(WholeListQuery),
    response: { 200: t.Array(Integration), ...errors(400) },
    detail: {
      operationId: "listOwnIntegrations",
      summary: "List the caller's integrations",
      description: "The caller's connected accounts, newest first.",
    },
  })
  .get("/platforms", () => ({ platforms: listIntegrationPlatforms() }), {
    access: reads,
    response: { 200: PlatformList },
    detail: {
      operationId: "listIntegrationPlatforms",
      summary: "List integration platforms",
      description:
        "The platforms from which accounts can be connected, and whether this installation is registered with them.",
    },
  })
  .get(
    "/platform/:slug",
    ({ actor, params, query }) => readList(query, inMemory(listIntegrations(actor.caller, params.slug))),
    {
      access: reads,
      params: SlugParams,
      ...query(WholeListQuery),
      response: { 200: t.Array(Integration), ...errors(404) },
      detail: {
        operationId: "listOwnIntegrationsOfPlatform",
        summary: "List the caller's integrations of a platform",
        description: "The caller's accounts on one platform, newest first.",
      },
    },
  )
  .get(
    "/platform/:slug/scopes",
    ({ params }) => {
      const { slug, scopes } = platformOf(params.slug);
      return { platform: slug, scopes };
    },
    {
      access: reads,
      params: SlugParams,
      response: { 200: ScopeList, ...errors(404) },
      detail: {
        operationId: "listScopesOfPlatform",
        summary: "List the scopes of a platform",
        description:
          "The scopes that can be requested from a platform; the required ones are always requested.",
      },
    },
  )
  .post("/platform/:slug/connect", ({ actor, params, body }) => startConnecting(actor, params.slug, body), {
    access: { ...writes, limit: connectLimit },
    params: SlugParams,
    body: ConnectInput,
    response: { 200: Authorization, ...errors(403, 404, 503) },
    detail: {
      operationId: "connectAccount",
      summary: "Connect an account",
      description:
        "Returns the address to which to send this user's browser, and nobody else's: whoever consents there connects an account to this user. The platform sends it back here within 10 minutes, while the session or key that asked is still valid, and it ends up at `redirect_uri` with `status=connected`, or `status=error` and a `reason`. 503 when this installation isn't registered with the platform.",
    },
  })
  .get(
    "/callback/:platform",
    async ({ actor, params, query, request, set }) => {
      // HEAD asks about the answer, and must use nothing up (RFC 9110, section 9.3.2).
      if (request.method === "HEAD") throw badRequest("Open this address with GET");
      // A repeated parameter is ambiguous, and forbidden (RFC 6749, section 3.1).
      const { searchParams } = new URL(request.url);
      for (const name of ["state", "code", "error"])
        if (searchParams.getAll(name).length > 1) throw badRequest(`${name} must be sent only once`);
      const address = await finishConnecting(actor, params.platform, query);
      set.status = 302;
      set.headers.location = address;
      set.headers["referrer-policy"] = "no-referrer";
    },
    {
      open: { limit: callbackLimit },
      params: CallbackParams,
      ...query(CallbackQuery),
      response: {
        302: t.Void({
          description: "Redirect to the page for which the connection was started",
          "x-headers": ["Location", "Referrer-Policy"],
        }),
        ...errors(404),
      },
      detail: {
        operationId: "completeConnection",
        summary: "Complete a connection",
        description:
          "For the platform, which sends the user's browser here. The `state` is the credential, and counts once. 400 when it is unknown, was used or has expired.",
      },
    },
  )
  .get(
    "/:id",
    ({ actor, params }) => single(getIntegration(actor.caller, params.id), `${path}/${params.id}`),
    {
      access: reads,
      params: IntegrationParams,
      response: { 200: Single(Integration), ...errors(404) },
      detail: {
        operationId: "getIntegration",
        summary: "Get an integration",
        description: "One of the caller's connected accounts.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, request }) => {
      giveTime(request);
      const outcome = await removeIntegration(actor, params.id);
      const message = {
        revoked: "The integration was removed, and its tokens were revoked",
        failed:
          "The integration was removed; the platform could not be told, remove this application there too",
        "nothing to revoke": "The integration was removed",
      }[outcome];
      return { success: true, message };
    },
    {
      access: writes,
      params: IntegrationParams,
      response: { 200: Done, ...errors(403, 404) },
      detail: {
        operationId: "removeIntegration",
        summary: "Remove an integration",
        description: "Forgets the account and its tokens, and revokes them at the platform.",
      },
    },
  )
  .post(
    "/:id/refresh",
    async ({ actor, params }) => ({
      success: true,
      message: "The tokens were renewed",
      ...(await refreshIntegration(actor.caller, params.id)),
    }),
    {
      access: { ...writes, limit: askLimit },
      params: IntegrationParams,
      response: { 200: Refreshed, ...errors(404, 409, 503) },
      detail: {
        operationId: "renewTokensOfIntegration",
        summary: "Renew the tokens of an integration",
        description:
          "Fairlead renews them by itself when they are needed. 409 when the platform refuses: the integration is then inactive until it is connected again.",
      },
    },
  )
  .post(
    "/:id/stats",
    async ({ actor, params, request }) => {
      giveTime(request);
      return { success: true, stats: await readStats(actor.caller, params.id) };
    },
    {
      access: { ...reads, limit: askLimit },
      params: IntegrationParams,
      response: { 200: StatsResult, ...errors(404, 409, 503) },
      detail: {
        operationId: "readStatsOfChannel",
        summary: "Read the stats of a channel",
        description:
          "Asks the platform at once. Discord has no channels of this kind, so all figures are zero. 409 as for renewing tokens.",
      },
    },
  )
  .patch(
    "/:id/stream-status",
    async ({ actor, params, body }) => {
      await setBotStatus(actor, params.id, body.bot_status);
      return { success: true, bot_status: body.bot_status };
    },
    {
      access: writes,
      params: IntegrationParams,
      body: BotStatusChange,
      response: { 200: BotStatusResult, ...errors(403, 404) },
      detail: {
        operationId: "setBotStatusOfIntegration",
        summary: "Set the bot status of an integration",
        description:
          "What bots of this installation may do on the channel: `active`, `paused` or `disabled`.",
      },
    },
  );
