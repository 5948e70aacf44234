import { Elysia } from "elysia";
import { clientOf } from "../../kernel/client";
import { Done, errors, optionalBody, query } from "../../kernel/schema";
import { guard } from "../access/guard";
import { twoFactorRequirement } from "./requirement";
import {
  BackupCodes,
  DisableInput,
  SetupInput,
  SubjectQuery,
  TotpInput,
  TwoFactorRequirement,
  TwoFactorSetup,
  TwoFactorStatus,
} from "./schema";
import {
  disableTwoFactor,
  enableTwoFactor,
  regenerateBackupCodes,
  setUpTwoFactor,
  subjectOf,
  twoFactorStatus,
} from "./service";
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
        summary: "Get the two-factor requirement",
        description:
          "Whether a role or a linked platform requires two-factor authentication, and what to do about it. Access as for the status.",
      },
    },
  )
  .post(
    "/setup",
    ({ caller, body }) =>
      setUpTwoFactor(caller, subjectOf(caller, body?.user_id, "two_factor:write"), body?.platform_id),
    {
      access: "authenticated",
      body: optionalBody(SetupInput),
      response: { 200: TwoFactorSetup, ...errors(403, 404) },
      detail: {
        summary: "Set up two-factor authentication",
        description:
          "Answers a secret and its QR code for an authenticator app. Complete the set-up within 10 minutes; a new one replaces it. 400 when it is on already or the platform does not support it. A user's API key needs `two_factor:write`; another user needs `two_factor:manage`.",
      },
    },
  )
  .post(
    "/verify",
    ({ caller, body, request, set }) =>
      enableTwoFactor(
        caller,
        subjectTryingCode(caller, body.user_id, set.headers),
        body.code,
        clientOf(request),
      ),
    {
      access: "authenticated",
      body: TotpInput,
      response: { 200: BackupCodes, ...errors(403, 429) },
      detail: {
        summary: "Complete the set-up of two-factor authentication",
        description:
          "Turns it on with a code of the app, and answers ten backup codes this once. 400 for a wrong code, an expired set-up and when it is on already.",
      },
    },
  )
  .delete(
    "",
    async ({ caller, body, request, set }) => {
      const user = subjectTryingCode(caller, body.user_id, set.headers);
      await disableTwoFactor(caller, user, body.code, clientOf(request));
      return { success: true, message: "Two-factor authentication is off" };
    },
    {
      access: "authenticated",
      body: DisableInput,
      response: { 200: Done, ...errors(403, 429) },
      detail: {
        summary: "Turn two-factor authentication off",
        description:
          "With a code of the app or a backup code. 400 for a wrong code and when it is off already.",
      },
    },
  )
  .post(
    "/backup-codes/regenerate",
    ({ caller, body, request, set }) =>
      regenerateBackupCodes(
        caller,
        subjectTryingCode(caller, body.user_id, set.headers),
        body.code,
        clientOf(request),
      ),
    {
      access: "authenticated",
      body: TotpInput,
      response: { 200: BackupCodes, ...errors(403, 429) },
      detail: {
        summary: "Regenerate the backup codes",
        description:
          "Replaces all backup codes by ten new ones, shown this once. Takes a code of the app alone; 400 for a wrong one and when two-factor authentication is off.",
      },
    },
  );
