import { Elysia } from "elysia";
import { clientOf } from "../../kernel/client";
import { Done, errors, IdParams, optionalBody } from "../../kernel/schema";
import type { SessionCaller } from "../access/caller";
import { guard, passwordLimit } from "../access/guard";
import { countProof } from "../reauthentication/limits";
import { NEEDS_RECENT_SIGN_IN } from "../reauthentication/schema";
import { countCodeOf } from "../two-factor/tries";
import { DeletionRequest, DeletionStatus, ForcedDeletion } from "./schema";
import {
  cancelDeletion,
  cancelOwnDeletion,
  forceDelete,
  getDeletionStatus,
  scheduleDeletion,
} from "./service";

export const ownDeletionRoutes = new Elysia({ prefix: "/v1/users/me/deletion", tags: ["Account deletion"] })
  .use(guard)
  .post(
    "",
    ({ caller, body, request, set }) => {
      const client = clientOf(request);
      if (body.code) countCodeOf((caller as SessionCaller).userId, client, set.headers);
      return scheduleDeletion(caller as SessionCaller, body, client);
    },
    {
      access: { requires: "session", limit: passwordLimit },
      body: DeletionRequest,
      response: { 200: DeletionStatus, ...errors(403, 409) },
      detail: {
        operationId: "scheduleDeletionOfOwnAccount",
        summary: "Schedule the deletion of the own account",
        description:
          "Needs the password. The account is deleted for good once `accounts.deletion_grace_days` have passed, and can be used until then; an email says so. 409 when it is scheduled already, or for the last super admin; 429 and 403 `TwoFactorLocked` after too many wrong codes.",
      },
    },
  )
  .delete(
    "",
    async ({ caller, request }) => {
      await cancelOwnDeletion(caller as SessionCaller, clientOf(request));
      return { success: true, message: "The deletion was cancelled" };
    },
    {
      access: "session",
      response: { 200: Done, ...errors(403, 404) },
      detail: {
        operationId: "cancelDeletionOfOwnAccount",
        summary: "Cancel the deletion of the own account",
        description: "Possible until the grace period ends. 404 when no deletion is scheduled.",
      },
    },
  )
  .get("", ({ caller }) => getDeletionStatus((caller as SessionCaller).userId), {
    access: "session",
    response: { 200: DeletionStatus },
    detail: {
      operationId: "getDeletionStatusOfOwnAccount",
      summary: "Get the deletion status of the own account",
      description: "Whether the own account is about to be deleted, and when.",
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
    async ({ caller, params, request }) => {
      await cancelDeletion(caller, params.id, clientOf(request));
      return { success: true, message: "The deletion was cancelled" };
    },
    {
      access: "users:write",
      params: IdParams,
      response: { 200: Done, ...errors(404, 409) },
      detail: {
        operationId: "cancelUserDeletion",
        summary: "Cancel a user's deletion",
        description: "Takes back the deletion that the user scheduled. 409 when none is scheduled.",
      },
    },
  )
  .post(
    "/:id/force-delete",
    async ({ caller, params, body, request, set }) => {
      countProof(caller, body ?? {}, clientOf(request), set.headers);
      await forceDelete(caller, params.id, body ?? {}, clientOf(request));
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
