import { sqlite, statement } from "../../kernel/db/connection";
import { TransactionCache } from "../../kernel/db/transaction-cache";
import type { ConditionState } from "./machine";
import type { StoredSide, StoredSighting } from "./table";

/**
 * The states of conditions, which are the open alerts and the conditions that are held back, by device and in memory from one
 * fix to the next. Raw SQL: each position reads them.
 */

/** A condition of a device that isn't blank. */
export interface DeviceCondition extends ConditionState {
  ruleId: string;
  subject: string | null;
  /** Epoch milliseconds at which its open alert was last seen to hold. */
  seenAt: number;
}

export interface DeviceState {
  conditions: readonly DeviceCondition[];
  /** The zones in which the device was before crossings of which alerts haven't been told; null if there are none. */
  untold: readonly StoredSide[] | null;
}

const EMPTY: DeviceState = { conditions: [], untold: null };

interface Stored {
  rule_id: string;
  subject: string;
  since: number | null;
  seen_at: number;
}

const toCondition = ({ rule_id, subject, since, seen_at }: Stored): DeviceCondition => ({
  ruleId: rule_id,
  subject: subject === "" ? null : subject,
  since,
  isOpen: since === null,
  seenAt: seen_at,
});

const openOf = statement(() =>
  sqlite.prepare<Stored, [string]>(
    `SELECT rule_id, coalesce(subject, '') AS subject, NULL AS since, last_seen_at AS seen_at FROM alerts
     WHERE device_id = ? AND cleared_at IS NULL AND box_id IS NULL AND rule_id IS NOT NULL`,
  ),
);
const heldOf = statement(() =>
  sqlite.prepare<Stored, [string]>(
    "SELECT rule_id, subject, since, since AS seen_at FROM alert_conditions WHERE device_id = ?",
  ),
);
const untoldOf = statement(() =>
  sqlite.prepare<{ sides: string }, [string]>("SELECT sides FROM alert_untold_sides WHERE device_id = ?"),
);

const states = new TransactionCache<string, DeviceState>(10_000, ({ conditions }) => 1 + conditions.length);

/** The state of a device, inside a transaction or outside. */
export const stateOf = (deviceId: string): DeviceState => states.get(deviceId, () => read(deviceId));

function read(deviceId: string): DeviceState {
  const rows = [...openOf().all(deviceId), ...heldOf().all(deviceId)];
  const untold = untoldOf().get(deviceId);
  if (rows.length === 0 && !untold) return EMPTY;
  return {
    conditions: rows.map(toCondition),
    untold: untold ? JSON.parse(untold.sides) : null,
  };
}

/** The state of a condition that no device has. */
export const conditionOf = (ruleId: string, deviceId: string | null, subject: string | null) =>
  (deviceId === null ? readOne(ruleId, subject) : stateOf(deviceId).conditions).find(
    (each) => each.ruleId === ruleId && each.subject === subject,
  );

const ofNone = statement(() =>
  sqlite.prepare<Stored, [string, string]>(
    `SELECT rule_id, coalesce(subject, '') AS subject, NULL AS since, last_seen_at AS seen_at FROM alerts
       WHERE rule_id = ?1 AND device_id IS NULL AND subject = ?2 AND cleared_at IS NULL AND box_id IS NULL
     UNION ALL SELECT rule_id, subject, since, since FROM alert_conditions
       WHERE rule_id = ?1 AND device_id = '' AND subject = ?2`,
  ),
);
const readOne = (ruleId: string, subject: string | null): DeviceCondition[] =>
  ofNone()
    .all(ruleId, subject ?? "")
    .map(toCondition);

/** Notes what has become of a condition of a device, for the next fix of this transaction and of those that follow. */
export function noteCondition(deviceId: string, condition: DeviceCondition): void {
  const { conditions, untold } = stateOf(deviceId);
  const { ruleId, subject, since, isOpen } = condition;
  const others = conditions.filter((each) => each.ruleId !== ruleId || each.subject !== subject);
  const isBlank = since === null && !isOpen;
  states.set(deviceId, { untold, conditions: isBlank ? others : [...others, condition] });
}

// --- Conditions that are held back -------------------------------------------------------------------------

const put = statement(() =>
  sqlite.prepare<unknown, [string, string, string, number, number, string]>(
    `INSERT OR REPLACE INTO alert_conditions (rule_id, device_id, subject, since, due_at, sighting)
     VALUES (?, ?, ?, ?, ?, ?)`,
  ),
);
const remove = statement(() =>
  sqlite.prepare<unknown, [string, string, string]>(
    "DELETE FROM alert_conditions WHERE rule_id = ? AND device_id = ? AND subject = ?",
  ),
);
const due = statement(() =>
  sqlite.prepare<HeldCondition & { sighting: string }, [number, number]>(
    `SELECT rule_id AS ruleId, nullif(device_id, '') AS deviceId, nullif(subject, '') AS subject, since, due_at AS dueAt,
       sighting
     FROM alert_conditions WHERE due_at <= ? LIMIT ?`,
  ),
);

