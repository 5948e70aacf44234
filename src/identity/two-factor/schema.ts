import { nullable, optional, out, record, t, uuid } from "../../kernel/http/schema";
import { proofFields } from "../proof/schema";

const user_id = t.Optional(
  uuid("The user: required with a system key, else the caller; somebody else needs two_factor:manage"),
);

export const SubjectQuery = t.Object({ user_id });

/** Six digits of the app. Clients must remove the blanks that apps show between groups. */
const totpCode = t.String({
  pattern: "^[0-9]{6}$",
  minLength: 6,
  maxLength: 6,
  "x-expected": "must be 6 digits",
  description: "Code of the authenticator app",
  examples: ["492039"],
});

/** No pattern and no minimum: a malformed code counts as a wrong one. */
const anyCode = t.String({
  description: "Code of the authenticator app, or a backup code",
  examples: ["492039"],
});

export const SetupInput = t.Object(
  {
    platform_id: t.Optional(uuid("Platform to set it up from; `email` when left out")),
    user_id,
    ...proofFields,
  },
  { title: "TwoFactorSetupInput" },
);

export const TotpInput = t.Object({ code: totpCode, user_id }, { title: "TotpCode" });

export const EnableInput = t.Object(
  {
    code: totpCode,
    user_id,
    password: proofFields.password,
    end_other_sessions: t.Optional(
      t.Boolean({
        description: "Whether the user's other sessions end: they were opened without the second factor",
        examples: [true],
      }),
    ),
  },
  { title: "TwoFactorEnable" },
);

export const DisableInput = t.Object({ code: anyCode, user_id }, { title: "TwoFactorDisable" });

export const ChallengeInput = t.Object(
  {
    temp_token: t.String({
      description: "The token that the sign-in answered",
      examples: ["2fa_0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ"],
    }),
    code: anyCode,
  },
  { title: "TwoFactorChallenge" },
);
export type ChallengeInput = (typeof ChallengeInput)["static"];

export const CheckInput = t.Object(
  {
    user_id: uuid("The user who signs in"),
    oauth_provider: optional(
      t.String({
        minLength: 1,
        maxLength: 64,
        pattern: "^[a-z0-9_-]+$",
        "x-expected": "must be the slug of a platform",
        description: "Slug of the platform signed in with; kept for the session",
        examples: ["discord"],
      }),
    ),
  },
  { title: "TwoFactorCheck" },
);

export const CheckResult = record(
  "TwoFactorCheckResult",
  {
    requires_2fa: out.boolean("Whether a second factor must be given"),
    temp_token: t.Optional(out.string("Token of the challenge; only with requires_2fa", "2fa_…")),
  },
  "Whether a sign-in needs a second step",
);

export const TwoFactorStatus = record(
  "TwoFactorStatus",
  {
    enabled: out.boolean("Whether two-factor authentication is on"),
    enabled_at: nullable(out.time("Since when")),
    backup_codes_remaining: out.integer("Backup codes that were not used yet", 10),
    setup_platform: nullable(out.string("Slug of the platform that it was set up from", "email")),
    platform_slug: nullable(out.string("The same", "email")),
  },
  "The state of a user's two-factor authentication",
);
export type TwoFactorStatus = (typeof TwoFactorStatus)["static"];

export const TwoFactorRequirement = record(
  "TwoFactorRequirement",
  {
    required: out.boolean("Whether a role or a platform of the user requires it"),
    enabled: out.boolean("Whether it is on", false),
    required_by_roles: t.Array(t.String(), {
      description: "Names of the roles that require it",
      examples: [["Admin"]],
    }),
    can_enable: out.boolean("Whether the user can turn it on now"),
    reason: out.string(
      "Why, and what to do",
      "Required by the role Admin: set it up with POST /v1/users/me/2fa/setup",
    ),
  },
  "Whether a user must have two-factor authentication",
);
export type TwoFactorRequirement = (typeof TwoFactorRequirement)["static"];

export const TwoFactorSetup = record(
  "TwoFactorSetup",
  {
    secret: out.string("Secret in base32, for manual entry", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"),
    qr_code_url: out.uri(
      "otpauth URI, which the QR code holds",
      "otpauth://totp/Fairlead:skipper?issuer=Fairlead&secret=JBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30",
    ),
    qr_code_image: out.uri("QR code as a PNG data URI", "data:image/png;base64,iVBORw0KGgo="),
    expires_at: out.time("Until when the set-up must be completed"),
    platform_slug: out.string("Slug of the platform that it is set up from", "email"),
  },
  "What an authenticator app needs",
);
export type TwoFactorSetup = (typeof TwoFactorSetup)["static"];

export const BackupCodes = record(
  "BackupCodes",
  {
    success: out.boolean("true"),
    backup_codes: t.Array(t.String(), {
      description: "Ten single-use codes, shown only once",
      examples: [["K7QXM-2HVNB", "9TRWD-CJ4PA"]],
    }),
    message: out.string("What was done", "Two-factor authentication is on"),
    platform_slug: out.string("Slug of the platform that it was set up from", "email"),
  },
  "New backup codes",
);
