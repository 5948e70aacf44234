import { transact } from "../../kernel/db/transactions";
import { now, SECOND } from "../../kernel/time/clock";
import { escalate } from "../alerts/register";
import { alertsToEscalate } from "../alerts/stored";
import { tickArrivals } from "../arrivals/arrivals";
import { activeRule } from "../rules/active";
import { observe } from "./observe";
import { watchSilence } from "./silence";
import { conditionOf, dropCondition, dueConditions, holdCondition } from "./stored";

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
    const { value, place, crossingId } = seen;
    const isCrossing = rule.condition.type === "zone" && place !== null;
    observe({
      ...{ rule, deviceId, subject, value, place, crossingId, isMet: true },
      ...(isCrossing && { at: place.time }),
    });
    const after = conditionOf(ruleId, deviceId, subject);
    // Its maker may not see it any more, or the clock was set back.
    if (after && !after.isOpen) holdCondition({ ...held, dueAt: now() + RETRY }, seen);
  }
}

function escalateDue(): void {
  for (const alert of alertsToEscalate(now(), AT_ONCE)) {
    const rule = alert.rule_id === null ? undefined : activeRule(alert.rule_id);
    escalate(alert, rule?.escalate_target_ids ?? []);
  }
}
