import { Elysia } from "elysia";
import { Done, errors, NoContent } from "../../kernel/http/answers";
import { ListQuery } from "../../kernel/http/lists";
import { IdParams, query } from "../../kernel/http/schema";
import { sessionActor } from "../access/actor";
import { guard } from "../access/guard";
import { createInternalSession, deleteInternalSession, getInternalSession } from "./internal";
import {
  InternalSession,
  LogoutQuery,
  NewInternalSession,
  NotRevoked,
  RevokedSessions,
  SessionList,
  SessionParams,
  TokenParams,
} from "./schema";
import { endSessionsOf, listSessions, revokeAllOtherSessions, revokeSession } from "./service";

const path = "/v1/users/me/sessions";

const revoked = (count: number) => ({
  success: true,
  revoked_count: count,
  message: count === 1 ? "1 session was revoked" : `${count} sessions were revoked`,
});

export const ownSessionRoutes = new Elysia({ prefix: path, tags: ["Sessions"] })
  .use(guard)
  .get(
    "",
    ({ actor, query }) => ({ ...listSessions(sessionActor(actor).caller, query), _links: { self: path } }),
    {
      access: "session",
      ...query(ListQuery),
      response: { 200: SessionList },
      detail: {
        operationId: "listOwnSessions",
        summary: "List the caller's sessions",
        description: "Where the caller is signed in: device, browser, address and last use, newest first.",
      },
    },
  )
  .delete(
    "/:session_id",
    async ({ actor, params, status }) => {
      const isRevoked = await revokeSession(sessionActor(actor), params.session_id);
      return isRevoked
        ? { success: true, message: "The session was revoked" }
        : status(400, {
            success: false,
            error: "BadRequest",
            message: "The current session cannot be revoked; sign out instead",
          });
    },
    {
      access: "session",
      params: SessionParams,
      response: { 200: Done, 400: NotRevoked, ...errors(403, 404) },
      detail: {
        operationId: "revokeOneOwnSession",
        summary: "Revoke one of the caller's sessions",
        description:
          "Ends another session of the caller's at once. Its user's sockets hear `sessionRevoked`; those of the session itself are closed with 4401 five seconds later.",
      },
    },
  )
  .delete(
    "",
    async ({ actor }) => {
      return revoked(await revokeAllOtherSessions(sessionActor(actor)));
    },
    {
      access: "session",
      response: { 200: RevokedSessions, ...errors(403) },
      detail: {
        operationId: "revokeAllOtherOwnSessions",
        summary: "Revoke all other sessions of the caller",
        description: "Ends all sessions but the one that asks.",
      },
    },
  );

export const userSessionRoutes = new Elysia({ prefix: "/v1/users", tags: ["Sessions"] })
  .use(guard)
  .delete("/:id/sessions", async ({ actor, params }) => revoked(await endSessionsOf(actor, params.id)), {
    access: "users:write",
    params: IdParams,
    response: { 200: RevokedSessions, ...errors(404) },
    detail: {
      operationId: "endAllSessionsOfUser",
      summary: "End all sessions of a user",
      description:
        "Signs a user out everywhere, including the caller if it is the same user. Sockets of the sessions hear `forceLogout`, and are closed with 4401 five seconds later; API keys stay. 403 for a user who holds permissions that the caller doesn't.",
    },
  });

/** Name that a service gives itself, for the audit log. */
const SERVICE_NAME = /^[\w.-]{1,64}$/;

function sourceService(request: Request): string | null {
  const name = request.headers.get("x-source-service");
  return name !== null && SERVICE_NAME.test(name) ? name : null;
}

export const internalSessionRoutes = new Elysia({ prefix: "/v1/sessions", tags: ["Sessions"] })
  .use(guard)
  .post(
    "",
    async ({ actor, body, set }) => {
      const session = await createInternalSession(actor, body);
      set.status = 201;
      // Its own address holds the token, which belongs into no header that a proxy may log.
      set.headers.location = `/v1/users/me/sessions/${session.id}`;
      return session;
    },
    {
      access: "system",
      body: NewInternalSession,
      response: { 201: InternalSession },
      detail: {
        operationId: "createSession",
        summary: "Create a session",
        description:
          "For the identity web app, after a sign-in through an external provider. The token is shown only once. A user who is unknown or deleted gives 400, a banned one 403 `AccountBanned`.",
      },
    },
  )
  .get("/:token", ({ params }) => getInternalSession(params.token), {
    access: "system",
    params: TokenParams,
    response: { 200: InternalSession, ...errors(404) },
    detail: {
      operationId: "getSessionByItsToken",
      summary: "Get a session by its token",
      description:
        "404 for a token that is unknown or has ended. Asking for a session counts as using it, so it does not expire from disuse.",
    },
  })
  .delete(
    "/:token",
    async ({ actor, params, query, request, set }) => {
      await deleteInternalSession(
        actor,
        params.token,
        query.reason ?? "user_initiated",
        sourceService(request),
      );
      set.status = 204;
    },
    {
      access: "system",
      params: TokenParams,
      ...query(LogoutQuery),
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "endSessionByItsToken",
        summary: "End a session by its token",
        description:
          "Writes a `logout` audit event with `reason`, `session_id` and `app`, which the header `X-Source-Service` names.",
      },
    },
  );
