import { Elysia } from "elysia";
import { sessionActor } from "../../identity/access/actor";
import { guard } from "../../identity/access/guard";
import { passwordLimit } from "../../identity/passwords/limit";
import { NEEDS_RECENT_SIGN_IN } from "../../identity/proof/schema";
import { countProof } from "../../identity/reauthentication/limits";
import { countCodeOf } from "../../identity/two-factor-codes/tries";
import { Done, errors, NoContent } from "../../kernel/http/answers";
import { IdParams, optionalBody } from "../../kernel/http/schema";
import { DeletionRequest, DeletionStatus, ForcedDeletion } from "./schema";
import {
  cancelDeletion,
  cancelOwnDeletion,
  deleteUser,
  forceDelete,
  getDeletionStatus,
  scheduleDeletion,
} from "./service";

export const ownDeletionRoutes = new Elysia({ prefix: "/v1/users/me/deletion", tags: ["Account deletion"] })
  .use(guard)
  .post(
    "",
    ({ actor, body, set }) => {
      if (body.code) countCodeOf(sessionActor(actor).caller.userId, actor.client, set.headers);
      return scheduleDeletion(sessionActor(actor), body);
    },
    {
      access: { requires: "session", limit: passwordLimit },
      body: DeletionRequest,
      response: { 200: DeletionStatus, ...errors(403, 409) },
      detail: {
        operationId: "scheduleDeletionOfOwnAccount",
        summary: "Schedule the deletion of the caller's account",
        description:
          "Needs the password; of an account that has a passkey and no password, a session in which the user proved who they are within the last 10 minutes (403 `ReauthenticationRequired`). The account is deleted for good once `accounts.deletion_grace_days` have passed, and can be used until then; an email says so. 409 when it is scheduled already, or for the last super admin; 429 and 403 `TwoFactorLocked` after too many wrong codes.",
      },
    },
  )
  .delete(
    "",
    async ({ actor }) => {
      await cancelOwnDeletion(sessionActor(actor));
      return { success: true, message: "The deletion was cancelled" };
    },
    {
      access: "session",
      response: { 200: Done, ...errors(403, 404) },
      detail: {
        operationId: "cancelDeletionOfOwnAccount",
        summary: "Cancel the deletion of the caller's account",
        description: "Possible until the grace period ends. 404 when no deletion is scheduled.",
      },
    },
  )
  .get("", ({ actor }) => getDeletionStatus(sessionActor(actor).caller.userId), {
    access: "session",
    response: { 200: DeletionStatus },
    detail: {
      operationId: "getDeletionStatusOfOwnAccount",
      summary: "Get the deletion status of the caller's account",
      description: "Whether the caller's account is about to be deleted, and when.",
    },
  });

export const adminDeletionRoutes = new Elysia({ prefix: "/v1/admin/users", tags: ["Account deletion"] })
  .use(guard)
  .get("/:id/deletion-status", ({ params }) => getDeletionStatus(params.id), {
    access: "users:read",
    params: IdParams,
    response: { 200: DeletionStatus, ...errors(404) },
    detail: {
      operationId: "getUserDeletionStatus",
      summary: "Get a user's deletion status",
      description: "Whether the account is deleted, or about to be and when.",
    },
  })
  .post(
    "/:id/cancel-deletion",
    async ({ actor, params }) => {
      await cancelDeletion(actor, params.id);
      return { success: true, message: "The deletion was cancelled" };
    },
    {
      access: "users:write",
      params: IdParams,
      response: { 200: Done, ...errors(404, 409) },
      detail: {
        operationId: "cancelUserDeletion",
        summary: "Cancel a user's deletion",
        description:
          "Takes back the deletion that the user scheduled. 409 when none is scheduled, 403 for a user who holds permissions that the caller doesn't.",
      },
    },
  )
  .post(
    "/:id/force-delete",
    async ({ actor, params, body, set }) => {
      countProof(actor, body ?? {}, set.headers);
      await forceDelete(actor, params.id, body ?? {});
      return { success: true, message: "The account was deleted" };
    },
    {
      access: "users:delete",
      params: IdParams,
      body: optionalBody(ForcedDeletion),
      response: { 200: Done, ...errors(404, 409, 429) },
      detail: {
        operationId: "deleteUserForGood",
        summary: "Delete a user for good",
        description: `At once and irreversibly, whether or not a deletion is scheduled: platform accounts, email addresses, passwords, sessions, API keys and roles go, the username becomes \`deleted_\` and eight characters, and audit events lose address, user agent and what services wrote in free words. The last super admin can't be deleted (409), nor can somebody who may do more than the caller (403). 409 for an account that is deleted for good already. ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  );

/** The deletion that keeps the record: the account is marked, and all its credentials end. */
export const userDeletionRoutes = new Elysia({ prefix: "/v1/users", tags: ["Users"] }).use(guard).delete(
  "/:id",
  async ({ actor, params, set }) => {
    await deleteUser(actor, params.id);
    set.status = 204;
  },
  {
    access: "users:delete",
    params: IdParams,
    response: { 204: NoContent, ...errors(404, 409) },
    detail: {
      operationId: "deleteUser",
      summary: "Delete a user",
      description:
        "Sets `deleted_at` and revokes all sessions and API keys at once; the record stays. The last super admin can't be deleted (409), nor can somebody who may do more than the caller (403). Where `auth.reauthentication_minutes` is set, a session must have signed in within that time, and a key cannot delete its owner; otherwise 403 `ReauthenticationRequired`.",
    },
  },
);
