import { Elysia } from "elysia";
import { config } from "../../configuration/config";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import { guard, type RateRule } from "../access/guard";
import { AuthResponse } from "../auth/schema";
import { countVerificationEmail } from "../email-addresses/limit";
import { NEEDS_RECENT_SIGN_IN } from "../proof/schema";
import { countProof } from "../reauthentication/limits";
import { CreationOptions } from "../webauthn/schema";
import { acceptInvitation, invitedPasskeyOptions } from "./accept";
import {
  Acceptance,
  CreatedInvitation,
  Invitation,
  NewInvitation,
  PasskeyForAcceptance,
  StatusQuery,
  TokenParams,
} from "./schema";
import { getInvitation, invite, listInvitations, revokeInvitation } from "./service";

const path = "/v1/invitations";
const DEFAULT_LIMIT = 20;

/** Attempts of one address, as many as at the login: a crew may accept behind one address. */
const acceptLimit: RateRule = { name: "accept-invitation", rate: () => config["rate_limit.login"] };

export const invitationRoutes = new Elysia({ prefix: path, tags: ["Invitations"] })
  .use(guard)
  .get(
    "",
    ({ query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return page(path, asked, listInvitations(asked, query.status), request);
    },
    {
      access: "users:read",
      ...query(t.Object({ ...pageQuery(DEFAULT_LIMIT), status: StatusQuery })),
      response: { 200: Page("InvitationPage", Invitation) },
      detail: {
        operationId: "listInvitations",
        summary: "List invitations",
        description:
          "Invitations, newest first, without their tokens. One is forgotten 90 days after the end of its time.",
      },
    },
  )
  .get("/:id", ({ params }) => single(getInvitation(params.id), `${path}/${params.id}`), {
    access: "users:read",
    params: IdParams,
    response: { 200: Single(Invitation), ...errors(404) },
    detail: {
      operationId: "getInvitation",
      summary: "Get an invitation",
      description: "One invitation, without its token.",
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      if (body.role_ids?.length) countProof(actor, body, set.headers);
      if (body.email) countVerificationEmail(actor.caller, actor.caller.id, set.headers);
      const invitation = await invite(actor, body);
      set.status = 201;
      return single(invitation, `${path}/${invitation.id}`);
    },
    {
      access: "users:write",
      body: NewInvitation,
      response: { 201: Single(CreatedInvitation), ...errors(409, 429) },
      detail: {
        operationId: "createInvitation",
        summary: "Invite somebody",
        description: `Invites somebody to make an account, also where registration is off. With \`email\` a link is sent there, and the account will have that address; without it, the answer has the link to hand over, which begins with \`base_url\` or \`server.public_url\` (409 \`PublicUrlNeeded\` where that leads other machines to themselves). Nobody invites to more than they hold (403): roles as in their assignment, shares as in \`PUT /v1/devices/{id}/shares/{user_id}\`. What the inviter has lost when the invitation is accepted, it doesn't give. It ends if the session that made it is revoked, and waits while the inviter is banned or may not invite. 409 for an address in use, and for more than 500 that wait. An inviter sends at most 30 emails to addresses of their choice within an hour. For roles: ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await revokeInvitation(actor, params.id);
      set.status = 204;
    },
    {
      access: "users:write",
      params: IdParams,
      response: { 204: NoContent, ...errors(404, 409) },
      detail: {
        operationId: "revokeInvitation",
        summary: "Revoke an invitation",
        description:
          "Its link is refused at once. The record stays, as `revoked`. 409 for one that was accepted, revoked or has expired.",
      },
    },
  )
  .post(
    "/:token/accept",
    async ({ actor, params, body, set }) => {
      const session = await acceptInvitation(actor, params.token, body);
      set.status = 201;
      set.headers.location = `/v1/users/${session.user_id}`;
      return session;
    },
    {
      open: { limit: acceptLimit },
      params: TokenParams,
      body: Acceptance,
      response: { 201: AuthResponse, ...errors(403, 404, 409) },
      detail: {
        operationId: "acceptInvitation",
        summary: "Accept an invitation",
        description:
          "Makes the account, with a password or a passkey, and with the roles and the shares of the invitation that its inviter may still give, and signs in. The token counts once. A passkey answers a challenge of `POST /v1/invitations/{token}/passkey/options`. An invitation that was sent by email has proved that address, and `email` must be left out; otherwise it is required, and unproved until its owner acts on an email. The rules of registration hold for names, addresses and passwords (409, 400). The same 404 for a token that is wrong, used, revoked or expired, and while its inviter may not invite. 403 while sign-in by email is switched off.",
      },
    },
  )
  .post("/:token/passkey/options", ({ params, body }) => invitedPasskeyOptions(params.token, body.username), {
    open: { limit: acceptLimit },
    params: TokenParams,
    body: PasskeyForAcceptance,
    response: { 200: CreationOptions, ...errors(403, 404, 409) },
    detail: {
      operationId: "askForPasskeyOfInvitation",
      summary: "Ask for a passkey to accept an invitation",
      description:
        "A challenge for `navigator.credentials.create()`, whose answer goes into `passkey` of the acceptance. It counts once, and for 5 minutes. The same 404 as there; 409 `PasskeysUnavailable` where `server.public_url` permits no passkeys.",
    },
  });
