import { iso, isoOrNull } from "../../kernel/time/clock";
import type { AlertWords } from "../texts/alert-words";
import { english } from "../texts/english";
import type { Alert } from "./schema";
import type { AlertRow } from "./table";

/** An alert as its rule, device and subject name it. */
export interface AlertKey {
  ruleId: string | null;
  deviceId: string | null;
  subject: string | null;
}

/** One alert of a key is open at a time. */
export const keyOf = ({ ruleId, deviceId, subject }: AlertKey): string =>
  `${ruleId ?? "anchor"} ${deviceId ?? ""} ${subject ?? ""}`;

/** An alert as texts tell of an occasion. */
export const wordsOf = (row: AlertRow, occasion: AlertWords["occasion"]): AlertWords => ({
  occasion,
  severity: row.severity,
  condition: row.condition,
  event: row.event,
  device: row.device_name ?? "",
  subject: row.subject,
  subjectName: row.subject_name ?? row.subject ?? "",
  value: row.value,
  message: row.message,
  rule: row.rule_name,
  place:
    row.latitude === null || row.longitude === null || row.position_at === null
      ? null
      : { latitude: row.latitude, longitude: row.longitude, time: row.position_at },
  raisedAt: row.raised_at,
  clearedAt: row.cleared_at,
  note: row.acknowledge_note,
});

/** An alert as the API shows it. */
export function toAlert(row: AlertRow): Alert {
  const isOfZone = row.condition === "zone";
  return {
    id: row.id,
    rule_id: row.rule_id,
    rule_name: row.rule_name,
    condition: row.condition,
    event: row.event,
    severity: row.severity,
    status: row.status,
    device_id: row.device_id,
    device_name: row.device_name,
    geofence_id: isOfZone ? row.subject : null,
    geofence_name: isOfZone ? row.subject_name : null,
    subject: isOfZone ? null : row.subject,
    subject_name: row.subject_name,
    message: row.message ?? english.headline(wordsOf(row, "alert.raised")),
    has_own_message: row.message !== null,
    value: row.value,
    latitude: row.latitude,
    longitude: row.longitude,
    position_at: isoOrNull(row.position_at),
    count: row.count,
    is_corrected: row.is_corrected,
    raised_at: iso(row.raised_at),
    last_seen_at: iso(row.last_seen_at),
    cleared_at: isoOrNull(row.cleared_at),
    acknowledged_at: isoOrNull(row.acknowledged_at),
    acknowledged_by: row.acknowledged_by,
    acknowledge_note: row.acknowledge_note,
    escalated_at: isoOrNull(row.escalated_at),
    box_id: row.box_id,
  };
}
