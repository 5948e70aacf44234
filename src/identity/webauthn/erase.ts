import { eq } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { type AuditEntry, recordAudit } from "../audit/service";
import { passkeys } from "../passkeys/table";

/** Removes all passkeys of a user, in the current transaction, each with its audit event. */
export function erasePasskeys(userId: string, reason: string, audited: Partial<AuditEntry> = {}): void {
  const gone = db.delete(passkeys).where(eq(passkeys.user_id, userId)).returning({ id: passkeys.id }).all();
  for (const { id } of gone)
    recordAudit({
      event_type: "passkey_removed",
      user_id: userId,
      resource_type: "passkey",
      resource_id: id,
      metadata: { reason },
      ...audited,
    });
}
