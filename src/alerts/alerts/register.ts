import { note } from "../../feed/journal";
import { newId } from "../../kernel/crypto/id";
import { sqlite, statement } from "../../kernel/db/connection";
import { iso, now, SECOND } from "../../kernel/time/clock";
import { enqueue, takeBackEnd } from "../deliveries/outbox";
import type { ConditionType, Severity, ZoneEvent } from "../kinds";
import type { StoredRule } from "../rules/table";
import { defaultTargetIds } from "../targets/service";
import { clock, coordinates, rounded } from "../texts/alert-words";
import { LANGUAGES } from "../texts/language";
import { type AlertKey, keyOf, toAlert, wordsOf } from "./alert";
import { alertsOfCrossing, insertAlert, newestAlertOf, openAlertOf, updateAlert } from "./stored";
import type { AlertRow } from "./table";

/**
 * The life of an alert. All of it happens in the transaction of the change that is its cause. Raw SQL: positions raise alerts.
 */

export interface Place {
  latitude: number;
  longitude: number;
  /** Epoch milliseconds of the fix. */
  time: number;
}

/** A condition that has begun to hold, with all that is told of it. */
export interface Cause {
  /** Null for the anchor watch. */
  rule: StoredRule | null;
  condition: ConditionType;
  event?: ZoneEvent;
  severity: Severity;
  deviceId: string | null;
  /** A zone, a station, a measure or a state of the anchor watch; null if the device says it all. */
  subject: string | null;
  /** The name of a station: those of devices and zones are looked up. */
  subjectName?: string;
  value: number | null;
  place: Place | null;
  crossingId?: string | null;
  /** Null for all targets that are used by default. */
  targetIds: readonly string[] | null;
}

const deviceName = statement(() =>
  sqlite.prepare<{ name: string }, [string]>("SELECT name FROM devices WHERE id = ?"),
);
const zoneName = statement(() =>
  sqlite.prepare<{ name: string }, [string]>("SELECT name FROM geofences WHERE id = ?"),
);

/**
 * Raises an alert in the current transaction, and returns its identifier. One of the same key that is open is refreshed; one
 * that was cleared within `cooldown` (milliseconds) opens again, and no target is told but one that has heard of neither
 * its begin nor its end yet.
 */
export function raiseAlert(cause: Cause, cooldown: number): string {
  const key = keyOf({ ruleId: cause.rule?.id ?? null, deviceId: cause.deviceId, subject: cause.subject });
  // Not the newest one: identifiers of a clock that was set back are those of an earlier time.
  const open = openAlertOf(key);
  if (open) return seeAgain(open, cause);
  const last = newestAlertOf(key);
  // A clock that was set back must not let a new alarm pass for an old one.
  const since = last === null ? Number.POSITIVE_INFINITY : now() - (last.cleared_at as number);
  return last && since >= 0 && since < cooldown ? reopen(last, cause) : raise(key, cause);
}

function raise(key: string, cause: Cause): string {
  const { rule, condition, severity, deviceId, subject, value, place } = cause;
  const time = now();
  const device = deviceId === null ? null : (deviceName().get(deviceId)?.name ?? "");
  const name = condition === "zone" && subject !== null ? zoneName().get(subject)?.name : cause.subjectName;
  const row: AlertRow = {
    ...{
      id: newId(),
      key,
      condition,
      severity,
      value,
      status: "open",
      count: 1,
      is_corrected: false,
      is_told: true,
    },
    ...{ rule_id: rule?.id ?? null, rule_name: rule?.name ?? null },
    event: cause.event ?? null,
    ...{ device_id: deviceId, device_name: device, subject, subject_name: name ?? null },
    crossing_id: cause.crossingId ?? null,
    message: rule?.message ? filled(rule.message, { device, zone: name ?? null, value, place, time }) : null,
    ...placeOf(place),
    told: [...(cause.targetIds ?? defaultTargetIds())],
    ...{ raised_at: time, last_seen_at: time, cleared_at: null },
    ...{ acknowledged_at: null, acknowledged_by: null, acknowledge_note: null },
    escalate_at:
      rule?.escalate_after_seconds && rule.escalate_target_ids
        ? time + rule.escalate_after_seconds * SECOND
        : null,
    escalated_at: null,
    box_id: null,
  };
  if (cause.event === "passed")
    Object.assign(row, { status: "cleared", cleared_at: time, escalate_at: null });
  insertAlert(row);
  note("alertRaised", row.id, deviceId);
  tell(row, "alert.raised", row.told);
  return row.id;
}

const placeOf = (place: Place | null): Pick<AlertRow, "latitude" | "longitude" | "position_at"> => ({
  latitude: place?.latitude ?? null,
  longitude: place?.longitude ?? null,
  position_at: place?.time ?? null,
});

