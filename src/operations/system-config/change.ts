import { type Caller, transactAs } from "../../identity/access/caller";
import { recordAudit } from "../../identity/audit/service";
import type { Client } from "../../kernel/client";
import { invalid } from "../../kernel/errors";
import { CATALOGUE } from "./catalogue";
import type { ConfigEntry } from "./schema";
import { getConfig, knownKey, setSystemValue } from "./service";

/** Changes an entry; it is in force from the commit on. Throws 404, and 400 for a value that its check refuses. */
export function changeConfig(
  caller: Caller,
  asked: string,
  value: unknown,
  client: Client,
): Promise<ConfigEntry> {
  const key = knownKey(asked);
  const refusal = CATALOGUE[key].check(value);
  if (refusal !== null) throw invalid("/value", refusal);
  return transactAs(caller, () => {
    const before = getConfig(key).value;
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
