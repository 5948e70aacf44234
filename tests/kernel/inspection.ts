import { Database } from "bun:sqlite";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Acknowledged, HARBOUR } from "./mixed-load";

/** Checks the data that a killed server left, against its acknowledgements and for consistency. */

type Row = Record<string, string | number | null>;

/** Everything that is wrong; empty when nothing is. */
export function faultsOf(dataDir: string, acknowledged: Acknowledged): string[] {
  const database = new Database(join(dataDir, "fairlead.db"));
  try {
    const rows = (sql: string) => database.query<Row, []>(sql).all();
    return [
      ...broken(rows),
      ...lost(rows, acknowledged),
      ...half(rows),
      ...tornFiles(dataDir, rows, acknowledged),
    ];
  } finally {
    database.close();
  }
}

type Rows = (sql: string) => Row[];

const difference = (name: string, expected: unknown, found: unknown): string[] =>
  expected === found ? [] : [`${name}: expected ${expected}, found ${found}`];

function broken(rows: Rows): string[] {
  const integrity = rows("PRAGMA integrity_check").map((row) => row.integrity_check);
  return [
    ...difference("integrity_check", "ok", integrity.join()),
    ...rows("PRAGMA foreign_key_check").map((row) => `a broken reference: ${JSON.stringify(row)}`),
  ];
}

/** Acknowledged changes that are missing. A change that was under way at the cut may be there or not. */
function lost(rows: Rows, acknowledged: Acknowledged): string[] {
  const column = (sql: string) => new Map(rows(sql).map((row) => [row.id, row.value] as const));
  const missing = (name: string, ids: string[], found: Map<unknown, unknown>) =>
    ids.filter((id) => !found.has(id)).map((id) => `an acknowledged ${name} is lost: ${id}`);
  /** One step after the last acknowledged one may have been committed without an answer. */
  const behind = (
    name: string,
    known: Map<string, string | number | null>,
    found: Map<unknown, unknown>,
    next: (value: string | number | null) => unknown[],
  ) =>
    [...known]
      .filter(
        ([id, value]) => ![value ?? undefined, ...next(value)].includes(found.get(id) as string | undefined),
      )
      .map(([id, value]) => `${name} ${id} was ${value}, is ${found.get(id)}`);

  return [
    ...missing("point", acknowledged.points, column("SELECT id, 1 value FROM gps_points")),
    ...missing("session", acknowledged.sessions, column("SELECT id, 1 value FROM sessions")),
    ...behind(
      "the setting",
      acknowledged.settings,
      column("SELECT key id, CAST(value AS INTEGER) value FROM system_settings"),
      (value) => (value === null ? [] : [Number(value) + 1, undefined]),
    ),
    ...behind("the trip", acknowledged.trips, column("SELECT id, status value FROM trips"), (status) =>
      status === "draft" || status === "paused"
        ? ["active"]
        : status === "active"
          ? ["paused", "completed"]
          : [undefined],
    ),
    ...behind(
      "the user",
      acknowledged.users,
      column("SELECT id, username value FROM users WHERE deleted_at IS NULL"),
      (name) => (name === null ? [] : [undefined]),
      // The new name is unknown here if its change was under way.
    ).filter((fault) => !/is u_[0-9a-f]{20}$/.test(fault)),
    ...behind("the zone", acknowledged.zones, column("SELECT id, name value FROM geofences"), (name) =>
      name === null ? [] : ["second", undefined],
    ),
    ...missing(
      "registration",
      acknowledged.registrations,
      column("SELECT email id, 1 value FROM verifications WHERE sent_at IS NOT NULL"),
    ),
  ];
}

