import { logFailure } from "../kernel/errors/trouble";
import { closeIdleConnections } from "../kernel/http/pinned-request";
import { now, SECOND } from "../kernel/time/clock";
import { ALARM_PAUSE } from "./pauses";
import { dueLanes, dueOf, hasFailed, makeDue, makeDueIn } from "./queue";
import { type Outcome, type Way, wayOf } from "./sender";
import { hold, settle } from "./settle";
import type { OutboxRow } from "./table";

/**
 * The worker that empties the outbox. One lane that fails holds no other back; the rows of one alert go through a lane one
 * after the other.
 */

/** Attempts at once in a lane that failed last. */
const AT_ONCE_WHEN_FAILING = 1;

/** Longest wait for attempts under way at a stop; an interrupted one is made again at the next start. */
const SETTLE_TIMEOUT = 5 * SECOND;

/** Pause of a lane whose outcome could not be stored: it would send the same again and again. */
const STORE_PAUSE = 5 * SECOND;

/** Longest pause of a lane, whatever the other side asks for: alarms are tried this often. */
const LONGEST_PAUSE = ALARM_PAUSE;

interface Lane {
  /** Attempts under way, by the identifiers of their rows. */
  running: Map<string, { alertId: string | null; end: Promise<void> }>;
  isFailing: boolean;
  /** Epoch milliseconds until which the other side wants nothing. */
  pausedUntil: number;
}

const lanes = new Map<string, Lane>();

function laneOf(name: string): Lane {
  const lane = lanes.get(name) ?? { running: new Map(), isFailing: false, pausedUntil: 0 };
  lanes.set(name, lane);
  return lane;
}

let isStopping = false;
let isClosed = false;
let isAwake = false;
/** True if something was tried in vain since the last success. */
let sawOutage = false;

/** Starts what is due soon. To be called after each commit that puts something into the outbox. */
export function wakeOutbox(): void {
  if (isAwake || isStopping) return;
  isAwake = true;
  setImmediate(() => {
    isAwake = false;
    try {
      deliverDue();
    } catch (error) {
      logFailure("the outbox failed; it is tried again soon", error);
    }
  });
}

/** The job: starts what is due. */
export function deliverDue(): void {
  if (isStopping) return;
  for (const name of dueLanes()) workOn(name);
}

/** Starts as many attempts in a lane as there may be at once. */
function workOn(name: string): void {
  const lane = laneOf(name);
  const time = now();
  // A pause beyond the longest means that the clock has been set back since.
  const isPaused = lane.pausedUntil > time && lane.pausedUntil <= time + LONGEST_PAUSE;
  if (isStopping || isPaused) return;
  const way = wayOf(name);
  if (!way) {
    if (lane.running.size === 0) lanes.delete(name);
    return;
  }
  const most = lane.isFailing ? AT_ONCE_WHEN_FAILING : way.atOnce;
  if (lane.running.size >= most) return;
  for (const row of dueOf(name, most + lane.running.size)) {
    if (lane.running.size >= most) return;
    const { id, alert_id: alertId } = row;
    const isBusy = alertId !== null && [...lane.running.values()].some((other) => other.alertId === alertId);
    if (isBusy || lane.running.has(id)) continue;
    const end = attemptOrHold(lane, way, row, time).then(() => {
      lane.running.delete(id);
      goOn(name);
    });
    lane.running.set(id, { alertId, end });
  }
}

function goOn(name: string): void {
  try {
    workOn(name);
  } catch (error) {
    logFailure("the outbox failed; it is tried again soon", error);
  }
}

async function attemptOrHold(lane: Lane, way: Way, row: OutboxRow, time: number): Promise<void> {
  try {
    const until = way.heldUntil(row, time);
    if (until !== null) await hold(row, until);
    else await attempt(lane, way, row);
  } catch (error) {
    lane.pausedUntil = now() + STORE_PAUSE;
    if (!isClosed) logFailure("the outcome of a delivery could not be stored", error, { delivery: row.id });
  }
}

async function attempt(lane: Lane, way: Way, row: OutboxRow): Promise<void> {
  const startedAt = now();
  const began = performance.now();
  const outcome = await way.send(row);
  if (isClosed) return;
  note(lane, outcome);
  await settle(way, row, outcome, startedAt, Math.round(performance.now() - began));
  if (outcome.result === "delivered") await noteWayOut();
}

function note(lane: Lane, outcome: Outcome): void {
  if (outcome.result === "delivered" && lane.isFailing) sawOutage = true;
  lane.isFailing = outcome.result === "later";
  // Nothing was heard of the other side: the way there may be down.
  if (lane.isFailing && outcome.status === null) sawOutage = true;
  lane.pausedUntil = outcome.wait ? now() + Math.min(outcome.wait, LONGEST_PAUSE) : 0;
}

/** After a success: what failed during an outage is tried at once. */
export async function noteWayOut(): Promise<void> {
  if (!sawOutage) return;
  sawOutage = false;
  await makeDue();
  wakeOutbox();
}

/** Ends the pause of a lane that the other side asked for. */
export function resume(name: string): void {
  const lane = laneOf(name);
  lane.isFailing = false;
  lane.pausedUntil = 0;
  wakeOutbox();
}

/** Tries all that waits in a lane at once, whatever it waited for: it may have begun to work again. */
export async function freshen(name: string): Promise<void> {
  await makeDueIn(name);
  resume(name);
}

const attemptsUnderWay = (names: Iterable<string>): Promise<void>[] =>
  [...names].flatMap((name) => [...(lanes.get(name)?.running.values() ?? [])].map(({ end }) => end));

/** True if a row is on its way. */
export const isUnderWay = (name: string, id: string): boolean => lanes.get(name)?.running.has(id) ?? false;

/** True if attempts are under way. */
export const isDelivering = (): boolean => attemptsUnderWay(lanes.keys()).length > 0;

/** Resolves once the attempts under way, by default in all lanes, have ended, or after some seconds. */
export async function attemptsEnded(names: Iterable<string> = lanes.keys()): Promise<void> {
  await Promise.race([Promise.allSettled(attemptsUnderWay(names)), Bun.sleep(SETTLE_TIMEOUT)]);
}

/** Starts to deliver; returns the function that lets what is under way arrive and starts no more. */
export function startOutbox(): () => Promise<void> {
  isStopping = false;
  isClosed = false;
  sawOutage = hasFailed();
  wakeOutbox();
  return async () => {
    isStopping = true;
    await attemptsEnded();
    isClosed = true;
    closeIdleConnections();
  };
}