export interface HeldCondition {
  ruleId: string;
  deviceId: string | null;
  subject: string | null;
  since: number;
  dueAt: number;
}

/** Holds a condition back until a time, in the current transaction. */
export function holdCondition(
  { ruleId, deviceId, subject, since, dueAt }: HeldCondition,
  seen: StoredSighting,
): void {
  put().run(ruleId, deviceId ?? "", subject ?? "", since, dueAt, JSON.stringify(seen));
}

/** Forgets a condition that was held back, in the current transaction. */
export function dropCondition(ruleId: string, deviceId: string | null, subject: string | null): void {
  remove().run(ruleId, deviceId ?? "", subject ?? "");
}

const anew = statement(() =>
  sqlite.prepare<unknown, [number]>(
    "UPDATE alert_conditions SET since = ?1, due_at = ?1 + due_at - since WHERE since > ?1",
  ),
);

/** Lets conditions that began later than a time (epoch milliseconds) be held back from then on, in the current transaction. */
export function holdAnew(time: number): void {
  anew().run(time);
}

/** Some conditions that are due by a time (epoch milliseconds). */
export const dueConditions = (time: number, limit: number): (HeldCondition & { seen: StoredSighting })[] =>
  due()
    .all(time, limit)
    .map(({ sighting, ...held }) => ({ ...held, seen: JSON.parse(sighting) }));

// --- Crossings that are not told yet -------------------------------------------------------------------------

const putUntold = statement(() =>
  sqlite.prepare<unknown, [string, string]>(
    "INSERT INTO alert_untold_sides (device_id, sides) VALUES (?, ?) ON CONFLICT DO NOTHING",
  ),
);
const removeUntold = statement(() =>
  sqlite.prepare<unknown, [string]>("DELETE FROM alert_untold_sides WHERE device_id = ?"),
);

/** Notes, in the current transaction, where a device was before its first crossing that is not told. */
export function storeUntold(deviceId: string, sides: readonly StoredSide[]): void {
  putUntold().run(deviceId, JSON.stringify(sides));
  states.set(deviceId, { ...stateOf(deviceId), untold: sides });
}

/** Notes, in the current transaction, that all crossings of a device are told. */
export function dropUntold(deviceId: string): void {
  removeUntold().run(deviceId);
  states.set(deviceId, { ...stateOf(deviceId), untold: null });
}

const side = statement(() =>
  sqlite.prepare<{ has_dwelled: 0 | 1 }, [string, string]>(
    `SELECT p.has_dwelled FROM geofence_presence p JOIN geofences g ON g.seq = p.geofence_seq
     WHERE p.device_id = ? AND g.id = ? AND p.is_inside = 1`,
  ),
);

/** The state of a device in a zone; null if it isn't inside. */
export function sideAt(deviceId: string, zoneId: string): StoredSide | null {
  const found = side().get(deviceId, zoneId);
  return found && { zoneId, hasDwelled: found.has_dwelled === 1 };
}

interface StoredCrossing {
  id: string;
  geofence_id: string;
  event: "enter" | "exit" | "begin" | "end" | "dwell";
  occurred_at: number;
  latitude: number;
  longitude: number;
}

const CROSSING = "SELECT id, geofence_id, event, occurred_at, latitude, longitude FROM geofence_events";
const lastSide = statement(() =>
  sqlite.prepare<StoredCrossing, [string, string]>(
    `${CROSSING} WHERE device_id = ? AND geofence_id = ? AND superseded_at IS NULL AND box_id IS NULL
       AND event IN ('enter', 'exit', 'begin', 'end') ORDER BY shown_at DESC, shown_row DESC LIMIT 1`,
  ),
);
const lastDwell = statement(() =>
  sqlite.prepare<StoredCrossing, [string, string]>(
    `${CROSSING} WHERE device_id = ? AND geofence_id = ? AND superseded_at IS NULL AND box_id IS NULL AND event = 'dwell'
       ORDER BY occurred_at DESC LIMIT 1`,
  ),
);

/**
 * The crossing by which a device came to be on its side of a zone, or has stayed there long enough; null if it is there for
 * another reason: the zone began to watch, or ceased.
 */
export function lastCrossing(
  deviceId: string,
  zoneId: string,
  event: "enter" | "exit" | "dwell",
): StoredCrossing | null {
  const found = (event === "dwell" ? lastDwell : lastSide)().get(deviceId, zoneId);
  return found?.event === event ? found : null;
}
