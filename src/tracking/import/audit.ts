import { and, eq, isNull } from "drizzle-orm";
import { type Actor, transactAs, withoutCaller } from "../../identity/access/actor";
import { bearerOf, recordAudit } from "../../identity/audit/service";
import { users } from "../../identity/users/table";
import { db } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import type { Format } from "./reader";
import type { ImportReport } from "./schema";

/**
 * Writes the audit event of an import, also for an actor who lost the rights while it was under way: what was stored until
 * then is. Null stands for the operator, by a command.
 */
export async function auditImport(
  actor: Actor | null,
  deviceId: string,
  format: Format,
  { positions, duplicates, rejected }: ImportReport,
  isWhole: boolean,
): Promise<void> {
  const caller = actor?.caller ?? null;
  const bearer = caller ? bearerOf(caller) : {};
  const work = () =>
    recordAudit({
      event_type: "positions_imported",
      user_id: known(caller?.userId ?? null),
      resource_type: "device",
      resource_id: deviceId,
      metadata: { format, positions, duplicates, rejected, ...bearer },
      ...(!isWhole && { status: "failure", error_message: "The file did not come to its end" }),
    });
  await (actor ? transactAs(withoutCaller(actor), work) : transact(work));
}

/** A user whose account is there still. */
function known(userId: string | null): string | null {
  if (userId === null) return null;
  const there = and(eq(users.id, userId), isNull(users.deleted_at));
  return db.select({ id: users.id }).from(users).where(there).get()?.id ?? null;
}
