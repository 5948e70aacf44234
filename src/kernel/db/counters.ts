import { sqlite, statement } from "./connection";

/** Named sums that the transactions which change them keep up to date: counts that cost the same always. */

/** Changes to counters by one use case, or by several that succeed or fail together. */
export interface CounterChanges {
  deltas: Map<string, number>;
  /** The same for counters that change together, by the array of their names. */
  groups: Map<readonly string[], number>;
  /** Counters that it removed: changes to them by earlier use cases of the same commit are void. */
  removed: string[];
}

export const noChanges = (): CounterChanges => ({
  deltas: new Map(),
  groups: new Map(),
  removed: [],
});

let current: CounterChanges | null = null;
/** Changes of the use cases of the open transaction that have run. */
let settled: CounterChanges[] = [];

const addToCounter = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    "INSERT INTO counters (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = value + ?2",
  ),
);
const readCounter = statement(() =>
  sqlite.prepare<{ value: number }, [string]>("SELECT value FROM counters WHERE name = ?"),
);

/**
 * Adds to a named counter in the current transaction. Counting rows costs more the more there are; a counter
 * costs the same always. The sum of a commit's changes is written once, just before it: `counter` read inside
 * the same transaction doesn't see them yet.
 */
export function adjustCounter(name: string, by: number): void {
  if (!current) throw new Error("adjustCounter outside transact");
  add(current.deltas, name, by);
}

/**
 * Adds the same to several named counters in the current transaction. Calls with one and the same array cost as much
 * together as one.
 */
export function adjustCounters(names: readonly string[], by: number): void {
  if (!current) throw new Error("adjustCounters outside transact");
  add(current.groups, names, by);
}

function add<Key>(sums: Map<Key, number>, key: Key, by: number): void {
  sums.set(key, (sums.get(key) ?? 0) + by);
}

/** Adds the changes of groups to those of each of their counters. */
function spread(groups: CounterChanges["groups"], deltas: CounterChanges["deltas"]): void {
  for (const [names, by] of groups) for (const name of names) add(deltas, name, by);
  groups.clear();
}

/** The committed value of a counter; 0 for one that was never adjusted. */
export function counter(name: string): number {
  return readCounter().get(name)?.value ?? 0;
}

/** The value of a counter including the open transaction's changes. */
export function counterNow(name: string): number {
  if (!current) throw new Error("counterNow outside transact");
  let value = counter(name);
  for (const { removed, deltas, groups } of [...settled, current]) {
    if (removed.some((gone) => isOf(gone, name))) value = 0;
    value += deltas.get(name) ?? 0;
    for (const [names, by] of groups) if (names.includes(name)) value += by;
  }
  return value;
}

/**
 * A part's name is its counter's name, a space and a name of its own: "trip_points X" and "trip_points X day
 * 00020514".
 */
const isOf = (counter: string, name: string): boolean => name === counter || name.startsWith(`${counter} `);

const dropCounter = statement(() => sqlite.prepare<unknown, [string]>("DELETE FROM counters WHERE name = ?"));
// The range from a space to the character after it: the index finds the parts.
const dropParts = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    `DELETE FROM counters WHERE name IN
       (SELECT name FROM counters WHERE name >= ?1 || ' ' AND name < ?1 || '!' LIMIT ?2)`,
  ),
);
const dropIfZero = statement(() =>
  sqlite.prepare<unknown, [string]>("DELETE FROM counters WHERE name = ? AND value = 0"),
);

/**
 * Removes a counter in the current transaction, and the open transaction's changes to it and its parts. The
 * parts themselves, which may be hundreds of thousands, are left to `removeParts`.
 */
export function removeCounter(name: string): void {
  if (!current) throw new Error("removeCounter outside transact");
  spread(current.groups, current.deltas);
  for (const adjusted of current.deltas.keys()) if (isOf(name, adjusted)) current.deltas.delete(adjusted);
  current.removed.push(name);
  dropCounter().run(name);
}

/**
 * Removes at most `limit` parts of a counter in the current transaction, and returns how many: ten thousand
 * take some 50 ms.
 */
export function removeParts(name: string, limit: number): number {
  if (!current) throw new Error("removeParts outside transact");
  return dropParts().run(name, limit).changes;
}

// --- For transactions.ts ---------------------------------------------------------------------------------

/** Directs the changes of the use cases that run now; null between them. */
export function collectChanges(changes: CounterChanges | null): void {
  current = changes;
}

/** Adds the changes of use cases that have run to those of the open transaction. */
export function settleChanges(changes: CounterChanges): void {
  settled.push(changes);
}

/** Drops the changes of the open transaction. */
export function dropChanges(): void {
  current = null;
  settled = [];
}

/** Writes the sums of the open transaction's changes, just before it commits. */
export function writeChanges(): void {
  const totals = new Map<string, number>();
  const ofGroups: CounterChanges["groups"] = new Map();
  for (const { removed, deltas, groups } of settled) {
    if (removed.length > 0) spread(ofGroups, totals);
    for (const gone of removed) for (const name of totals.keys()) if (isOf(gone, name)) totals.delete(name);
    for (const [name, by] of deltas) add(totals, name, by);
    for (const [names, by] of groups) add(ofGroups, names, by);
  }
  spread(ofGroups, totals);
  for (const [name, by] of totals) {
    if (by !== 0) addToCounter().run(name, by);
    if (by < 0) dropIfZero().run(name);
  }
}
