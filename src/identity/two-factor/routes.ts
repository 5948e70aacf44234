import { Elysia } from "elysia";
import { clientOf } from "../../kernel/client";
import { Done, errors, IdParams, optionalBody, query } from "../../kernel/schema";
import { guard } from "../access/guard";
import { countProof } from "../reauthentication/limits";
import { NEEDS_RECENT_SIGN_IN } from "../reauthentication/schema";
import { unlockTwoFactor } from "./failures";
import { twoFactorRequirement } from "./requirement";
import {
  BackupCodes,
  DisableInput,
  EnableInput,
  SetupInput,
  SubjectQuery,
  TotpInput,
  TwoFactorRequirement,
  TwoFactorSetup,
  TwoFactorStatus,
} from "./schema";
import { disableTwoFactor, regenerateBackupCodes, subjectOf, twoFactorStatus } from "./service";
import { enableTwoFactor, qrCodeOf, setUpTwoFactor } from "./setup";
import { subjectTryingCode } from "./tries";

export const twoFactorRoutes = new Elysia({ prefix: "/v1/users/me/2fa", tags: ["Two-factor authentication"] })
  .use(guard)
  .get(
    "/status",
    ({ caller, query }) => twoFactorStatus(subjectOf(caller, query.user_id, "two_factor:read")),
    {
      access: "authenticated",
      ...query(SubjectQuery),
      response: { 200: TwoFactorStatus, ...errors(400, 403) },
      detail: {
        operationId: "getTwoFactorStatus",
        summary: "Get the two-factor status",
        description:
          "Whether two-factor authentication is on, since when, and how many backup codes are left. A user's API key needs `two_factor:read`; another user needs `two_factor:manage`.",
      },
    },
  )
  .get(
    "/requirement",
    ({ caller, query }) => twoFactorRequirement(subjectOf(caller, query.user_id, "two_factor:read")),
    {
      access: "authenticated",
      ...query(SubjectQuery),
      response: { 200: TwoFactorRequirement, ...errors(400, 403) },
      detail: {
        operationId: "getTwoFactorRequirement",
        summary: "Get the two-factor requirement",
        description:
          "Whether a role or a linked platform requires two-factor authentication, and what to do about it. Access as for the status.",
      },
    },
  )
  .post(
    "/setup",
    async ({ caller, body, request, set }) => {
      const user = subjectOf(caller, body?.user_id, "two_factor:write");
      countProof(caller, body ?? {}, clientOf(request), set.headers);
      const setup = await setUpTwoFactor(caller, user, body ?? {}, clientOf(request));
      return { ...setup, qr_code_image: await qrCodeOf(setup) };
    },
    {
      access: "authenticated",
      body: optionalBody(SetupInput),
      response: { 200: TwoFactorSetup, ...errors(403, 404, 429) },
      detail: {
        operationId: "setUpTwoFactorAuthentication",
        summary: "Set up two-factor authentication",
        description: `Answers a secret and its QR code for an authenticator app. Complete the set-up within 10 minutes; a new one replaces it. 400 when it is on already or the platform does not support it. A user's API key needs \`two_factor:write\`; another user needs \`two_factor:manage\`. ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  )
  .post(
    "/verify",
    ({ caller, body, request, set }) => {
      const client = clientOf(request);
      const user = subjectTryingCode(caller, body.user_id, client, set.headers);
      countProof(caller, { password: body.password }, client, set.headers);
      return enableTwoFactor(caller, user, body, client);
    },
    {
      access: "authenticated",
      body: EnableInput,
      response: { 200: BackupCodes, ...errors(403, 429) },
      detail: {
        operationId: "completeSetUpOfTwoFactorAuthentication",
        summary: "Complete the set-up of two-factor authentication",
        description: `Turns it on with a code of the app, and answers ten backup codes this once. On request the other sessions end, which were opened without it. 400 for a wrong code, an expired set-up and when it is on already. ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  )
  .delete(
    "",
    async ({ caller, body, request, set }) => {
      const user = subjectTryingCode(caller, body.user_id, clientOf(request), set.headers);
      await disableTwoFactor(caller, user, body.code, clientOf(request));
      return { success: true, message: "Two-factor authentication is off" };
    },
    {
      access: "authenticated",
      body: DisableInput,
      response: { 200: Done, ...errors(403, 429) },
      detail: {
        operationId: "turnTwoFactorAuthenticationOff",
        summary: "Turn two-factor authentication off",
        description:
          "With a code of the app or a backup code. 400 for a wrong code and when it is off already. Wrong codes are counted together with those of sign-ins: 429 during the pause after one, 403 `TwoFactorLocked` after a hundred in a row.",
      },
    },
  )
  .post(
    "/backup-codes/regenerate",
    ({ caller, body, request, set }) =>
      regenerateBackupCodes(
        caller,
        subjectTryingCode(caller, body.user_id, clientOf(request), set.headers),
        body.code,
        clientOf(request),
      ),
    {
      access: "authenticated",
      body: TotpInput,
      response: { 200: BackupCodes, ...errors(403, 429) },
      detail: {
        operationId: "regenerateBackupCodes",
        summary: "Regenerate the backup codes",
        description:
          "Replaces all backup codes by ten new ones, shown this once. Takes a code of the app alone; 400 for a wrong one and when two-factor authentication is off. Wrong codes are counted as when turning it off: 429 and 403 `TwoFactorLocked`.",
      },
    },
  );

export const twoFactorAdminRoutes = new Elysia({ prefix: "/v1/users", tags: ["Two-factor authentication"] })
  .use(guard)
  .post(
    "/:id/2fa/unlock",
    async ({ caller, params, request }) => {
      await unlockTwoFactor(caller, params.id, clientOf(request));
      return { success: true, message: "Codes are accepted again" };
    },
    {
      access: "two_factor:manage",
      params: IdParams,
      response: { 200: Done, ...errors(404) },
      detail: {
        operationId: "unlockUserTwoFactorAuthentication",
        summary: "Unlock a user's two-factor authentication",
        description:
          "Forgets the wrong codes that were entered for a user: after a hundred in a row, sign-ins answer 403 `TwoFactorLocked`. A reset of the password does the same. Make sure that it is the user who asks, and have the password changed: whoever entered the codes knew it. 403 for the own account and for a user who holds permissions that the caller doesn't; 404 for no such user.",
      },
    },
  );
