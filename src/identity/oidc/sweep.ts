import { lte } from "drizzle-orm";
import { deleteInBatches } from "../../kernel/db/batches";
import { now } from "../../kernel/time/clock";
import { oidcCodes, oidcStates } from "./table";

/** The job: removes states and codes that have run out. They are refused even before it runs. */
export async function deleteExpiredCodes(): Promise<void> {
  await deleteInBatches(oidcStates, lte(oidcStates.expires_at, now()));
  await deleteInBatches(oidcCodes, lte(oidcCodes.expires_at, now()));
}
