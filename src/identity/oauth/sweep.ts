import { lte } from "drizzle-orm";
import { deleteInBatches } from "../../kernel/db/batches";
import { now } from "../../kernel/time/clock";
import { oauthAccessTokens, oauthGrants, oauthRefreshTokens } from "../grants/table";

/**
 * The job: removes grants, with their codes, and tokens whose time has gone. They are refused from then on, removed or not.
 */
export async function deleteEndedGrants(): Promise<void> {
  for (const table of [oauthAccessTokens, oauthRefreshTokens, oauthGrants])
    await deleteInBatches(table, lte(table.expires_at, now()));
}
