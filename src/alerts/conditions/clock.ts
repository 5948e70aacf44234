import { transact } from "../../kernel/db/transactions";
import { now, SECOND } from "../../kernel/time/clock";
import { escalate } from "../alerts/register";
import { alertsToEscalate, escalateAnew } from "../alerts/stored";
import { tickArrivals } from "../arrivals/arrivals";
import type { ZoneEvent } from "../kinds";
import { activeRule } from "../rules/active";
import { mayTell } from "../rules/standing";
import { type Observation, observe } from "./observe";
import { watchSilence } from "./silence";
import {
  conditionOf,
  dropCondition,
  dueConditions,
  holdAnew,
  holdCondition,
  lastCrossing,
  sideAt,
} from "./stored";

/** Conditions that change with time alone. The database holds all of it, so a restart goes on where the clock is by then. */

/** Conditions and alerts of one transaction. */
const AT_ONCE = 50;

/** The job: raises what has held for long enough, tells further targets, and notices silence. */
export async function watchClock(): Promise<void> {
  if (tickedAt === null || now() < tickedAt) await transact(heedSetBack);
  while (dueConditions(now(), 1).length > 0) await transact(raiseDue);
  while (alertsToEscalate(now(), 1).length > 0) await transact(escalateDue);
  await tickArrivals();
  await watchSilence();
  tickedAt = now();
}

/** Epoch milliseconds; null before the first. */
let tickedAt: number | null = null;

/** The time at which the clock was last watched without an error (epoch milliseconds); null before the first. */
export const clockWatchedAt = (): number | null => tickedAt;

/** Counts anew what has begun at a time that is still to come, by a clock that was set back. */
function heedSetBack(): void {
  holdAnew(now());
  escalateAnew(now());
}

/** Pause after which what was due and could not be raised is due again. */
const RETRY = 10 * SECOND;

function raiseDue(): void {
  for (const { seen, dueAt: _, ...held } of dueConditions(now(), AT_ONCE)) {
    const { ruleId, deviceId, subject } = held;
    const rule = activeRule(ruleId);
    if (!rule) {
      dropCondition(ruleId, deviceId, subject);
      continue;
    }
    const look = { rule, deviceId, subject };
    if (rule.condition.type !== "zone") observe({ ...look, ...seen, isMet: true });
    else if (deviceId !== null && subject !== null && isThere(deviceId, subject, rule.condition.event))
      raiseCrossing(look, deviceId, subject, rule.condition.event);
    const after = conditionOf(ruleId, deviceId, subject);
    // The next younger fix will tell, its maker may not see it any more, or the clock was set back.
    if (after && !after.isOpen) holdCondition({ ...held, dueAt: now() + RETRY }, seen);
  }
}

/** False where late or old positions have told otherwise since, which change no condition by themselves. */
function isThere(deviceId: string, zoneId: string, event: ZoneEvent): boolean {
  const side = sideAt(deviceId, zoneId);
  return event === "dwell" ? side?.hasDwelled === true : (side === null) === (event === "exit");
}

/** Raises a crossing that was held back, as it is by what has come since. */
function raiseCrossing(
  look: Pick<Observation, "rule" | "deviceId" | "subject">,
  deviceId: string,
  zoneId: string,
  event: ZoneEvent,
): void {
  const crossing = event === "passed" ? null : lastCrossing(deviceId, zoneId, event);
  // It has never been on the other side, as late positions have told.
  if (!crossing) {
    observe({ ...look, isMet: false, value: null, place: null });
    return;
  }
  const { id, latitude, longitude, occurred_at } = crossing;
  const place = { latitude, longitude, time: occurred_at };
  observe({ ...look, isMet: true, value: null, place, crossingId: id, at: occurred_at });
}

function escalateDue(): void {
  for (const alert of alertsToEscalate(now(), AT_ONCE)) {
    const rule = alert.rule_id === null ? undefined : activeRule(alert.rule_id);
    escalate(alert, rule && mayTell(rule) ? (rule.escalate_target_ids ?? []) : []);
  }
}
