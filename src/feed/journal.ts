import { sqlite, statement } from "../kernel/db/connection";
import { afterCommit, writeLater } from "../kernel/db/transactions";
import { now } from "../kernel/time/clock";
import { CHANGE_KINDS, type ChangeKind } from "./kinds";

/**
 * The numbered feed of changes. Whoever reads on from a number misses nothing and gets nothing twice. Raw SQL: each fix
 * writes a row here.
 */

const insert = statement(() =>
  sqlite.prepare<unknown, [number, string | null, string | null, string | null, number]>(
    "INSERT INTO changes (kind, record, device_id, detail, made_at) VALUES (?, ?, ?, ?, ?)",
  ),
);

const numberOf = Object.fromEntries(CHANGE_KINDS.map((kind, at) => [kind, at])) as Record<ChangeKind, number>;

/** Numbers a change of a record in the current transaction. */
export function note(
  kind: ChangeKind,
  record: string | null,
  deviceId: string | null,
  detail?: object,
): void {
  const text = detail === undefined ? null : JSON.stringify(detail);
  const madeAt = now();
  writeLater(() => insert().run(numberOf[kind], record, deviceId, text, madeAt));
  afterCommit(wake);
}

const insertTripsWhere = (refersTo: string) =>
  statement(() =>
    sqlite.prepare<unknown, [number, number, string]>(
      `INSERT INTO changes (kind, record, device_id, made_at)
       SELECT ?1, id, device_id, ?2 FROM trips WHERE ${refersTo} ORDER BY id`,
    ),
  );
const TRIPS_OF = {
  device: insertTripsWhere("device_id = ?3"),
  category: insertTripsWhere("category_id = ?3"),
  // A trip that goes from a place back to it changes once.
  location: insertTripsWhere("origin_id = ?3 OR destination_id = ?3"),
};

/** Numbers a change of each trip of a record that is about to go, in the current transaction. */
export function noteTripsOf(what: keyof typeof TRIPS_OF, id: string): void {
  TRIPS_OF[what]().run(numberOf.tripUpdate, now(), id);
  afterCommit(wake);
}

// --- Reading ----------------------------------------------------------------------------------------------

/** A numbered change. */
export interface Change {
  number: number;
  kind: ChangeKind;
  record: string | null;
  device_id: string | null;
  detail: Record<string, unknown> | null;
}

type Row = Omit<Change, "kind" | "detail"> & { kind: number; detail: string | null };

const after = statement(() =>
  sqlite.prepare<Row, [number, number]>(
    "SELECT number, kind, record, device_id, detail FROM changes WHERE number > ? ORDER BY number LIMIT +?",
  ),
);

/** The changes after a number, at most `limit`. */
export const changesAfter = (number: number, limit: number): Change[] =>
  after()
    .all(number, limit)
    .map((row) => ({
      ...row,
      kind: CHANGE_KINDS[row.kind] as ChangeKind,
      detail: row.detail === null ? null : JSON.parse(row.detail),
    }));

const newest = statement(() =>
  sqlite.prepare<{ number: number | null }, []>("SELECT max(number) AS number FROM changes"),
);
const oldest = statement(() =>
  sqlite.prepare<{ number: number | null }, []>("SELECT min(number) AS number FROM changes"),
);

/** The number of the newest change; 0 before the first. */
export const newestNumber = (): number => newest().get()?.number ?? 0;

/** The number before the oldest change that is kept: between it and `oldestStart` some were given up. */
export const oldestKept = (): number => Math.max(0, (oldest().get()?.number ?? 1) - 1);

const newestThinned = statement(() =>
  sqlite.prepare<{ number: number }, []>(
    "SELECT to_number AS number FROM feed_thinned ORDER BY from_number DESC LIMIT 1",
  ),
);

/** The lowest number from which everything is kept: what follows it is there. */
export const oldestStart = (): number => Math.max(oldestKept(), newestThinned().get()?.number ?? 0);

// --- Cursors ----------------------------------------------------------------------------------------------

const epochOf = statement(() => sqlite.prepare<{ epoch: string }, []>("SELECT epoch FROM feed_state"));
const nameEpoch = statement(() =>
  sqlite.prepare<unknown, [string]>(
    "INSERT INTO feed_state (epoch) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM feed_state)",
  ),
);
let epoch = "";

/** Reads the name of this run of numbers, at the start; a restored database gets a new one. */
export function openFeed(): void {
  nameEpoch().run(Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex"));
  epoch = epochOf().get()?.epoch ?? "";
}

/** The name of this run of numbers. */
export const currentEpoch = (): string => epoch;

/** The cursor of a number: whoever has it has read up to there. */
export const cursorOf = (number: number): string => `${epoch}-${number}`;

export type Start =
  | { number: number }
  /** The changes after the cursor are not all there any more, or never were in this database. */
  | { gone: "expired" | "epoch" };

const CURSOR = /^([0-9a-f]{16})-(0|[1-9]\d{0,14})$/;

/** The form of a cursor. */
export const CURSOR_PATTERN = CURSOR.source;

/** The place of a cursor, or of `now`; null for one that no server gave. */
export function startOf(since: string): Start | null {
  if (since === "now") return { number: newestNumber() };
  const parts = CURSOR.exec(since);
  if (!parts) return null;
  if (parts[1] !== epoch) return { gone: "epoch" };
  const number = Number(parts[2]);
  if (number > newestNumber()) return null;
  return number < oldestStart() ? { gone: "expired" } : { number };
}

// --- Waiting ----------------------------------------------------------------------------------------------

const watchers = new Set<() => void>();
let isWaking = false;

function wake(): void {
  if (isWaking || watchers.size === 0) return;
  isWaking = true;
  setImmediate(() => {
    isWaking = false;
    newestSeen = newestNumber();
    for (const watcher of [...watchers]) watcher();
  });
}

/** Milliseconds between two looks for changes of other processes, such as commands, which wake nobody here. */
const LOOK_INTERVAL = 1_000;
let looking: ReturnType<typeof setInterval> | undefined;
let newestSeen = 0;

function lookForOthers(): void {
  if (newestNumber() !== newestSeen) wake();
}

/** Calls a function soon after each commit that holds changes; returns the function that ends it. */
export function watchChanges(watcher: () => void): () => void {
  watchers.add(watcher);
  looking ??= setInterval(lookForOthers, LOOK_INTERVAL);
  looking.unref();
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  };
}
