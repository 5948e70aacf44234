/** The words that fields of the audit log may hold (Part 2). */

export const SOURCES = ["api", "id", "backend", "policies", "community_bot", "stream_bot"] as const;
export const STATUSES = ["success", "failure"] as const;
export const MODERATION_ACTIONS = ["warn", "timeout", "untimeout", "kick", "ban", "unban"] as const;
export const SORT_FIELDS = ["event_type", "user_id", "status", "created_at"] as const;
export const REPORT_REASONS = [
  "not_me",
  "suspicious",
  "unknown_device",
  "unknown_location",
  "other",
] as const;
export const REPORT_STATUSES = ["pending", "reviewed", "resolved", "dismissed"] as const;
