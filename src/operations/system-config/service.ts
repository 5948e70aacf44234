import { type Caller, transactAs } from "../../identity/access/caller";
import { recordAudit } from "../../identity/audit/service";
import { forbidden, invalid } from "../../kernel/errors/errors";
import type { Client } from "../../kernel/http/client";
import { CATALOGUE, type Entry } from "../../runtime-settings/catalogue";
import { getConfig, knownKey, setSystemValue } from "../../runtime-settings/service";
import type { ConfigEntry } from "./schema";

/**
 * Changes an entry; it is in force from the commit on. Throws 404, 403 if only a super admin may change it,
 * and 400 for a value that its check refuses.
 */
export function changeConfig(
  caller: Caller,
  asked: string,
  value: unknown,
  client: Client,
): Promise<ConfigEntry> {
  const key = knownKey(asked);
  const { check, superAdminsAlone }: Entry = CATALOGUE[key];
  if (superAdminsAlone && !caller.isSuperAdmin) throw forbidden("Only a super admin can change this entry");
  const refusal = check(value);
  if (refusal !== null) throw invalid("/value", refusal);
  return transactAs(caller, () => {
    const entry = getConfig(key);
    const before = entry.value;
    if (before === value) return entry;
    setSystemValue(key, value as number);
    recordAudit({
      event_type: "setting_updated",
      user_id: caller.userId,
      resource_type: "system_config",
      resource_id: key,
      metadata: { from: before, to: value },
      client,
    });
    return getConfig(key);
  });
}
