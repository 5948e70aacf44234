/**
 * What a failed delivery means for the message:
 * - `refused`: it will never be taken,
 * - `later`: it may be taken at another try, and other messages may be taken now,
 * - `down`: nothing is taken now, whatever the message.
 */
export type Setback = "refused" | "later" | "down";

/**
 * A message could not be handed over. The reason is kept and logged, so it is made of status codes alone: what servers
 * answer in words may quote the address.
 */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  readonly setback: Setback;

  constructor(reason: string, setback: Setback) {
    super(reason);
    this.setback = setback;
  }
}
