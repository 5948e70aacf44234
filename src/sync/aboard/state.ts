import { eq } from "drizzle-orm";
import { acknowledge, endReader, PATIENT } from "../../feed/readers";
import { db, statement } from "../../kernel/db/connection";
import { iso, now } from "../../kernel/time/clock";
import { NO_HASH } from "../batch/batch";
import { LANES, type Lane } from "../batch/lanes";
import type { LaneState, LaneStates } from "./cursors";
import { currentEpoch, hashOf, newestNumber, oldestKept } from "./feed";
import { syncLanes, syncState, type Walk } from "./table";
import { WALKED, walksLeft, walkThrough } from "./walks";

/** The state of the transfer aboard, as it is kept over restarts. Everything here runs in the current transaction. */

/** The name of this reader of the feed. */
export const READER = PATIENT;

export interface State {
  epoch: string;
  parent: string | null;
  /** Starts of the program so far, this one among them. */
  starts: number;
  walks: Walk[];
  /** The number of the feed up to which no lane needs anything any more. */
  released: number;
  lanes: LaneStates;
}

type Row = typeof syncState.$inferSelect;

const ID = 1;
const newEpoch = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");

/** Begins a start of the program: reads the state, or begins one. `include` names the kinds of records that are told. */
export function openState(include: readonly Walk["kind"][]): State {
  const row = db.select().from(syncState).get();
  if (!row) return beginEpoch(include, null, 1);
  const starts = row.starts + 1;
  db.update(syncState).set({ starts }).where(eq(syncState.id, ID)).run();
  const state = { ...row, starts, lanes: readLanes() };
  // More has happened without a shore than is kept.
  if (state.released < oldestKept()) return wholeEpoch(state, include);
  acknowledge(READER, state.released);
  // A restored database: its numbers go on from older ones.
  if (row.feed_epoch !== currentEpoch()) return forkEpoch(state, include);
  const more = include.filter((kind) => !row.include.includes(kind));
  if (more.length > 0) return forkEpoch(state, include, more);
  db.update(syncState)
    .set({ include: [...include] })
    .where(eq(syncState.id, ID))
    .run();
  return state;
}

function readLanes(): LaneStates {
  const rows = db.select().from(syncLanes).all();
  const found = new Map(rows.map(({ lane, ...state }): [Lane, LaneState] => [lane, state]));
  const none: LaneState = { acknowledged: 0, hash: NO_HASH, begins: true };
  return Object.fromEntries(LANES.map((lane) => [lane, found.get(lane) ?? none])) as LaneStates;
}

/** Begins an epoch in which everything that this box holds is told, and from now on what changes. */
export function wholeEpoch({ starts }: State, include: readonly Walk["kind"][]): State {
  return beginEpoch(include, db.select().from(syncState).get() ?? null, starts);
}

function beginEpoch(include: readonly Walk["kind"][], before: Row | null, starts: number): State {
  const number = newestNumber();
  const place: LaneState = { acknowledged: number, hash: hashOf(number) ?? NO_HASH, begins: true };
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, place])) as LaneStates;
  const beginning: LaneState = { acknowledged: 0, hash: NO_HASH, begins: true };
  // The newest positions are of before the epoch, and need numbers all the same.
  Object.assign(lanes, { newest: beginning, history: beginning });
  const walks = WALKED.filter((kind) => include.includes(kind)).map(walkThrough);
  const state = { epoch: newEpoch(), parent: null, starts, walks, released: number, lanes };
  return keep(state, include, before);
}

/**
 * Goes on under another epoch from where the lanes are: the numbers behind mean other rows than those that the shore heard. Rarer
 * records are all told again, since the shore may hold them as they were in the other life; positions only where the former
 * epoch had not come to yet, or where they are among `more`, kinds that were not told before.
 */
export function forkEpoch(
  { epoch, starts, walks, released, lanes }: State,
  include: readonly Walk["kind"][],
  more: readonly Walk["kind"][] = [],
): State {
  const left = walksLeft(walks, lanes.history.acknowledged).filter(({ kind }) => kind === "position");
  const again = WALKED.filter(
    (kind) => include.includes(kind) && (kind !== "position" || more.includes(kind)),
  );
  const isAgain = (kind: Walk["kind"]) => again.includes(kind);
  const next = [
    ...again.map(walkThrough),
    ...left.filter(({ kind }) => include.includes(kind) && !isAgain(kind)),
  ];
  const begun = Object.fromEntries(
    LANES.map((lane) => [lane, { ...lanes[lane], begins: true }]),
  ) as LaneStates;
  begun.history = { acknowledged: 0, hash: NO_HASH, begins: true };
  const before = db.select().from(syncState).get() ?? null;
  const state = { epoch: newEpoch(), parent: epoch, starts, walks: next, released, lanes: begun };
  return keep(state, include, before);
}

function keep(state: State, include: readonly Walk["kind"][], before: Row | null): State {
  const { lanes, ...rest } = state;
  db.delete(syncState).run();
  db.insert(syncState)
    .values({
      ...{ id: ID, day: dayOf(now()), day_bytes: 0, last_contact_at: null },
      ...before,
      ...rest,
      feed_epoch: currentEpoch(),
      include: [...include],
    })
    .run();
  db.delete(syncLanes).run();
  keepLanes(lanes);
  acknowledge(READER, state.released);
  return state;
}

/** Keeps places of lanes. */
export function keepLanes(lanes: Partial<LaneStates>): void {
  for (const [lane, state] of Object.entries(lanes) as [Lane, LaneState][])
    db.insert(syncLanes)
      .values({ lane, ...state })
      .onConflictDoUpdate({ target: syncLanes.lane, set: state })
      .run();
}

/** Lets the feed forget what no lane needs up to a number. */
export function release(number: number): void {
  db.update(syncState).set({ released: number }).where(eq(syncState.id, ID)).run();
  acknowledge(READER, number);
}

/** Keeps nothing for a shore any more, since none is configured. */
export const endTransfer = (): void => endReader(READER);

// --- The day and the last contact -------------------------------------------------------------------------

/** A day in UTC, `YYYY-MM-DD`. */
const dayOf = (time: number): string => iso(time).slice(0, 10);

const ofToday = statement(() =>
  db
    .select({
      day: syncState.day,
      day_bytes: syncState.day_bytes,
      last_contact_at: syncState.last_contact_at,
    })
    .from(syncState)
    .prepare(),
);

/** Counts bytes that went to and fro, and notes a contact. */
export function noteTraffic(bytes: number, isContact: boolean): void {
  const row = ofToday().get();
  if (!row) return;
  const day = dayOf(now());
  db.update(syncState)
    .set({
      day,
      day_bytes: bytes + (row.day === day ? row.day_bytes : 0),
      ...(isContact && { last_contact_at: now() }),
    })
    .where(eq(syncState.id, ID))
    .run();
}

/** Bytes of today, and the time of the last contact; nulls before the first start with a shore. */
export function traffic(): { bytesToday: number; lastContactAt: number | null } {
  const row = ofToday().get();
  return {
    bytesToday: row && row.day === dayOf(now()) ? row.day_bytes : 0,
    lastContactAt: row?.last_contact_at ?? null,
  };
}
