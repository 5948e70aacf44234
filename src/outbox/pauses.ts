import { DAY, HOUR, MINUTE, SECOND } from "../kernel/time/clock";

/** The pauses between the attempts at one delivery. Pure. */

const FIRST_PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];
const LAST_PAUSE = 3 * HOUR;
/** Time for which the last pause is made again and again. */
const LAST_PAUSES_FOR = 3 * DAY;
/** An alarm is tried this often, and for `ALARM_FOR`, before its pauses grow. */
export const ALARM_PAUSE = 2 * MINUTE;
const ALARM_FOR = DAY;

const SUM_OF_FIRST = FIRST_PAUSES.reduce((sum, pause) => sum + pause);
/** Steps of an alarm before its pauses grow: two shorter ones, then one in two minutes. */
const ALARM_STEPS = 2 + ALARM_FOR / ALARM_PAUSE;

/** A clock before this year was never set: no span that begins there is believed. */
const PLAUSIBLE = Date.UTC(2020, 0, 1);

/** Pause before the next attempt in milliseconds, without jitter. `step` counts the attempts in turn that failed, from 0. */
export function pauseAt(step: number, isAlarm: boolean): number {
  if (!isAlarm) return FIRST_PAUSES[step] ?? LAST_PAUSE;
  if (step < ALARM_STEPS) return Math.min(FIRST_PAUSES[step] ?? ALARM_PAUSE, ALARM_PAUSE);
  // On from where the pauses of the rest grow beyond those of alarms.
  return FIRST_PAUSES[step - ALARM_STEPS + 3] ?? LAST_PAUSE;
}

/** A tenth more or less, so that what failed together isn't tried together for ever. */
export const withJitter = (pause: number): number => Math.round(pause * (0.9 + 0.2 * Math.random()));

/**
 * True if a delivery that failed again is given up: after as long as its pauses last. By the steps alone where the clock
 * wasn't set at the first attempt (epoch milliseconds).
 */
export function isOver(step: number, isAlarm: boolean, firstAttemptAt: number, time: number): boolean {
  const alarmSteps = isAlarm ? ALARM_STEPS - 3 : 0;
  if (step >= alarmSteps + FIRST_PAUSES.length + LAST_PAUSES_FOR / LAST_PAUSE) return true;
  const span = (isAlarm ? ALARM_FOR : 0) + SUM_OF_FIRST + LAST_PAUSES_FOR;
  return firstAttemptAt >= PLAUSIBLE && time - firstAttemptAt >= span;
}
