import { now } from "../kernel/time/clock";

/**
 * Shares end by the clock, which is no event, and connections are looked at a few times a second. Whoever tells of a device asks
 * here before, so that nothing is told by a share that has ended meanwhile.
 */

/** Ends what is heard by shares that are over; returns when the next one will be, in epoch milliseconds. */
let endLost: () => number = () => Number.POSITIVE_INFINITY;
/** When the next share ends by which somebody hears. 0 as long as that is unknown. */
let next = 0;

/** Sets what ends subscriptions. */
export function endSharesWith(end: () => number): void {
  endLost = end;
  next = 0;
}

/** Subscriptions or shares have changed. */
export function sharesHeardChanged(): void {
  next = 0;
}

/** Ends the subscriptions by shares whose time has come. */
export function endDueShares(): void {
  if (now() >= next) next = endLost();
}
