import { nullable, out, record, t } from "../../kernel/schema";

export const LoginInput = t.Object(
  {
    identifier: t.String({
      minLength: 1,
      maxLength: 320,
      description: "Username or email address",
      examples: ["skipper"],
    }),
    password: t.String({
      minLength: 1,
      maxLength: 128,
      description: "Password",
      examples: ["a long passphrase"],
    }),
    challenge_token: t.Optional(
      nullable(
        t.String({ maxLength: 4_096, description: "Answer of the bot protection, where it is switched on" }),
      ),
    ),
  },
  { title: "Login" },
);
export type LoginInput = (typeof LoginInput)["static"];

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
    provider: nullable(out.string("Slug of the platform signed in with", "email")),
    requires_2fa: out.boolean("Whether a 2FA challenge must be completed first", false),
    temp_token: t.Optional(out.string("Token of the 2FA challenge; only with requires_2fa", "2fa_…")),
    preferred_locale: nullable(out.string("Locale that the user chose", "de")),
  },
  "Who signed in, and the session or the 2FA challenge",
);
export type AuthResponse = (typeof AuthResponse)["static"];

export const Message = record(
  "Message",
  { message: out.string("What was done", "Signed out") },
  "A plain answer",
);
