import { Elysia } from "elysia";
import { config } from "../../config";
import { clientOf } from "../../kernel/client";
import { Done, errors, optionalBody, query } from "../../kernel/schema";
import { guard, type RateRule } from "../access/guard";
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
  twoFactorRequirement,
  twoFactorStatus,
} from "./service";

/** Codes that one credential may try. */
const codeLimit: RateRule = { name: "two-factor", rate: () => config["rate_limit.two_factor"] };

const triesCodes = { requires: "authenticated", limit: codeLimit } as const;

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
      setUpTwoFactor(subjectOf(caller, body?.user_id, "two_factor:write"), body?.platform_id),
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
    ({ caller, body, request }) =>
      enableTwoFactor(
        caller,
        subjectOf(caller, body.user_id, "two_factor:write"),
        body.code,
        clientOf(request),
      ),
    {
      access: triesCodes,
      body: TotpInput,
      response: { 200: BackupCodes, ...errors(403) },
      detail: {
        summary: "Complete the set-up of two-factor authentication",
        description:
          "Turns it on with a code of the app, and answers ten backup codes this once. 400 for a wrong code, an expired set-up and when it is on already.",
      },
    },
  )
  .delete(
    "",
    async ({ caller, body, request }) => {
      const user = subjectOf(caller, body?.user_id, "two_factor:write");
      await disableTwoFactor(caller, user, body?.code, clientOf(request));
      return { success: true, message: "Two-factor authentication is off" };
    },
    {
      access: triesCodes,
      body: optionalBody(DisableInput),
      response: { 200: Done, ...errors(403) },
      detail: {
        summary: "Turn two-factor authentication off",
        description:
          "With a code of the app or a backup code. Only who manages another user's with `two_factor:manage` may leave the code out. 400 for a wrong code and when it is off already.",
      },
    },
  )
  .post(
    "/backup-codes/regenerate",
    ({ caller, body, request }) =>
      regenerateBackupCodes(
        caller,
        subjectOf(caller, body.user_id, "two_factor:write"),
        body.code,
        clientOf(request),
      ),
    {
      access: triesCodes,
      body: TotpInput,
      response: { 200: BackupCodes, ...errors(403) },
      detail: {
        summary: "Regenerate the backup codes",
        description:
          "Replaces all backup codes by ten new ones, shown this once. Takes a code of the app alone; 400 for a wrong one and when two-factor authentication is off.",
      },
    },
  );
