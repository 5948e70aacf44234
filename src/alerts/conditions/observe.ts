import { HOUR, MINUTE, now, SECOND } from "../../kernel/time/clock";
import { clearAlert, type Place, raiseAlert } from "../alerts/register";
import { isCounted, mayTell } from "../rules/standing";
import type { StoredRule } from "../rules/table";
import { BLANK, step } from "./machine";
import { conditionOf, dropCondition, holdCondition, noteCondition } from "./stored";
import type { StoredSighting } from "./table";

/** A look at a rule's condition. */
export interface Observation {
  rule: StoredRule;
  deviceId: string | null;
  /** A zone, a station or a measure; null if the device says it all. */
  subject: string | null;
  /** The name of a station. */
  subjectName?: string;
  isMet: boolean;
  value: number | null;
  place: Place | null;
  crossingId?: string | null;
  /** The time by which the rule's schedule counts, where it isn't now. */
  at?: number;
  /** True for what is over as it begins: nothing holds it back. */
  isMoment?: true;
}

/** Time between two notes that an open alert still holds. Silence has nothing new to say for long. */
const seenEvery = ({ condition }: StoredRule): number => (condition.type === "silence" ? HOUR : MINUTE);

/** Looks at a condition, and raises or clears its alert, in the current transaction. */
export function observe(observation: Observation): void {
  const { rule, deviceId, subject, isMet, value, place, crossingId = null, isMoment } = observation;
  const known = conditionOf(rule.id, deviceId, subject);
  const before = known ?? BLANK;
  const time = now();
  const counted = isMet && (before.isOpen || isCounted(rule, observation.at ?? time));
  const hold = isMoment ? 0 : rule.hold_seconds * SECOND;
  const { state, effect } = step(before, { isMet, isCounted: counted }, hold, time);
  switch (effect) {
    case "raise":
      if (!mayTell(rule)) return;
      if (before.since !== null) dropCondition(rule.id, deviceId, subject);
      raise(observation);
      break;
    case "see":
      if (Math.abs(time - (known?.seenAt ?? 0)) < seenEvery(rule)) return;
      raise(observation);
      break;
    case "clear":
      clearAlert({ ruleId: rule.id, deviceId, subject });
      break;
    case "hold":
      holdBack();
      break;
    case "drop":
      dropCondition(rule.id, deviceId, subject);
      break;
    case null:
      // Once it is due, the newest sight is told.
      if (isMet && state.since !== null) holdBack();
      return;
  }
  if (deviceId !== null)
    noteCondition(deviceId, { ...(isMoment ? BLANK : state), ruleId: rule.id, subject, seenAt: time });

  function holdBack(): void {
    const since = state.since as number;
    const seen: StoredSighting = { value, place, crossingId };
    holdCondition({ ruleId: rule.id, deviceId, subject, since, dueAt: since + hold }, seen);
  }
}

function raise({ rule, deviceId, subject, subjectName, value, place, crossingId }: Observation): void {
  const { condition, severity, cooldown_seconds, target_ids } = rule;
  raiseAlert(
    {
      ...{ rule, severity, deviceId, subject, value, place, crossingId },
      condition: condition.type,
      ...(subjectName !== undefined && { subjectName }),
      ...(condition.type === "zone" && { event: condition.event }),
      targetIds: target_ids,
    },
    cooldown_seconds * SECOND,
  );
}
