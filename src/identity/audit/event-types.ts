/**
 * The event types that exist, each with the operations that write it (rule E1).
 * tests/identity/audit/event-types.test.ts calls every operation named here, and looks at what it wrote.
 */

interface EventType {
  meaning: string;
  /**
   * The operations that write the event: `METHOD /path`, or a message of the socket, a command or a job by
   * its name. GraphQL's mutations do the same as REST and are named only where they differ.
   */
  by: readonly string[];
}

/** Operations by which other services write events, of types of their own too. */
const SERVICES = ["POST /v1/internal/audit", "CreateAuditEventRequest"] as const;

/** All operations that bring events from outside, where other services choose the words. */
export const FROM_OUTSIDE: readonly string[] = [...SERVICES, "ModerationEvent"];

/** Operations that take a passkey at a sign-in. */
const BY_PASSKEY = [
  ...(["POST /v1/auth/passkeys/verify", "POST /v1/auth/2fa/passkey/verify"] as const),
  ...(["POST /bridge/session/passkey", "POST /bridge/session/2fa/passkey"] as const),
  "the sign-in page, by a passkey",
] as const;

/** Operations that take one beside a password. */
const BY_SECOND_PASSKEY = [
  "POST /v1/auth/2fa/passkey/verify",
  "POST /bridge/session/2fa/passkey",
  "the sign-in page, by a passkey",
] as const;

const SIGN_INS = [
  ...BY_PASSKEY,
  ...(["POST /v1/auth/login", "POST /v1/auth/2fa/verify", "POST /v1/sessions"] as const),
  ...(["POST /bridge/session", "POST /bridge/session/2fa", "the sign-in page"] as const),
  ...(["POST /v1/auth/oidc/session", "POST /bridge/session/oidc"] as const),
] as const;

/** Operations that sign a user out. */
const SIGN_OUTS = [
  ...(["POST /v1/auth/logout", "DELETE /bridge/session", "DELETE /v1/sessions/{token}"] as const),
  ...(["mutation logout", "the sign-out page"] as const),
] as const;

/** The way back of a browser from an OpenID provider: `GET /v1/auth/oidc/{name}/callback`. */
const CALL_BACK = "the call-back of a provider";

/** Operations that scrub an account: everything that belonged to it ends with it. */
const SCRUBS = ["POST /v1/admin/users/{id}/force-delete", "delete accounts whose time has come"] as const;

/** Operations that end sessions out of caution, or with their user. */
const ENDS_SESSIONS = [
  ...(["DELETE /v1/users/me/sessions/{session_id}", "DELETE /v1/users/me/sessions"] as const),
  ...(["DELETE /v1/users/{id}/sessions", "POST /v1/users/me/2fa/verify"] as const),
  ...(["POST /v1/users/me/password", "POST /v1/auth/reset-password/complete"] as const),
  ...(["POST /v1/users/{id}/ban", "DELETE /v1/users/{id}", ...SCRUBS] as const),
] as const;

/** Operations that need a recent sign-in, or take a proof in place of it. */
const PROVEN = [
  "POST /v1/auth/reauthenticate",
  "POST /v1/api-keys",
  "PATCH /v1/api-keys/{id}",
  "POST /v1/api-keys/{id}/regenerate",
  "POST /v1/api-keys/{id}/roles",
  "PATCH /v1/users/{id}",
  "POST /v1/users/{id}/roles",
  "POST /v1/roles/{id}/permissions",
  "POST /v1/users/{id}/email/request-change",
  "POST /v1/users/me/2fa/setup",
  "POST /v1/admin/users/{id}/force-delete",
  "POST /v1/users/me/identities/begin/{name}",
] as const;

