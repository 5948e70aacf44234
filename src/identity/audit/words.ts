/** Values that fields of the audit log may hold. */

export const SOURCES = ["api", "id", "backend", "policies", "community_bot", "stream_bot"] as const;
export const STATUSES = ["success", "failure"] as const;
/** The reasons for which the log's chain breaks at an event. */
export const BREAKS = ["changed", "missing", "unchained"] as const;
export const RECORDER_KINDS = ["key", "user", "app", "client"] as const;
export const MODERATION_ACTIONS = ["warn", "timeout", "untimeout", "kick", "ban", "unban"] as const;
/** Resource types that the audit log keeps of a deleted account: Fairlead's own, and OAuth clients as services call them. */
export const RESOURCE_TYPES = [
  ...[
    "alert",
    "alert_rule",
    "api_key",
    "audit_event",
    "ban",
    "box",
    "client",
    "community_member",
    "community_settings",
    "device",
    "export",
  ],
  ...[
    "integration",
    "invitation",
    "notification_target",
    "oauth_client",
    "oauth_grant",
    "oidc_identity",
    "passkey",
    "permission",
    "platform",
    "platform_account",
    "role",
    "session",
  ],
  ...["setting", "share_link", "signing_key", "system_config", "tracker", "trip", "two_factor", "user"],
] as const;
export const SORT_FIELDS = ["event_type", "user_id", "status", "created_at"] as const;
export const REPORT_REASONS = [
  "not_me",
  "suspicious",
  "unknown_device",
  "unknown_location",
  "other",
] as const;
export const REPORT_STATUSES = ["pending", "reviewed", "resolved", "dismissed"] as const;
