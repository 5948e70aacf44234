/** Words of alerts. */

export const ALERT_STATUSES = ["open", "acknowledged", "cleared"] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];
