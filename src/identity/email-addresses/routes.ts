import { Elysia } from "elysia";
import { Done, errors, Message } from "../../kernel/http/answers";
import { IdParams } from "../../kernel/http/schema";
import { guard } from "../access/guard";
import { NEEDS_RECENT_SIGN_IN } from "../proof/schema";
import { countProof } from "../reauthentication/limits";
import { countVerificationEmail } from "./limit";
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
    ({ actor, params, body, set }) => {
      countVerificationEmail(actor.caller, params.id, set.headers);
      countProof(actor, body, set.headers);
      return requestEmailChange(actor, params.id, body);
    },
    {
      access: writes,
      params: IdParams,
      body: EmailChange,
      response: { 200: VerificationSent, ...errors(404, 409, 429) },
      detail: {
        operationId: "requestChangeOfEmailAddress",
        summary: "Request a change of email address",
        description: `Sends a link to the new address, valid for 24 hours; the change takes effect once it is used. The present address is told of the request, and of the change. A new request replaces an earlier one. 400 for an account that was not created with an email address, 409 for an address in use. ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  )
  .post(
    "/email/verify",
    async ({ actor, body }) => {
      await verifyEmailChange(actor, body.token);
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
    async ({ actor, params }) => {
      await cancelPending(actor, params.id, "email_change");
      return { success: true, message: "The change of email address was cancelled" };
    },
    {
      access: writes,
      params: IdParams,
      response: { 200: Done, ...errors(404) },
      detail: {
        operationId: "cancelPendingChangeOfEmailAddress",
        summary: "Cancel the pending change of email address",
        description: "The link in the email stops working. 404 when none is pending.",
      },
    },
  )
  .post(
    "/:id/email-link/request",
    ({ actor, params, body, set }) => {
      countVerificationEmail(actor.caller, params.id, set.headers);
      countProof(actor, { code: body.code }, set.headers);
      return requestEmailLink(actor, params.id, body);
    },
    {
      access: writes,
      params: IdParams,
      body: EmailLink,
      response: { 200: VerificationSent, ...errors(404, 409, 429) },
      detail: {
        operationId: "requestToLinkEmailAddress",
        summary: "Request to link an email address",
        description: `For an account that signs in through another platform: sends a link to the address, valid for 24 hours, and tells the present address of it. Once the link is used, the address and the password sign in as well. 409 for an address in use, and for an account that has one. ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  )
  .post(
    "/email-link/verify",
    async ({ actor, body }) => ({
      message: "The email address is linked",
      platform_account_id: await verifyEmailLink(actor, body.token),
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
    async ({ actor, params }) => {
      await cancelPending(actor, params.id, "email_link");
      return { message: "The linking of an email address was cancelled" };
    },
    {
      access: writes,
      params: IdParams,
      response: { 200: Message, ...errors(404) },
      detail: {
        operationId: "cancelPendingEmailAddress",
        summary: "Cancel the pending email address",
        description: "The link in the email stops working. 404 when none is pending.",
      },
    },
  );
