import { Elysia } from "elysia";
import { Done, errors } from "../../kernel/http/answers";
import { IdParams, optionalBody, query } from "../../kernel/http/schema";
import { guard } from "../access/guard";
import { NEEDS_RECENT_SIGN_IN } from "../proof/schema";
import { countProof } from "../reauthentication/limits";
import { unlockTwoFactor } from "../two-factor-codes/failures";
import { subjectOf } from "../two-factor-codes/service";
import { countedSubject } from "../two-factor-codes/tries";
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
import { disableTwoFactor, regenerateBackupCodes, twoFactorStatus } from "./service";
import { enableTwoFactor, qrCodeOf, setUpTwoFactor } from "./setup";

export const twoFactorRoutes = new Elysia({ prefix: "/v1/users/me/2fa", tags: ["Two-factor authentication"] })
  .use(guard)
  .get(
    "/status",
    ({ actor, query }) => twoFactorStatus(subjectOf(actor.caller, query.user_id, "two_factor:read")),
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
    ({ actor, query }) => twoFactorRequirement(subjectOf(actor.caller, query.user_id, "two_factor:read")),
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
    async ({ actor, body, set }) => {
      const user = subjectOf(actor.caller, body?.user_id, "two_factor:write");
      countProof(actor, body ?? {}, set.headers);
      const setup = await setUpTwoFactor(actor, user, body ?? {});
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
    ({ actor, body, set }) => {
      const user = countedSubject(actor, body.user_id, set.headers);
      countProof(actor, { password: body.password }, set.headers);
      return enableTwoFactor(actor, user, body);
    },
    {
      access: "authenticated",
      body: EnableInput,
      response: { 200: BackupCodes, ...errors(403, 429) },
      detail: {
        operationId: "completeSetUpOfTwoFactorAuthentication",
        summary: "Complete the set-up of two-factor authentication",
        description: `Turns it on with a code of the app, and returns ten backup codes, shown only once. On request it also ends the other sessions, which were opened without it. 400 for a wrong code, an expired set-up and when it is on already. ${NEEDS_RECENT_SIGN_IN}`,
      },
    },
  )
  .delete(
    "",
    async ({ actor, body, set }) => {
      const user = countedSubject(actor, body.user_id, set.headers);
      await disableTwoFactor(actor, user, body.code);
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
          "Takes a code of the app or a backup code. 400 for a wrong code and when it is off already. Wrong codes are counted together with those of sign-ins: 429 during the pause after one, 403 `TwoFactorLocked` after a hundred in a row.",
      },
    },
  )
  .post(
    "/backup-codes/regenerate",
    ({ actor, body, set }) =>
      regenerateBackupCodes(actor, countedSubject(actor, body.user_id, set.headers), body.code),
    {
      access: "authenticated",
      body: TotpInput,
      response: { 200: BackupCodes, ...errors(403, 429) },
      detail: {
        operationId: "regenerateBackupCodes",
        summary: "Regenerate the backup codes",
        description:
          "Replaces all backup codes by ten new ones, shown only once. Takes only a code of the app; 400 for a wrong one and when two-factor authentication is off. Wrong codes are counted as when turning it off: 429 and 403 `TwoFactorLocked`.",
      },
    },
  );

export const twoFactorAdminRoutes = new Elysia({ prefix: "/v1/users", tags: ["Two-factor authentication"] })
  .use(guard)
  .post(
    "/:id/2fa/unlock",
    async ({ actor, params }) => {
      await unlockTwoFactor(actor, params.id);
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
          "Forgets the wrong codes that were entered for a user: after a hundred in a row, sign-ins answer 403 `TwoFactorLocked`. A reset of the password does the same, once in 30 days unless a right code came between. Make sure that it is the user who asks, and have the password changed: whoever entered the codes knew it. 403 for the caller's own account and for a user who holds permissions that the caller doesn't; 404 for an unknown user.",
      },
    },
  );
