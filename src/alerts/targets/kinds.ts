/** Ways to reach people and programs. */
export const TARGET_KINDS = ["webhook", "email", "ntfy", "telegram", "mqtt"] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** The fields of a target that say where it leads, of all kinds. */
export const FIELDS = ["url", "to", "server_url", "topic", "token", "bot_token", "chat_id"] as const;
export type Field = (typeof FIELDS)[number];

/** The fields of each kind; those with `true` must be given. */
export const FIELDS_OF: Record<TargetKind, Partial<Record<Field, boolean>>> = {
  webhook: { url: true },
  email: { to: true },
  ntfy: { topic: true, server_url: false, token: false },
  telegram: { bot_token: true, chat_id: true },
  mqtt: { topic: true },
};

/** A target's kind in a sentence. */
export const KIND_WORDS: Record<TargetKind, string> = {
  webhook: "a webhook",
  email: "an email target",
  ntfy: "an ntfy target",
  telegram: "a Telegram target",
  mqtt: "an MQTT target",
};

/** The public server of ntfy. */
export const NTFY_SERVER = "https://ntfy.sh";