export const EVENT_TYPES = {
  login: { meaning: "A user signed in", by: [...SIGN_INS, "POST /bridge/first-start"] },
  login_failed: {
    meaning: "A sign-in with a password, or through an OpenID provider, was refused",
    by: ["POST /v1/auth/login", "POST /bridge/session", "the sign-in page", CALL_BACK],
  },
  reauthenticated: {
    meaning: "A user proved again who it is or, with status `failure`, gave a wrong password where signed in",
    by: [
      ...PROVEN,
      "POST /v1/users/me/2fa/verify",
      "POST /v1/users/{id}/email-link/request",
      "POST /v1/users/me/password",
      "POST /v1/users/me/deletion",
    ],
  },
  logout: {
    meaning: "A user signed out",
    by: [...SIGN_OUTS, "the sign-in page"],
  },
  session_created: {
    meaning: "A session was opened: at a sign-in, or with the account",
    by: [
      ...SIGN_INS,
      "POST /v1/auth/register/verify",
      "POST /v1/invitations/{token}/accept",
      "POST /bridge/first-start",
    ],
  },
  session_revoked: {
    meaning: "A session was ended by something else than its own logout",
    by: [...ENDS_SESSIONS, "mutation logout"],
  },
  "2fa_enabled": { meaning: "Two-factor authentication was turned on", by: ["POST /v1/users/me/2fa/verify"] },
  "2fa_disabled": { meaning: "Two-factor authentication was turned off", by: ["DELETE /v1/users/me/2fa"] },
  "2fa_verified": {
    meaning: "A second factor was accepted at a sign-in or, with status `failure`, refused anywhere",
    by: [
      "the sign-in page",
      "POST /bridge/session/2fa",
      "POST /v1/auth/2fa/verify",
      ...BY_SECOND_PASSKEY,
      "POST /v1/users/me/2fa/verify",
      "DELETE /v1/users/me/2fa",
      "POST /v1/users/me/2fa/backup-codes/regenerate",
      "POST /v1/users/me/deletion",
      ...PROVEN,
      "POST /v1/users/{id}/email-link/request",
    ],
  },
  passkey_added: {
    meaning: "A passkey was added to an account",
    by: ["POST /v1/users/me/passkeys", "POST /v1/invitations/{token}/accept"],
  },
  passkey_updated: { meaning: "A passkey was renamed", by: ["PATCH /v1/users/me/passkeys/{id}"] },
  passkey_removed: {
    meaning:
      "A passkey was removed: by its user, by a reset of the password that proved the address, or with the account",
    by: ["DELETE /v1/users/me/passkeys/{id}", "POST /v1/auth/reset-password/complete", ...SCRUBS],
  },
  passkey_login: {
    meaning: "A passkey was accepted at a sign-in: by itself, or as the second factor, as `metadata` says",
    by: BY_PASSKEY,
  },
  passkey_refused: {
    meaning:
      "A passkey was refused, at a sign-in or where its user was to prove who they are: `error_message` says why",
    by: [...BY_PASSKEY, "POST /v1/auth/reauthenticate"],
  },
  "2fa_locked": {
    meaning: "A hundred wrong codes in a row ended sign-ins with the second factor",
    by: [
      "the sign-in page",
      "POST /bridge/session/2fa",
      "POST /v1/auth/2fa/verify",
      "DELETE /v1/users/me/2fa",
      "POST /v1/users/me/2fa/backup-codes/regenerate",
      "POST /v1/users/me/deletion",
    ],
  },
  "2fa_unlocked": {
    meaning: "They were opened again",
    by: ["POST /v1/users/{id}/2fa/unlock", "POST /v1/auth/reset-password/complete"],
  },
  "2fa_backup_codes_regenerated": {
    meaning: "All backup codes were replaced",
    by: ["POST /v1/users/me/2fa/backup-codes/regenerate"],
  },
  password_changed: {
    meaning: "A password was changed, or set anew after a reset",
    by: ["POST /v1/users/me/password", "POST /v1/auth/reset-password/complete"],
  },
  password_reset_requested: {
    meaning: "A password reset was asked for",
    by: ["POST /v1/auth/reset-password"],
  },
  user_created: {
    meaning: "An account was created",
    by: [
      "POST /v1/auth/register/verify",
      "POST /v1/auth/verify-email",
      "POST /v1/users/oauth",
      "POST /v1/invitations/{token}/accept",
      "POST /bridge/first-start",
      CALL_BACK,
      "user create",
    ],
  },
  invitation_created: {
    meaning: "Somebody was invited; `metadata` has the roles and the devices",
    by: ["POST /v1/invitations"],
  },
  invitation_accepted: {
    meaning:
      "An invitation was accepted; `metadata` has who invited, and how many of its roles and shares that one could no longer give",
    by: ["POST /v1/invitations/{token}/accept"],
  },
  invitation_revoked: {
    meaning: "An invitation was revoked: by somebody, or with the account of whoever invited",
    by: ["DELETE /v1/invitations/{id}", ...SCRUBS],
  },
  user_updated: {
    meaning: "Something of an account changed",
    by: [
      "PATCH /v1/users/{id}",
      "PATCH /v1/users/{id}/locale",
      "PATCH /v1/users/{id}/username",
      "POST /v1/users/{id}/email/request-change",
      "POST /v1/users/{id}/email-link/request",
      "POST /v1/users/email/verify",
      "POST /v1/auth/verify-email",
      "DELETE /v1/users/{id}/email/pending",
      "DELETE /v1/users/{id}/email-link/pending",
      "PUT /v1/users/{id}/accounts/{account_id}/primary",
      "POST /v1/users/oauth",
    ],
  },
  user_deleted: {
    meaning: "An account was deleted",
    by: ["DELETE /v1/users/{id}", ...SCRUBS],
  },
  user_banned: { meaning: "A user was banned", by: ["POST /v1/users/{id}/ban"] },
  user_unbanned: {
    meaning: "A ban was lifted, or is noted to have run out",
    by: ["DELETE /v1/users/{id}/ban", "close bans that ran out", "POST /v1/users/{id}/ban"],
  },
  user_deletion_scheduled: {
    meaning: "A user scheduled the deletion of their own account",
    by: ["POST /v1/users/me/deletion"],
  },
  user_deletion_cancelled: {
    meaning: "A scheduled deletion was taken back",
    by: ["DELETE /v1/users/me/deletion", "POST /v1/admin/users/{id}/cancel-deletion"],
  },
  account_linked: {
    meaning:
      "A platform account or an identity at a provider was linked to a user, or an integration connected",
    by: [
      CALL_BACK,
      "POST /v1/users/me/identities",
      "POST /v1/users/oauth",
      "POST /v1/users/email-link/verify",
      "POST /v1/auth/verify-email",
      "GET /v1/integrations/callback/{platform}",
    ],
  },
  account_reconnected: {
    meaning: "An integration was connected again, after it was removed or became inactive",
    by: ["GET /v1/integrations/callback/{platform}"],
  },
  account_unlinked: {
    meaning: "A platform account, an identity at a provider or an integration was taken from a user",
    by: [
      "DELETE /v1/users/{id}/accounts/{account_id}",
      "DELETE /v1/integrations/{id}",
      "DELETE /v1/users/me/identities/{id}",
    ],
  },
  data_exported: { meaning: "A user exported their own personal data", by: ["GET /v1/user/export"] },
  audit_reported: {
    meaning: "A user reported an event that looks wrong",
    by: ["POST /v1/users/me/audit/{event_id}/report"],
  },
  platform_updated: {
    meaning: "A setting of a platform changed; one event for each setting",
    by: ["PATCH /v1/platforms/{id_or_slug}/enabled", "PATCH /v1/platforms/{id_or_slug}/settings"],
  },
  client_created: { meaning: "An OAuth client was created", by: ["POST /v1/oauth/clients"] },
  client_updated: { meaning: "An OAuth client was changed", by: ["PATCH /v1/oauth/clients/{id}"] },
  client_secret_regenerated: {
    meaning: "An OAuth client got another secret",
    by: ["POST /v1/oauth/clients/{id}/regenerate-secret"],
  },
  client_deleted: {
    meaning: "An OAuth client was deleted",
    by: ["DELETE /v1/oauth/clients/{id}", ...SCRUBS],
  },
  api_key_created: {
    meaning: "An API key was created, or made anew by regeneration",
    by: ["POST /v1/api-keys", "POST /v1/api-keys/{id}/regenerate", "key create"],
  },
  api_key_updated: {
    meaning: "An API key was changed: its fields, its roles, or the device that it posts for",
    by: [
      "PATCH /v1/api-keys/{id}",
      "POST /v1/api-keys/{id}/roles",
      "DELETE /v1/api-keys/{id}/roles/{role_id}",
      "POST /v1/devices",
      "PATCH /v1/devices/{id}",
      "DELETE /v1/devices/{id}",
    ],
  },
  api_key_revoked: {
    meaning: "An API key ended",
    by: [
      "DELETE /v1/api-keys/{id}",
      "POST /v1/api-keys/{id}/regenerate",
      "DELETE /v1/users/{id}",
      "POST /v1/auth/reset-password/complete",
      ...SCRUBS,
    ],
  },
  alert_acknowledged: {
    meaning: "An alert was acknowledged",
    by: ["POST /v1/alerts/{id}/acknowledge"],
  },
  anchor_watch_set: {
    meaning: "An anchor watch was set or changed",
    by: ["PUT /v1/devices/{id}/anchor"],
  },
  anchor_watch_ended: { meaning: "An anchor watch was ended", by: ["DELETE /v1/devices/{id}/anchor"] },
  alert_rule_created: {
    meaning: "An alert rule was created, or came from the shore",
    by: ["POST /v1/alert-rules"],
  },
  alert_rule_updated: {
    meaning:
      "An alert rule was changed, or ceased to mention a device or a zone that was deleted, or came anew from the shore",
    by: ["PATCH /v1/alert-rules/{id}", "DELETE /v1/devices/{id}", "DELETE /v1/geofences/{id}"],
  },
  alert_rule_deleted: {
    meaning: "An alert rule was deleted, or taken back by the shore",
    by: ["DELETE /v1/alert-rules/{id}"],
  },
  device_shared: {
    meaning: "A device was shared with a user, or that share was changed; `metadata` has its level and end",
    by: ["PUT /v1/devices/{id}/shares/{user_id}", "POST /v1/invitations/{token}/accept"],
  },
  device_unshared: {
    meaning:
      "A device is no longer shared with a user: by somebody, at the end of its time, or with device or account",
    by: [
      ...(["DELETE /v1/devices/{id}/shares/{user_id}", "DELETE /v1/devices/{id}"] as const),
      ...(["end shares that ran out", ...SCRUBS] as const),
    ],
  },
  share_link_created: {
    meaning: "A link that shows devices or a trip was made; `metadata` has which, its level and its end",
    by: ["POST /v1/share-links"],
  },
  share_link_ended: {
    meaning:
      "A link ended: by somebody, at the end of its time, or with its devices, its trip, a zone that it hid or its maker's account",
    by: [
      ...(["DELETE /v1/share-links/{id}", "DELETE /v1/devices/{id}", "DELETE /v1/trips/{id}"] as const),
      ...(["DELETE /v1/geofences/{id}", "end links that ran out", ...SCRUBS] as const),
    ],
  },
  tracker_created: {
    meaning: "A tracker, the credential of an app that posts positions of a device, was created",
    by: ["POST /v1/devices/{id}/trackers"],
  },
  tracker_updated: {
    meaning: "A tracker was changed",
    by: ["PATCH /v1/devices/{id}/trackers/{tracker_id}"],
  },
  tracker_deleted: {
    meaning: "A tracker was deleted: by itself, or with its device or its maker's account",
    by: ["DELETE /v1/devices/{id}/trackers/{tracker_id}", "DELETE /v1/devices/{id}", ...SCRUBS],
  },
  box_created: {
    meaning: "A box, a server aboard that sends what it keeps, was created",
    by: ["POST /v1/sync/boxes"],
  },
  box_updated: { meaning: "A box was changed", by: ["PATCH /v1/sync/boxes/{id}"] },
  box_token_rotated: {
    meaning: "A box got another token; the former one ended",
    by: ["POST /v1/sync/boxes/{id}/rotate-token"],
  },
  box_resync_requested: {
    meaning: "A box was asked to send all that it keeps again",
    by: ["POST /v1/sync/boxes/{id}/resync"],
  },
  box_deleted: {
    meaning: "A box was deleted: its token ended, and what it had sent became this server's own",
    by: ["DELETE /v1/sync/boxes/{id}"],
  },
  notification_target_created: {
    meaning: "A notification target, a place that alerts are sent to, was created",
    by: ["POST /v1/notification-targets"],
  },
  notification_target_updated: {
    meaning: "A notification target was changed, or switched off since its receiver answered 410",
    by: [
      "PATCH /v1/notification-targets/{id}",
      "POST /v1/notification-targets/{id}/test",
      "deliver notifications",
    ],
  },
  notification_target_secret_rotated: {
    meaning: "A webhook got another secret",
    by: ["POST /v1/notification-targets/{id}/rotate-secret"],
  },
  notification_target_deleted: {
    meaning: "A notification target was deleted: by itself, or with its maker's account",
    by: ["DELETE /v1/notification-targets/{id}", ...SCRUBS],
  },
  trip_log_deleted: {
    meaning:
      "A trip was deleted, and its log with it: `metadata` has the number of entries and the last hash",
    by: ["DELETE /v1/trips/{id}"],
  },
  role_created: { meaning: "A role was created", by: ["POST /v1/roles"] },
  role_updated: {
    meaning: "A role was changed, or what it permits",
    by: [
      "PATCH /v1/roles/{id}",
      "POST /v1/roles/{id}/permissions",
      "DELETE /v1/roles/{id}/permissions/{permission_id}",
    ],
  },
  role_deleted: { meaning: "A role was deleted", by: ["DELETE /v1/roles/{id}"] },
  role_assigned: {
    meaning: "A user got a role",
    by: ["POST /v1/users/{id}/roles", "POST /v1/invitations/{token}/accept", CALL_BACK],
  },
  role_removed: {
    meaning: "A role was taken from a user",
    by: ["DELETE /v1/users/{id}/roles/{role_id}", CALL_BACK],
  },
  permission_created: { meaning: "A permission was created", by: ["POST /v1/permissions"] },
  setting_updated: {
    meaning:
      "A system setting was created, replaced or deleted, or an entry of the system config or a setting of the community bot changed",
    by: [
      "POST /v1/settings",
      "PUT /v1/settings/{key}",
      "DELETE /v1/settings/{key}",
      "PATCH /v1/system-config/{key}",
      "PUT /v1/community/settings",
      "PUT /v1/community/guilds/{guild_id}/settings",
    ],
  },
  positions_imported: {
    meaning: "Positions of a device were imported from a file; status `failure` if that ended too early",
    by: ["POST /v1/devices/{id}/import", "import"],
  },
  consent_granted: {
    meaning: "A user let an application act in their name, or more than before",
    by: [...SERVICES, "the consent page"],
  },
  consent_revoked: {
    meaning: "A user took that consent back",
    by: [...SERVICES, "DELETE /v1/users/me/consents/{id}"],
  },
  oauth_grant_created: {
    meaning: "A user signed in to an application, or an application began to act for itself",
    by: ["POST /oauth/token"],
  },
  oauth_grant_ended: {
    meaning:
      "The tokens of such a sign-in ended before their time; with status `failure`, since a code or a refresh token of it was used twice",
    by: [
      ...SIGN_OUTS,
      ...ENDS_SESSIONS,
      ...(["DELETE /v1/users/me/consents/{id}", "POST /oauth/token", "POST /oauth/revoke"] as const),
      ...(["PATCH /v1/oauth/clients/{id}", "DELETE /v1/oauth/clients/{id}"] as const),
    ],
  },
  signing_key_rotated: {
    meaning: "A key that signs ID tokens was made; the one before is published for a while longer",
    by: ["rotate the keys of ID tokens", "signing-key rotate"],
  },
  bot_command_executed: { meaning: "A bot carried out a command", by: SERVICES },
  bot_guild_configured: { meaning: "A bot was set up for a guild", by: SERVICES },
  moderation_action: {
    meaning: "A bot moderated a member of a guild",
    by: [...SERVICES, "ModerationEvent"],
  },
} as const satisfies Record<string, EventType>;

/** Types of the events that Fairlead itself writes. */
const OWN_TYPES = Object.entries<EventType>(EVENT_TYPES)
  .filter(([, { by }]) => by.some((operation) => !FROM_OUTSIDE.includes(operation)))
  .map(([type]) => `'${type}'`);

/** A condition of SQL: true for an event worded by a service. Earlier versions stored no `recorded_by`, only source and type. */
export const IS_FOREIGN = `(recorded_by_kind IS NOT NULL OR source_service <> 'api' OR event_type NOT IN (${OWN_TYPES}))`;

/** The event types as a Markdown table, for readers of the OpenAPI document. */
export const EVENT_TYPE_TABLE = [
  "| Event type | Meaning | Written by |",
  "|---|---|---|",
  ...Object.entries(EVENT_TYPES).map(
    ([type, { meaning, by }]) =>
      `| \`${type}\` | ${meaning} | ${by.map((operation) => `\`${operation}\``).join("<br>")} |`,
  ),
].join("\n");

export type AuditEventType = keyof typeof EVENT_TYPES;
