/** Words of the outbox. */

/** The lane of the installation's own emails. Every other lane is a notification target, by its identifier. */
export const EMAILS = "email";

export const STATUSES = ["waiting", "delivered", "failed", "superseded", "cancelled"] as const;
export type Status = (typeof STATUSES)[number];
