import { characters, ignorable, nullable, oneOf, out, record, t } from "../../kernel/http/schema";
import { emailField, usernameField } from "../directory/schema";
import { newPasswordField, passwordField } from "../passwords/schema";
import { locale } from "../users/schema";
import { verificationToken } from "../verification/schema";

const challenge_token = t.Optional(
  ignorable({
    description:
      "Answer to the bot-protection challenge: a string, required where bot protection is configured. Otherwise the field is ignored, whatever its type",
    examples: ["XXXX.DUMMY.TOKEN.XXXX"],
  }),
);

export const RegisterInput = t.Object(
  { email: emailField, username: usernameField, password: newPasswordField, challenge_token },
  { title: "Register" },
);
export type RegisterInput = (typeof RegisterInput)["static"];

export const RegistrationPending = record(
  "RegistrationPending",
  {
    message: out.string("What to do next", "Use the link in the email that was sent to you"),
    expires_at: out.time("When its link expires"),
  },
  "An email with a link was sent; there is no account yet",
);

export const TokenInput = t.Object({ token: verificationToken }, { title: "Token" });

export const VerifiedEmail = record(
  "VerifiedEmail",
  {
    success: out.boolean("true"),
    message: out.string("What was done", "The account was created; sign in with your password"),
    verification_type: oneOf(["registration", "email_link", "email_change"], "What the token was for"),
    user_id: t.Optional(out.uuid("The user")),
    redirect_url: out.uri("Where to go next", "http://localhost:3000/"),
  },
  "What an email address was proved for",
);
export type VerifiedEmail = (typeof VerifiedEmail)["static"];

export const LoginInput = t.Object(
  {
    identifier: characters({
      minLength: 1,
      maxLength: 320,
      description: "Username or email address",
      examples: ["skipper"],
    }),
    password: passwordField,
    challenge_token,
  },
  { title: "Login" },
);
export type LoginInput = (typeof LoginInput)["static"];

export const ResetRequest = t.Object({ email: emailField, challenge_token }, { title: "ResetRequest" });
export type ResetRequest = (typeof ResetRequest)["static"];

export const ResetCompletion = t.Object(
  {
    token: verificationToken,
    new_password: newPasswordField,
    challenge_token,
    revoke_api_keys: t.Optional(
      t.Boolean({
        description: "Whether the user's API keys are switched off, those of trackers among them",
        examples: [true],
      }),
    ),
  },
  { title: "ResetCompletion" },
);
export type ResetCompletion = (typeof ResetCompletion)["static"];

export const PasswordChange = t.Object(
  { current_password: passwordField, new_password: newPasswordField },
  { title: "PasswordChange" },
);
export type PasswordChange = (typeof PasswordChange)["static"];

export const AuthResponse = record(
  "AuthResponse",
  {
    user_id: out.uuid("The user"),
    email: out.string("Email address; empty when the user has none", "skipper@example.org"),
    username: out.string("Username", "skipper"),
    session_token: t.Optional(
      out.string(
        "Bearer token; left out while 2FA is open",
        "ses_0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ",
      ),
    ),
    session_id: t.Optional(out.uuid("The session; left out while 2FA is open")),
    expires_at: t.Optional(out.time("When the session ends; left out while 2FA is open")),
    provider: nullable(
      out.string("Slug of the platform signed in with; `passkey` for a passkey alone", "email"),
    ),
    requires_2fa: out.boolean("Whether a 2FA challenge must be completed first", false),
    temp_token: t.Optional(out.string("Token of the 2FA challenge; only with requires_2fa", "2fa_…")),
    second_factors: t.Optional(
      t.Array(oneOf(["code", "passkey"], "A second factor"), {
        description: "Second factors that complete the sign-in; only where a passkey is one of them",
        examples: [["code", "passkey"]],
      }),
    ),
    preferred_locale: nullable(locale("Locale that the user chose")),
  },
  "Who signed in, and the session or the 2FA challenge",
);
export type AuthResponse = (typeof AuthResponse)["static"];
