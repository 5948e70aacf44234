import { transact } from "../../kernel/db/transactions";
import { now, SECOND } from "../../kernel/time/clock";
import { escalate } from "../alerts/register";
import { alertsToEscalate } from "../alerts/stored";
import { tickArrivals } from "../arrivals/arrivals";
import type { ZoneEvent } from "../kinds";
import { activeRule } from "../rules/active";
import { mayTell } from "../rules/standing";
import { observe } from "./observe";
import { watchSilence } from "./silence";
import {
  conditionOf,
  dropCondition,
  dueConditions,
  type HeldCondition,
  holdCondition,
  lastCrossing,
  sideAt,
} from "./stored";
import type { StoredSighting } from "./table";

/** Conditions that change with time alone. The database holds all of it, so a restart goes on where the clock is by then. */

/** Conditions and alerts of one transaction. */
const AT_ONCE = 50;

/** The job: raises what has held for long enough, tells further targets, and notices silence. */
export async function watchClock(): Promise<void> {
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
    const present = rule.condition.type === "zone" ? crossingNow(held, rule.condition.event, seen) : seen;
    if (present) {
      const isCrossing = rule.condition.type === "zone" && present.place !== null;
      observe({
        ...{ rule, deviceId, subject, ...present, isMet: true },
        ...(isCrossing && { at: present.place?.time }),
      });
    }
    const after = conditionOf(ruleId, deviceId, subject);
    // The next younger fix will tell, its maker may not see it any more, or the clock was set back.
    if (after && !after.isOpen) holdCondition({ ...held, dueAt: now() + RETRY }, seen);
  }
}

/**
 * A crossing that was held back, as it is by what has come since; null if the device isn't on that side of the zone any more,
 * as late or old positions have told, which change no condition by themselves.
 */
function crossingNow(
  { deviceId, subject }: Omit<HeldCondition, "dueAt">,
  event: ZoneEvent,
  seen: StoredSighting,
): StoredSighting | null {
  if (deviceId === null || subject === null || event === "passed") return seen;
  const side = sideAt(deviceId, subject);
  const isThere = { enter: side !== null, exit: side === null, dwell: side?.hasDwelled === true };
  if (!isThere[event]) return null;
  const crossing = lastCrossing(deviceId, subject, event);
  if (!crossing) return seen;
  const { id, latitude, longitude, occurred_at } = crossing;
  return { value: null, place: { latitude, longitude, time: occurred_at }, crossingId: id };
}

function escalateDue(): void {
  for (const alert of alertsToEscalate(now(), AT_ONCE)) {
    const rule = alert.rule_id === null ? undefined : activeRule(alert.rule_id);
    escalate(alert, rule && mayTell(rule) ? (rule.escalate_target_ids ?? []) : []);
  }
}
