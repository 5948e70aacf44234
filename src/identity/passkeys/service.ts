import { and, eq } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { notFound } from "../../kernel/errors/errors";
import { checkChanged } from "../../kernel/http/validation";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import { type SessionActor, transactAs } from "../access/actor";
import { recordAudit } from "../audit/service";
import { activeUser } from "../directory/users";
import { notify } from "../email/notify";
import { requireRecentSession } from "../reauthentication/service";
import { requireWayIn } from "../ways-in/service";
import { type PasskeyRow, passkeysOf } from "../webauthn/assertions";
import { authenticatorName } from "../webauthn/authenticators";
import type { Passkey, PasskeyChange } from "./schema";
import { passkeys } from "./table";

/** A user's own passkeys: listed, renamed, removed. */

export const toPasskey = (row: PasskeyRow): Passkey => ({
  id: row.id,
  name: row.name,
  created_at: iso(row.created_at),
  last_used_at: isoOrNull(row.last_used_at),
  transports: row.transports,
  is_backed_up: row.is_backed_up,
  aaguid: row.aaguid,
  authenticator: authenticatorName(row.aaguid),
});

/** A user's passkeys, newest first; their number is bounded. */
export const listPasskeys = (userId: string): Passkey[] => passkeysOf(userId).reverse().map(toPasskey);

const own = ({ caller }: SessionActor, id: string) =>
  and(eq(passkeys.id, id), eq(passkeys.user_id, caller.userId));

/** Renames a passkey of the caller's. Throws 404, and 400 without a field. */
export function renamePasskey(actor: SessionActor, id: string, input: PasskeyChange): Promise<Passkey> {
  return transactAs(actor, () => {
    checkChanged(input);
    const row = db.update(passkeys).set({ name: input.name }).where(own(actor, id)).returning().get();
    if (!row) throw notFound("Passkey");
    recordAudit({
      event_type: "passkey_updated",
      user_id: row.user_id,
      resource_type: "passkey",
      resource_id: id,
    });
    return toPasskey(row);
  });
}

/**
 * Removes a passkey of the caller's, and tells by email. Throws 403 for a session that was signed in too long ago, 404, and
 * 409 for the last way in.
 */
export function removePasskey(actor: SessionActor, id: string): Promise<void> {
  return transactAs(actor, () => {
    requireRecentSession(actor);
    const row = db.delete(passkeys).where(own(actor, id)).returning().get();
    if (!row) throw notFound("Passkey");
    requireWayIn(row.user_id);
    recordAudit({
      event_type: "passkey_removed",
      user_id: row.user_id,
      resource_type: "passkey",
      resource_id: id,
    });
    const content = { kind: "passkey_removed", name: row.name, at: now() } as const;
    notify(activeUser(row.user_id), content, actor.client.acceptLanguage);
  });
}