/** Changes of which only some parts are there. */
function half(rows: Rows): string[] {
  const number = (sql: string) => Number(rows(sql)[0]?.n ?? 0);
  const none = (name: string, sql: string) => rows(sql).map((row) => `${name}: ${JSON.stringify(row)}`);
  const counted = (counter: string, where: string) =>
    difference(
      `the counter ${counter}`,
      number(`SELECT COUNT(*) n FROM ${where}`),
      number(`SELECT value n FROM counters WHERE name = '${counter}'`),
    );
  return [
    ...counted("users", "users"),
    ...counted("devices", "devices"),
    ...counted("geofences", "geofences"),
    ...counted("gps_points", "gps_points"),
    ...counted("trips", "trips"),
    ...["draft", "active", "paused", "completed"].flatMap((status) =>
      counted(`trips ${status}`, `trips WHERE status = '${status}'`),
    ),
    ...none(
      "the points of a trip are counted wrong",
      `SELECT t.id, coalesce(c.value, 0) counted, (SELECT COUNT(*) FROM gps_points WHERE trip_id = t.id) n
       FROM trips t LEFT JOIN counters c ON c.name = 'trip_points ' || t.id WHERE counted <> n`,
    ),
    ...none(
      "the days of the positions are counted wrong",
      `SELECT * FROM (SELECT name, value FROM counters WHERE name LIKE 'gps_points %'
       EXCEPT SELECT 'gps_points season ' || printf('%08d', timestamp / 11059200000), COUNT(*) FROM gps_points GROUP BY 1
       EXCEPT SELECT 'gps_points day ' || printf('%08d', timestamp / 86400000), COUNT(*) FROM gps_points GROUP BY 1
       EXCEPT SELECT 'gps_points quarter ' || printf('%08d', timestamp / 900000), COUNT(*) FROM gps_points GROUP BY 1)`,
    ),
    ...none(
      "the quarters of an hour of a trip's positions are counted wrong",
      `SELECT * FROM (
       SELECT 'trip_points ' || trip_id || ' quarter ' || printf('%08d', timestamp / 900000), COUNT(*)
       FROM gps_points WHERE trip_id IN (SELECT id FROM trips) GROUP BY 1
       EXCEPT SELECT name, value FROM counters)`,
    ),
    ...none(
      "the seasons of a trip's positions are counted wrong",
      `SELECT * FROM (
       SELECT 'trip_points ' || trip_id || ' season ' || printf('%08d', timestamp / 11059200000), COUNT(*)
       FROM gps_points WHERE trip_id IN (SELECT id FROM trips) GROUP BY 1
       EXCEPT SELECT name, value FROM counters)`,
    ),
    ...none(
      "the days of the audit log are counted wrong",
      `SELECT * FROM (SELECT day, event_type, SUM(n) n FROM audit_days GROUP BY 1, 2
       EXCEPT SELECT created_at / 86400000, event_type, COUNT(*) FROM audit_events GROUP BY 1, 2)`,
    ),
    ...none(
      "the quarters of an hour of the audit log are counted wrong",
      `SELECT * FROM (SELECT quarter, event_type, SUM(n) n FROM audit_quarters GROUP BY 1, 2
       EXCEPT SELECT created_at / 900000, event_type, COUNT(*) FROM audit_events GROUP BY 1, 2)`,
    ),
    ...none(
      "the minutes of a user's audit log are counted wrong",
      `SELECT * FROM (SELECT user_id, minute, event_type, SUM(n) n FROM audit_user_minutes GROUP BY 1, 2, 3
       EXCEPT SELECT user_id, created_at / 60000, event_type, COUNT(*) FROM audit_events GROUP BY 1, 2, 3)`,
    ),
    ...none(
      "a trip's status is not its history's",
      `SELECT t.id, t.status, (SELECT new_status FROM trip_status_history WHERE trip_id = t.id
         ORDER BY changed_at DESC, rowid DESC LIMIT 1) last FROM trips t
       WHERE t.status <> coalesce(last, 'draft')`,
    ),
    ...none(
      "a trip's history has a gap",
      `SELECT * FROM (SELECT trip_id, old_status, lag(new_status, 1, 'draft') OVER (PARTITION BY trip_id ORDER BY rowid) before
         FROM trip_status_history) WHERE old_status <> before`,
    ),
    ...none(
      "a setting and its events differ",
      `SELECT s.key, s.value, (SELECT COUNT(*) FROM audit_events WHERE resource_id = s.key) events
       FROM system_settings s WHERE CAST(s.value AS INTEGER) <> events`,
    ),
    ...none(
      "a session without its event",
      `SELECT id FROM sessions WHERE id NOT IN
         (SELECT resource_id FROM audit_events WHERE event_type = 'session_created')`,
    ),
    ...none(
      "a session's event without a session or its end",
      `SELECT resource_id id FROM audit_events WHERE event_type = 'session_created'
         AND resource_id NOT IN (SELECT id FROM sessions)
         AND resource_id NOT IN (SELECT resource_id FROM audit_events WHERE event_type IN ('logout', 'session_revoked'))`,
    ),
    ...none(
      "a user without an event of the creation",
      `SELECT id FROM users WHERE id NOT IN (SELECT resource_id FROM audit_events WHERE event_type = 'user_created')`,
    ),
    ...none(
      "a deleted user without the event",
      `SELECT id FROM users WHERE deleted_at IS NOT NULL
         AND id NOT IN (SELECT resource_id FROM audit_events WHERE event_type = 'user_deleted')`,
    ),
    ...none(
      "an assigned role without its event",
      `SELECT user_id FROM user_roles WHERE role_id = 'role_moderator' AND user_id NOT IN
         (SELECT user_id FROM audit_events WHERE event_type = 'role_assigned')`,
    ),
    ...none(
      "a device is where its newest point isn't",
      `SELECT d.id, p.latitude, g.device_id IS NOT NULL inside FROM devices d
       JOIN gps_points p ON p.rowid = (SELECT rowid FROM gps_points WHERE device_id = d.id
         ORDER BY timestamp DESC, rowid DESC LIMIT 1)
       LEFT JOIN geofence_presence g ON g.device_id = d.id
       WHERE (p.latitude = ${HARBOUR.latitude}) <> (g.device_id IS NOT NULL)`,
    ),
  ];
}

/**
 * Emails that were acknowledged but are neither in the outbox nor in the queue, and files that aren't whole.
 */
function tornFiles(dataDir: string, rows: Rows, { registrations, resets }: Acknowledged): string[] {
  const outbox = join(dataDir, "outbox");
  const faults: string[] = [];
  const delivered = new Map<string, string>();
  let resetEmails = 0;
  for (const name of existsSync(outbox) ? readdirSync(outbox) : []) {
    if (name.endsWith(".partial")) continue;
    try {
      const email = JSON.parse(readFileSync(join(outbox, name), "utf8"));
      delivered.set(email.to, email.kind);
      if (email.kind === "password_reset") resetEmails++;
    } catch {
      faults.push(`the email ${name} is not whole`);
    }
  }
  const waiting = Number(
    rows(
      "SELECT COUNT(*) n FROM outbox WHERE lane = 'email' AND kind = 'password_reset' AND status = 'waiting'",
    )[0]?.n,
  );
  if (resetEmails + waiting < resets)
    faults.push(`${resets} resets, but ${resetEmails} emails and ${waiting} queued`);
  for (const email of registrations)
    if (delivered.get(email) !== "registration") faults.push(`no email for the registration of ${email}`);
  return faults;
}
