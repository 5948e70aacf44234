import { and, gt } from "drizzle-orm";
import { retryQueuedEmails } from "../../identity/email/service";
import { db } from "../../kernel/db/connection";
import { subscribe } from "../../kernel/db/events";
import { logFailure } from "../../kernel/errors/trouble";
import { closeIdleConnections } from "../../kernel/http/pinned-request";
import { HOUR, now, SECOND } from "../../kernel/time/clock";
import { findTargets, type TargetRow } from "../targets/service";
import { isUnheard, type Message, type Outcome } from "./kinds/outcome";
import { dueOf, dueTargets, isWaiting, makeDue, makeDueFor } from "./queue";
import { quietUntil } from "./quiet";
import { send } from "./send";
import { type DeliveryRow, hold, settle } from "./settle";
import { cancelStray } from "./sweep";
import { notificationDeliveries } from "./table";

/**
 * The worker that empties the outbox. Each target has a lane of its own, so that one which fails holds no other back; the
 * deliveries of one alert go to a target one after the other.
 */

/** Attempts at once to one target, and to one that failed last. */
const AT_ONCE = 8;
const AT_ONCE_WHEN_FAILING = 1;

/** Longest wait of a stop for attempts under way; an interrupted one is made again at the next start. */
const SETTLE_TIMEOUT = 5 * SECOND;

/** Pause of a lane whose outcome could not be stored: it would send the same again and again. */
const STORE_PAUSE = 5 * SECOND;

interface Lane {
  /** Numbers of the deliveries under way, with their alerts. */
  running: Map<number, string | null>;
  isFailing: boolean;
  /** Epoch milliseconds until which the other side wants no request. */
  pausedUntil: number;
}

const lanes = new Map<string, Lane>();
const underWay = new Set<Promise<void>>();

function laneOf(id: string): Lane {
  const lane = lanes.get(id) ?? { running: new Map(), isFailing: false, pausedUntil: 0 };
  lanes.set(id, lane);
  return lane;
}

let isStopping = false;
let isClosed = false;
let isAwake = false;
/** True if something was tried in vain since the last success. */
let sawOutage = false;

/** Starts what is due soon. Called after each commit that puts something into the outbox. */
export function wakeDeliveries(): void {
  if (isAwake || isStopping) return;
  isAwake = true;
  setImmediate(() => {
    isAwake = false;
    deliverDue();
  });
}

/** The job: starts what is due. */
export function deliverDue(): void {
  if (isStopping) return;
  const targets = dueTargets();
  if (targets.length === 0) return;
  for (const target of findTargets(targets)) workOn(target);
}

/** Starts as many attempts at a target as it may have at once. */
function workOn(target: TargetRow): void {
  const lane = laneOf(target.id);
  const time = now();
  // A pause beyond what anybody may ask for means that the clock has been set back since.
  const isPaused = lane.pausedUntil > time && lane.pausedUntil <= time + HOUR;
  if (isStopping || !target.is_active || isPaused) return;
  const most = lane.isFailing ? AT_ONCE_WHEN_FAILING : AT_ONCE;
  if (lane.running.size >= most) return;
  for (const row of dueOf(target.id, most + lane.running.size)) {
    if (lane.running.size >= most) return;
    const isBusy = row.alert_id !== null && [...lane.running.values()].includes(row.alert_id);
    if (isBusy || lane.running.has(row.number)) continue;
    lane.running.set(row.number, row.alert_id);
    const attempt = attemptOrHold(lane, target, row, time).finally(() => {
      underWay.delete(attempt);
      lane.running.delete(row.number);
      goOn(target.id);
    });
    underWay.add(attempt);
  }
}

/** Goes on with a target, as it is stored by now. */
function goOn(id: string): void {
  if (isStopping) return;
  const [target] = findTargets([id]);
  if (target) workOn(target);
  else lanes.delete(id);
}

async function attemptOrHold(lane: Lane, target: TargetRow, row: DeliveryRow, time: number): Promise<void> {
  try {
    const until = quietUntil(target, row, time);
    if (until !== null) await hold(row, until);
    else await attempt(lane, target, row);
  } catch (error) {
    lane.pausedUntil = now() + STORE_PAUSE;
    if (!isClosed) logFailure("the outcome of a delivery could not be stored", error, { delivery: row.id });
  }
}

async function attempt(lane: Lane, target: TargetRow, row: DeliveryRow): Promise<void> {
  const startedAt = now();
  const began = performance.now();
  const outcome = await send(target, messageOf(row), row.payload ?? {});
  if (isClosed) return;
  note(lane, outcome);
  await settle(target, row, outcome, startedAt, Math.round(performance.now() - began));
  if (outcome.result === "delivered") await noteWayOut();
}

export const messageOf = ({ id, type, severity, title, body, created_at }: DeliveryRow): Message => ({
  ...{ id, type, severity, title, body },
  at: created_at,
});

function note(lane: Lane, outcome: Outcome): void {
  if (outcome.result === "delivered" && lane.isFailing) sawOutage = true;
  lane.isFailing = outcome.result === "later";
  if (isUnheard(outcome)) sawOutage = true;
  lane.pausedUntil = outcome.wait ? now() + outcome.wait : 0;
}

/** After a success: what failed during an outage is tried at once, emails too. */
export async function noteWayOut(): Promise<void> {
  if (!sawOutage) return;
  sawOutage = false;
  await makeDue();
  wakeDeliveries();
  await retryQueuedEmails();
}

/** Starts to deliver; returns the function that lets what is under way arrive and starts no more. */
export function startDeliveries(): () => Promise<void> {
  sawOutage =
    db
      .select({ number: notificationDeliveries.number })
      .from(notificationDeliveries)
      .where(and(isWaiting, gt(notificationDeliveries.attempts, 0)))
      .limit(1)
      .get() !== undefined;
  const inBackground = (work: () => Promise<void>) => {
    work()
      .then(wakeDeliveries)
      .catch((error) => logFailure("the outbox of alerts could not be changed", error));
  };
  subscribe("notification-target.changed", ({ id }) => {
    const lane = laneOf(id);
    lane.isFailing = false;
    lane.pausedUntil = 0;
    inBackground(() => makeDueFor(id));
  });
  subscribe("notification-target.closed", () => inBackground(cancelStray));
  subscribe("email.back", () => inBackground(noteWayOut));
  wakeDeliveries();
  return async () => {
    isStopping = true;
    await Promise.race([Promise.allSettled(underWay), Bun.sleep(SETTLE_TIMEOUT)]);
    isClosed = true;
    closeIdleConnections();
  };
}
