import { DAY, HOUR, MINUTE, SECOND } from "../kernel/time/clock";

/** The pauses between the attempts at one delivery. Pure. */

const FIRST_PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];
const LAST_PAUSE = 3 * HOUR;
/** Time for which the last pause is made again and again. */
const LAST_PAUSES_FOR = 3 * DAY;
/** An alarm is tried this often, and for `ALARM_FOR`, before its pauses grow. */
export const ALARM_PAUSE = 2 * MINUTE;
const ALARM_FOR = DAY;

const sum = (pauses: number[]): number => pauses.reduce((total, pause) => total + pause);
/** Time after which a delivery is given up, and an alarm's: its frequent pauses take the place of the first ones. */
const SPAN = sum(FIRST_PAUSES) + LAST_PAUSES_FOR;
const ALARM_SPAN = ALARM_FOR + sum(FIRST_PAUSES.filter((pause) => pause > ALARM_PAUSE)) + LAST_PAUSES_FOR;
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

/** Part of a pause by which it is longer or shorter at most. */
const JITTER = 0.1;

/** A tenth more or less, so that what failed together isn't tried together for ever. */
export const withJitter = (pause: number): number =>
  Math.round(pause * (1 - JITTER + 2 * JITTER * Math.random()));

/**
 * True if a delivery that failed again is given up: after as long as its pauses last without jitter, by the clock. By the
 * steps alone where the clock wasn't set at the first attempt (epoch milliseconds); by steps too where it was set back
 * since, but only by so many that the shortest pauses don't end it early.
 */
export function isOver(step: number, isAlarm: boolean, firstAttemptAt: number, time: number): boolean {
  const isDated = firstAttemptAt >= PLAUSIBLE;
  if (isDated && time - firstAttemptAt >= (isAlarm ? ALARM_SPAN : SPAN)) return true;
  const firstSteps = (isAlarm ? ALARM_STEPS - 3 : 0) + FIRST_PAUSES.length;
  return step - firstSteps >= LAST_PAUSES_FOR / LAST_PAUSE / (isDated ? 1 - JITTER : 1);
}
