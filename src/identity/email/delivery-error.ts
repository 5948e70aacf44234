/**
 * Meaning of a failed delivery for the message:
 * - `refused`: it will never be accepted,
 * - `later`: it may be accepted at another try, and other messages may be accepted now,
 * - `down`: no message at all is accepted now.
 */
export type Setback = "refused" | "later" | "down";

/**
 * A message could not be handed over. The reason is kept and logged, so it consists of status codes only: a
 * server's own words may quote the address.
 */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  readonly setback: Setback;

  constructor(reason: string, setback: Setback) {
    super(reason);
    this.setback = setback;
  }
}
