import { getTableColumns } from "drizzle-orm";
import { sqlite, statement } from "../../kernel/db/connection";
import { type AlertRow, alerts } from "./table";

/** The rows of alerts. Raw SQL: a storm raises a thousand of them in a second. */

/** Columns as SQLite has them: no JSON and no booleans. */
type Stored = Omit<AlertRow, "told" | "is_told" | "is_corrected"> & {
  told: string;
  is_told: 0 | 1;
  is_corrected: 0 | 1;
};

const toRow = (row: Stored): AlertRow => ({
  ...row,
  told: JSON.parse(row.told) as string[],
  is_told: row.is_told === 1,
  is_corrected: row.is_corrected === 1,
});

const toStored = (row: AlertRow): Stored => ({
  ...row,
  told: JSON.stringify(row.told),
  is_told: row.is_told ? 1 : 0,
  is_corrected: row.is_corrected ? 1 : 0,
});

const NAMES = Object.keys(getTableColumns(alerts)) as (keyof AlertRow)[];

const insert = statement(() =>
  sqlite.prepare<unknown, (string | number | null)[]>(
    `INSERT INTO alerts (${NAMES.join(", ")}) VALUES (${NAMES.map(() => "?").join(", ")})`,
  ),
);

/** Stores a new alert in the current transaction. */
export function insertAlert(row: AlertRow): void {
  const stored = toStored(row);
  insert().run(...NAMES.map((name) => stored[name]));
}

const select = <Parameters extends (string | number)[]>(condition: string) =>
  statement(() => sqlite.prepare<Stored, Parameters>(`SELECT * FROM alerts WHERE ${condition}`));

const byId = select<[string]>("id = ?");
// Alerts that boxes raised aboard are only shown here.
const selectOwn = <Parameters extends (string | number)[]>(condition: string) =>
  select<Parameters>(`box_id IS NULL AND ${condition}`);
const newestOf = selectOwn<[string]>("key = ? ORDER BY id DESC LIMIT 1");
const openOf = selectOwn<[string]>("key = ? AND cleared_at IS NULL");
const openOfDevice = selectOwn<[string]>("device_id = ? AND cleared_at IS NULL");
const openOfRule = selectOwn<[string]>("rule_id = ? AND cleared_at IS NULL");
const openOfSubject = selectOwn<[string]>("subject = ? AND cleared_at IS NULL AND subject IS NOT NULL");
const ofCrossing = selectOwn<[string]>("crossing_id = ? AND crossing_id IS NOT NULL AND is_corrected = 0");
const toEscalate = selectOwn<[number, number]>("escalate_at <= ? AND escalate_at IS NOT NULL LIMIT ?");

const one = (row: Stored | null): AlertRow | null => row && toRow(row);

/** An alert; null if there is none. */
export const alertById = (id: string): AlertRow | null => one(byId().get(id));
/** The newest alert of a key that this server raised; null before the first. */
export const newestAlertOf = (key: string): AlertRow | null => one(newestOf().get(key));
/** The open alert of a key; null if none is. */
export const openAlertOf = (key: string): AlertRow | null => one(openOf().get(key));
/** The open alerts of a device, in no order. */
export const openAlertsOfDevice = (deviceId: string): AlertRow[] => openOfDevice().all(deviceId).map(toRow);
/** The open alerts of a rule, in no order. */
export const openAlertsOfRule = (ruleId: string): AlertRow[] => openOfRule().all(ruleId).map(toRow);
/** The open alerts of a subject, as of a zone, in no order. */
export const openAlertsOfSubject = (subject: string): AlertRow[] => openOfSubject().all(subject).map(toRow);
/** The alerts that a crossing raised and that are not marked as corrected yet. */
export const alertsOfCrossing = (crossingId: string): AlertRow[] => ofCrossing().all(crossingId).map(toRow);
/** Some alerts of which further targets are to be told by a time (epoch milliseconds). */
export const alertsToEscalate = (time: number, limit: number): AlertRow[] =>
  toEscalate().all(time, limit).map(toRow);

const anew = statement(() =>
  sqlite.prepare<unknown, [number]>(
    "UPDATE alerts SET escalate_at = ?1 + escalate_at - raised_at WHERE raised_at > ?1 AND escalate_at > raised_at AND box_id IS NULL",
  ),
);

/**
 * Lets further targets be told of alerts that were raised later than a time (epoch milliseconds) as if they had been raised then,
 * in the current transaction.
 */
export function escalateAnew(time: number): void {
  anew().run(time);
}

type Change = Partial<AlertRow>;
const updates = new Map<string, ReturnType<typeof updateOf>>();
const updateOf = (names: string[]) =>
  statement(() =>
    sqlite.prepare<unknown, (string | number | null)[]>(
      `UPDATE alerts SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`,
    ),
  );

/** Changes an alert in the current transaction, and returns it as it is then. */
export function updateAlert(row: AlertRow, change: Change): AlertRow {
  const after = { ...row, ...change };
  const names = Object.keys(change);
  const by = names.join();
  const update = updates.get(by) ?? updateOf(names);
  updates.set(by, update);
  const stored = toStored(after);
  update().run(...names.map((name) => stored[name as keyof Stored]), row.id);
  return after;
}
