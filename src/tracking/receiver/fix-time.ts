/** The time of a fix of the box's own receiver, in Unix seconds. */

const WEEK = 7 * 86_400;

/** Weeks after which the count of GPS begins again at zero (IS-GPS-200, section 20.3.3.3.1.1: ten bits). */
const ROLL_OVER = 1_024 * WEEK;

const DAY = 86_400;

/** 1990-01-01T00:00:00Z: no receiver told positions before. */
const EARLIEST = 631_152_000;

/**
 * The time meant by a receiver. One whose week count rolled over is behind by whole 1,024 weeks, or ahead where gpsd
 * has mended too much: that is undone if the result lies within a day of the server's clock. Otherwise that clock
 * doesn't count, since a box without a battery starts in 1970; null for a time before 1990.
 */
export function meantTime(time: number, serverTime: number): number | null {
  const mended = time + Math.round((serverTime - time) / ROLL_OVER) * ROLL_OVER;
  const isNow = mended !== time && Math.abs(mended - serverTime) <= DAY;
  const meant = isNow && mended >= EARLIEST ? mended : time;
  return meant >= EARLIEST ? meant : null;
}