/** Puts what there is to tell into a rule's text. Where there is a position, the time is that of the crossing or the fix. */
const filled = (
  text: string,
  {
    device,
    zone,
    value,
    place,
    time,
  }: { device: string | null; zone: string | null; value: number | null; place: Place | null; time: number },
): string => {
  const words: Record<string, string> = {
    device: device ?? "",
    zone: zone ?? "",
    value: value === null ? "" : rounded(value),
    time: clock(place?.time ?? time),
    place: place === null ? "" : coordinates(place),
  };
  return text.replace(/\{([a-z]+)\}/g, (_, word: string) => words[word] ?? "");
};

/** Words in braces that a rule's text may hold. */
export const TEMPLATE_WORDS = ["device", "zone", "value", "time", "place"] as const;

/** Notes that the condition of an open alert still holds. */
function seeAgain(row: AlertRow, { value, place }: Cause): string {
  update(row, { last_seen_at: now(), value, ...(place && placeOf(place)) });
  return row.id;
}

function reopen(row: AlertRow, { rule, value, place, crossingId, event }: Cause): string {
  const time = now();
  const isOver = event === "passed";
  const mayEscalate = row.acknowledged_at === null && row.escalated_at === null && !isOver;
  const { takenBack, unaware } = isOver ? NOTHING : takeBackEnd(row.id);
  const after = update(row, {
    count: row.count + 1,
    ...{ last_seen_at: time, value, ...placeOf(place) },
    ...(isOver
      ? { cleared_at: time }
      : { cleared_at: null, status: row.acknowledged_at === null ? "open" : "acknowledged" }),
    ...(crossingId && { crossing_id: crossingId, is_corrected: false }),
    ...(mayEscalate &&
      rule?.escalate_after_seconds &&
      rule.escalate_target_ids && { escalate_at: time + rule.escalate_after_seconds * SECOND }),
    // They hold the alert for open: its next end is news to them.
    ...(takenBack > 0 && { is_told: true }),
  });
  tell(after, "alert.raised", unaware);
  return row.id;
}

const NOTHING = { takenBack: 0, unaware: [] };

function update(row: AlertRow, change: Partial<AlertRow>): AlertRow {
  const after = updateAlert(row, change);
  note("alertUpdated", row.id, row.device_id);
  return after;
}

/** Clears the open alert of a key, if any, in the current transaction, and tells those who know of it. */
export function clearAlert(key: AlertKey): void {
  const row = openAlertOf(keyOf(key));
  if (row) clear(row);
}

/** Clears an open alert in the current transaction. */
export function clear(row: AlertRow): void {
  const over = { status: "cleared", cleared_at: now(), escalate_at: null, is_told: false } as const;
  const after = updateAlert(row, over);
  note("alertCleared", row.id, row.device_id);
  if (row.is_told) tell(after, "alert.cleared", hearersOf(after));
}

/** Notes who acknowledged an alert, in the current transaction, and tells the others. It is told no further targets. */
export function acknowledge(row: AlertRow, by: string | null, text: string | null): AlertRow {
  const after = updateAlert(row, {
    ...{ acknowledged_at: now(), acknowledged_by: by, acknowledge_note: text, escalate_at: null },
    status: row.cleared_at === null ? "acknowledged" : "cleared",
  });
  note("alertAcknowledged", row.id, row.device_id);
  if (row.cleared_at === null) tell(after, "alert.acknowledged", hearersOf(after));
  return after;
}

/**
 * Tells further targets, if there are any by now, of an alert that nobody has acknowledged, in the current transaction.
 */
export function escalate(row: AlertRow, targetIds: readonly string[]): void {
  if (targetIds.length === 0) {
    updateAlert(row, { escalate_at: null });
    return;
  }
  const further = targetIds.filter((id) => !row.told.includes(id));
  const after = update(row, {
    ...{ escalate_at: null, escalated_at: now(), is_told: true },
    told: [...row.told, ...further],
  });
  tell(after, "alert.raised", targetIds);
}

/** Marks the alerts of a crossing that late positions have overturned, in the current transaction. */
export function markCorrected(crossingId: string): void {
  for (const row of alertsOfCrossing(crossingId)) update(row, { is_corrected: true });
}

type FindHearers = (row: Pick<AlertRow, "rule_id" | "device_id" | "told">) => readonly string[];
let hearersOf: FindHearers = ({ told }) => told;

/** Says who of the targets that know of an alert may hear what becomes of it: rights may have been lost since. */
export function decideHearers(find: FindHearers): void {
  hearersOf = find;
}

function tell(
  row: AlertRow,
  type: "alert.raised" | "alert.acknowledged" | "alert.cleared",
  targetIds: readonly string[],
): void {
  enqueue({
    ...{ alertId: row.id, type, severity: row.severity, targetIds },
    payload: {
      alert: toAlert(row),
      rule: row.rule_id && { id: row.rule_id, name: row.rule_name },
      device: row.device_id && { id: row.device_id, name: row.device_name },
      position:
        row.position_at === null
          ? null
          : { latitude: row.latitude, longitude: row.longitude, timestamp: iso(row.position_at) },
      zone: row.condition === "zone" ? { id: row.subject, name: row.subject_name } : null,
    },
    text: (locale) => LANGUAGES[locale].alert(wordsOf(row, type)),
  });
}
