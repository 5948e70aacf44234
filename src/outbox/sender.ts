import type { OutboxRow } from "./table";

/** The ways out of the outbox. The rooms that know them say here how they are gone. */

/** The end of one attempt. */
export interface Outcome {
  /**
   * - `delivered`: the other side took it,
   * - `later`: it may take it at another attempt,
   * - `refused`: it never will, or this one is not tried again,
   * - `gone`: it wants nothing more at all.
   */
  result: "delivered" | "later" | "refused" | "gone";
  /** Status of the answer; null where there was none, or the way has none. */
  status: number | null;
  /**
   * Words for the operator, of a success too where it is not all that it seems: nothing of the answer, of the address or of a
   * secret.
   */
  error: string | null;
  /** Shortest wait that the other side needs, in milliseconds; the whole lane keeps it, within bounds. */
  wait?: number | null;
}

/** An attempt as the log and the metrics are told of it: with `retryIn` (milliseconds) where another follows. */
export type End = { outcome: Outcome; attempts: number } & (
  | { end: "delivered" | "given_up" }
  | { end: "failed"; retryIn: number }
);

/** A lane that is open. */
export interface Way {
  /** Most attempts at once. */
  atOnce: number;
  /** True if the message of one that is given up is kept, for whoever has it tried again. */
  keepsFailed: boolean;
  /** The end of a time in which a row must not go out (epoch milliseconds); null if it may. */
  heldUntil(row: OutboxRow, time: number): number | null;
  /** Makes one attempt, bounded in time. Never throws. */
  send(row: OutboxRow): Promise<Outcome>;
  /** Tells the log and the metrics of an attempt. */
  report(row: OutboxRow, end: End): void;
  /** Closes the lane, in the current transaction: the other side wants nothing more. */
  close(): void;
}

/** Finds a lane as it is now; null if nothing may go out by it. */
type Sender = (lane: string) => Way | null;

const senders = new Map<string, Sender>();
let ofTheRest: Sender = () => null;

/** Says how one lane is gone. */
export function sendLane(lane: string, sender: Sender): void {
  senders.set(lane, sender);
}

/** Says how all other lanes are gone. */
export function sendOtherLanes(sender: Sender): void {
  ofTheRest = sender;
}

export const wayOf: Sender = (lane) => (senders.get(lane) ?? ofTheRest)(lane);
