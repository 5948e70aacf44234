import { recordAudit } from "../audit/service";
import type { RefusedPasskey } from "./assertions";
import type { Purpose } from "./challenges";

/**
 * Records a passkey that was not accepted, in the current transaction. `userId` is the user whom it concerns, null if
 * nobody knows.
 */
export function noteRefused({ why, row }: RefusedPasskey, userId: string | null, at: Purpose): void {
  recordAudit({
    event_type: "passkey_refused",
    user_id: userId,
    ...(userId !== null && row?.user_id === userId && { resource_type: "passkey", resource_id: row.id }),
    status: "failure",
    error_message: why,
    metadata: { at },
  });
}
