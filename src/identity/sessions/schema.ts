import { ErrorBody, SelfLink } from "../../kernel/http/answers";
import { characters, dateTime, oneOf, out, record, t, uuid } from "../../kernel/http/schema";

const ActiveSession = record(
  "ActiveSession",
  {
    id: out.uuid("Identifier"),
    ip_address: out.string("Address from which it was opened", "203.0.113.7"),
    user_agent: out.string("User agent as the client sent it", "Mozilla/5.0 (X11; Linux x86_64) …"),
    device_type: oneOf(["desktop", "mobile", "tablet"], "Kind of device"),
    browser_name: out.string("Browser; `Unknown` when it can't be told", "Firefox"),
    os_name: out.string("Operating system; `Unknown` when it can't be told", "Linux"),
    provider: out.string("Slug of the platform signed in with; `passkey` for a passkey alone", "email"),
    provider_name: out.string("Name of that platform, or `Passkey`", "Email"),
    last_activity_at: out.time(
      "When it was last used, to the minute; through an open WebSocket, to the hour",
    ),
    created_at: out.time("When it was opened"),
    expires_at: out.time("When it ends"),
    is_current: out.boolean("Whether it is the session of this request"),
  },
  "A session of a user, and where it was opened",
);
export type ActiveSession = (typeof ActiveSession)["static"];

export const SessionList = record(
  "SessionList",
  {
    sessions: t.Array(ActiveSession, { description: "The sessions" }),
    current_session_id: out.uuid("The session that makes this request"),
    _links: SelfLink,
  },
  "The caller's open sessions, newest first",
);

export const RevokedSessions = record(
  "RevokedSessions",
  {
    success: out.boolean("true"),
    revoked_count: out.integer("How many sessions were ended", 2),
    message: out.string("What was done", "2 sessions were revoked"),
  },
  "How many sessions were ended",
);

export const NotRevoked = t.Object(
  {
    ...ErrorBody.properties,
    success: t.Optional(out.boolean("false, when the session is the one that asks", false)),
  },
  {
    title: "NotRevoked",
    description: "The current session, which only a logout ends; or an invalid identifier",
  },
);

export const SessionParams = t.Object({ session_id: uuid("Identifier of the session") });

export const NewInternalSession = t.Object(
  {
    userId: uuid("The user"),
    expires: dateTime("When the session ends; in the future", { examples: ["2099-12-31T23:00:00.000Z"] }),
  },
  { title: "NewInternalSession" },
);
export type NewInternalSession = (typeof NewInternalSession)["static"];

const EXAMPLE_TOKEN = "ses_0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ";

export const InternalSession = record(
  "InternalSession",
  {
    id: out.uuid("Identifier"),
    sessionToken: out.string("Bearer token", EXAMPLE_TOKEN),
    userId: out.uuid("The user"),
    expires: out.time("When it ends"),
    created_at: out.time("When it was opened"),
  },
  "A session and its token",
);
export type InternalSession = (typeof InternalSession)["static"];

export const TokenParams = t.Object({
  token: characters({
    minLength: 1,
    maxLength: 128,
    description: "The session token",
    examples: [EXAMPLE_TOKEN],
  }),
});

export const LOGOUT_REASONS = [
  "user_initiated",
  "token_deleted",
  "session_expired",
  "revoked",
  "no_access",
] as const;
export type LogoutReason = (typeof LOGOUT_REASONS)[number];

export const LogoutQuery = t.Object({
  reason: t.Optional(oneOf(LOGOUT_REASONS, "Why it ends; `user_initiated` when left out")),
});
