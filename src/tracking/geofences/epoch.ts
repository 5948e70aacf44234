import { afterCommit } from "../../kernel/db/transactions";

let epoch = 0;

/** A number that stays the same while no zone is made, changed or deleted: for what others remember of them. */
export const zoneEpoch = (): number => epoch;

/** Called by all that changes a zone, in its transaction. */
export function zonesChanged(): void {
  afterCommit(() => {
    epoch++;
  });
}
