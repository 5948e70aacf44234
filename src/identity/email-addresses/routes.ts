import { Elysia } from "elysia";
import { clientOf } from "../../kernel/client";
import { Done, errors, IdParams } from "../../kernel/schema";
import { countVerificationEmail, guard } from "../access/guard";
import { Message } from "../auth/schema";
import { countProof } from "../reauthentication/limits";
import { NEEDS_RECENT_SIGN_IN } from "../reauthentication/schema";
import {
  EmailChange,
  EmailLink,
  LinkedEmail,
  PendingEmailChange,
  PendingEmailLink,
  VerificationSent,
  VerificationToken,
} from "./schema";
import {
  cancelPending,
  pendingEmailChange,
  pendingEmailLink,
  requestEmailChange,
  requestEmailLink,
  verifyEmailChange,
  verifyEmailLink,
} from "./service";

const reads = { requires: "users:read", orSelf: true } as const;
const writes = { requires: "users:write", orSelf: true } as const;

export const emailAddressRoutes = new Elysia({ prefix: "/v1/users", tags: ["Email addresses"] })
  .use(guard)
  .post(
    "/:id/email/request-change",
    ({ caller, params, body, request, set }) => {
      countVerificationEmail(caller, params.id, set.headers);
      countProof(caller, body, clientOf(request), set.headers);
      return requestEmailChange(caller, params.id, body, clientOf(request));
    },
    {
      access: writes,
      params: IdParams,
      body: EmailChange,
      response: { 200: VerificationSent, ...errors(404, 409, 429) },
      detail: {
        operationId: "requestChangeOfEmailAddress",
        summary: "Request a change of email address",
        description: `Sends a link to the new address, valid for 24 hours; the change takes effect once it is used, and the former address is told then. A new request replaces an earlier one. 400 for an account that was not created with an email address, 409 for an address in use. ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  )
  .post(
    "/email/verify",
    async ({ caller, body, request }) => {
      await verifyEmailChange(caller, body.token, clientOf(request));
      return { success: true, message: "The email address was changed" };
    },
    {
      access: "authenticated",
      body: VerificationToken,
      response: { 200: Done, ...errors(403, 409) },
      detail: {
        operationId: "verifyChangeOfEmailAddress",
        summary: "Verify a change of email address",
        description:
          "Applies a change with the token of the email: the caller's own, or anybody's with `users:write`. 400 for a token that is not valid, 409 when the address was taken meanwhile.",
      },
    },
  )
  .get("/:id/email/pending", ({ params }) => pendingEmailChange(params.id), {
    access: reads,
    params: IdParams,
    response: { 200: PendingEmailChange, ...errors(404) },
    detail: {
      operationId: "getPendingChangeOfEmailAddress",
      summary: "Get the pending change of email address",
      description: "The new address that waits for its verification, if there is one.",
    },
  })
  .delete(
    "/:id/email/pending",
    async ({ caller, params, request }) => {
      await cancelPending(caller, params.id, "email_change", clientOf(request));
      return { success: true, message: "The change of email address was cancelled" };
    },
    {
      access: writes,
      params: IdParams,
      response: { 200: Done, ...errors(404) },
      detail: {
        operationId: "cancelPendingChangeOfEmailAddress",
        summary: "Cancel the pending change of email address",
        description: "The link in the email works no longer. 404 when none is pending.",
      },
    },
  )
  .post(
    "/:id/email-link/request",
    ({ caller, params, body, request, set }) => {
      countVerificationEmail(caller, params.id, set.headers);
      countProof(caller, { code: body.code }, clientOf(request), set.headers);
      return requestEmailLink(caller, params.id, body, clientOf(request));
    },
    {
      access: writes,
      params: IdParams,
      body: EmailLink,
      response: { 200: VerificationSent, ...errors(404, 409, 429) },
      detail: {
        operationId: "requestToLinkEmailAddress",
        summary: "Request to link an email address",
        description: `For an account that signs in through another platform: sends a link to the address, valid for 24 hours. Once it is used, the address and the password sign in as well. 409 for an address in use, and for an account that has one. ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  )
  .post(
    "/email-link/verify",
    async ({ caller, body, request }) => ({
      message: "The email address is linked",
      platform_account_id: await verifyEmailLink(caller, body.token, clientOf(request)),
    }),
    {
      access: "authenticated",
      body: VerificationToken,
      response: { 200: LinkedEmail, ...errors(403, 409) },
      detail: {
        operationId: "verifyLinkedEmailAddress",
        summary: "Verify a linked email address",
        description:
          "Links the address with the token of the email: the caller's own, or anybody's with `users:write`. 400 for a token that is not valid, 409 when the address was taken meanwhile.",
      },
    },
  )
  .get("/:id/email-link/pending", ({ params }) => pendingEmailLink(params.id), {
    access: reads,
    params: IdParams,
    response: { 200: PendingEmailLink, ...errors(404) },
    detail: {
      operationId: "getPendingEmailAddress",
      summary: "Get the pending email address",
      description: "The address that waits for its verification before it is linked, if there is one.",
    },
  })
  .delete(
    "/:id/email-link/pending",
    async ({ caller, params, request }) => {
      await cancelPending(caller, params.id, "email_link", clientOf(request));
      return { message: "The linking of an email address was cancelled" };
    },
    {
      access: writes,
      params: IdParams,
      response: { 200: Message, ...errors(404) },
      detail: {
        operationId: "cancelPendingEmailAddress",
        summary: "Cancel the pending email address",
        description: "The link in the email works no longer. 404 when none is pending.",
      },
    },
  );
