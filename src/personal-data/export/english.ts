import type { AuditEventType } from "../../identity/audit/event-types";
import { lazy } from "../../kernel/values/lazy";
import type { Words } from "./words";

const EVENTS: Record<AuditEventType, string> = {
  login: "Signed in",
  login_failed: "A sign-in with a password was refused",
  reauthenticated: "The identity was confirmed again",
  logout: "Signed out",
  session_created: "A session was opened",
  session_revoked: "A session was ended",
  "2fa_enabled": "Two-factor authentication was turned on",
  "2fa_disabled": "Two-factor authentication was turned off",
  "2fa_verified": "A second factor was checked",
  "2fa_locked": "Too many wrong codes ended signing in with the second factor",
  "2fa_unlocked": "Signing in with the second factor was opened again",
  "2fa_backup_codes_regenerated": "The backup codes were replaced",
  password_changed: "The password was changed",
  password_reset_requested: "A new password was asked for",
  user_created: "The account was created",
  user_updated: "Something of the account was changed",
  user_deleted: "The account was deleted",
  user_banned: "The account was banned",
  user_unbanned: "The ban was lifted",
  user_deletion_scheduled: "The deletion of the account was scheduled",
  user_deletion_cancelled: "The deletion of the account was taken back",
  account_linked: "A platform account was linked",
  account_reconnected: "An integration was connected again",
  account_unlinked: "A platform account was unlinked",
  data_exported: "The own data was exported",
  audit_reported: "An activity was reported",
  platform_updated: "A setting of a platform was changed",
  client_created: "An OAuth application was created",
  client_updated: "An OAuth application was changed",
  client_secret_regenerated: "An OAuth application got a new secret",
  client_deleted: "An OAuth application was deleted",
  api_key_created: "An API key was created",
  api_key_updated: "An API key was changed",
  api_key_revoked: "An API key ended",
  alert_acknowledged: "Alert acknowledged",
  anchor_watch_set: "Anchor watch set",
  anchor_watch_ended: "Anchor watch ended",
  alert_rule_created: "Alert rule created",
  alert_rule_updated: "Alert rule changed",
  alert_rule_deleted: "Alert rule deleted",
  device_shared: "A device was shared with you",
  device_unshared: "A device is no longer shared with you",
  tracker_created: "A tracker was created",
  tracker_updated: "A tracker was changed",
  tracker_deleted: "A tracker was deleted",
  notification_target_created: "A notification target was created",
  notification_target_updated: "A notification target was changed",
  notification_target_secret_rotated: "A webhook got another secret",
  notification_target_deleted: "A notification target was deleted",
  trip_log_deleted: "A trip was deleted with its log",
  role_created: "A role was created",
  role_updated: "A role was changed",
  role_deleted: "A role was deleted",
  role_assigned: "A role was assigned",
  role_removed: "A role was removed",
  permission_created: "A permission was created",
  setting_updated: "A setting was changed",
  positions_imported: "Positions imported from a file",
  consent_granted: "An application was given consent",
  consent_revoked: "The consent to an application was taken back",
  bot_command_executed: "A bot carried out a command",
  bot_guild_configured: "A bot was set up for a guild",
  moderation_action: "A bot moderated",
};

const number = lazy(() => new Intl.NumberFormat("en-GB"));

export const english: Words = {
  title: (site) => `Your data on ${site}`,
  subtitle: (username, at) => `${username} · exported ${at}`,
  intro:
    "What this installation keeps about you, in short. The file data.json beside this one holds all of it. Passwords, keys and codes are not shown: they are kept as one-way hashes, or encrypted. Times are in UTC.",
  page: (current, all) => `Page ${current} of ${all}`,
  none: "None",
  yes: "Yes",
  no: "No",
  never: "Never",
  shown: (shown, all) =>
    shown < all ? `The newest ${shown} of ${number().format(all)}` : `${number().format(all)} in all`,
  sections: {
    account: "Account",
    accounts: "Platform accounts",
    roles: "Roles",
    twoFactor: "Two-factor authentication",
    apiKeys: "API keys",
    connectedApps: "Connected applications",
    ownedApps: "Own applications",
    sessions: "Open sessions",
    events: "Activity",
    exports: "Earlier exports",
    deletion: "Deletion",
  },
  fields: {
    username: "Username",
    id: "Identifier",
    email: "Email address",
    created: "Created",
    lastLogin: "Last sign-in",
    locale: "Language",
    privacyMode: "Privacy mode",
    platform: "Platform",
    name: "Name",
    primary: "Primary",
    enabled: "Switched on",
    enabledAt: "Since",
    backupCodes: "Backup codes left",
    prefix: "Begins with",
    scopes: "Scopes",
    expires: "Expires",
    lastUsed: "Last used",
    connected: "Connected",
    type: "Type",
    active: "Active",
    device: "Device",
    address: "Address",
    lastActive: "Last active",
    when: "When",
    what: "What",
    where: "From where",
    result: "Result",
    size: "Size",
    language: "Language",
    scheduled: "Scheduled for",
  },
  unknownDevice: "Unknown device",
  clientTypes: { public: "public", confidential: "confidential" },
  status: { success: "Done", failure: "Refused" },
  languages: { en: "English", de: "German" },
  events: EVENTS,
  readme: (site, at) => `Your data on ${site}
Exported ${at}

This archive holds what this installation keeps about you.

data.json    All of it, for programs: your account, platform accounts, roles,
             two-factor status, API keys, trackers, notification targets,
             applications, sessions, log entries, activity, reports, bans, and
             earlier exports. Times are in ISO 8601, in UTC.
report.pdf   A summary to read. Long lists are cut to their newest entries.

Passwords, session tokens, API keys, tokens of trackers, secrets and tokens of
notification targets, client secrets and the secrets of your authenticator app
are not in here: this installation keeps them as one-way hashes, or encrypted,
and shows them to nobody. Of each API key and
tracker you find its name and its first characters.

Treat this archive as confidential: it holds addresses that you signed in from.
`,
};
