import { afterCommit } from "../../kernel/db/transactions";

let epoch = 0;

/** A number that stays the same while no device is made, changed or deleted: for what others remember of them. */
export const deviceEpoch = (): number => epoch;

/** Called by all that changes a device, in its transaction. */
export function devicesChanged(): void {
  afterCommit(() => {
    epoch++;
  });
}
