import { userManages } from "../../identity/access/visible-devices";
import { now, SECOND } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { windowAt } from "../schedules/windows";
import { rightsOf } from "../targets/maker";
import { defaultTargetIds } from "../targets/service";
import { rulesFor } from "./active";
import { maySee } from "./fields";
import type { StoredRule } from "./table";

/** A rule counts within its schedule, and tells what its maker may see. */

/** True if a rule counts at a time. */
export const isCounted = ({ schedule }: StoredRule, time: number): boolean =>
  schedule === null || windowAt(schedule, time) !== null;

/** Rights are looked at again after this, where a rule may not tell: positions would do so each time. */
const LOOK_PAUSE = 5 * SECOND;
const silentUntil = new BoundedMap<string, number>(10_000);

type Teller = Pick<StoredRule, "id" | "condition" | "device_ids" | "user_id" | "api_key_id"> & {
  is_from_shore?: boolean;
};

/**
 * True if the maker of a rule may see what it tells, by permissions or by managing each device that it names. Of one that the
 * shore handed down, the shore looks.
 */
export function isSeenByMaker({
  condition,
  device_ids,
  user_id,
  api_key_id,
  is_from_shore,
}: Omit<Teller, "id">): boolean {
  if (is_from_shore && user_id === null && api_key_id === null) return true;
  const rights = rightsOf({ user_id, api_key_id });
  if (rights !== null && maySee(rights, condition)) return true;
  return user_id !== null && device_ids.length > 0 && device_ids.every((id) => userManages(user_id, id));
}

/** A rule whose maker may not see any more what it tells raises nothing. */
export function mayTell(rule: Teller): boolean {
  const time = now();
  const until = silentUntil.get(rule.id);
  if (until !== undefined && until > time && until <= time + LOOK_PAUSE) return false;
  const isAllowed = isSeenByMaker(rule);
  if (!isAllowed) silentUntil.renew(rule.id, time + LOOK_PAUSE);
  return isAllowed;
}

/** The targets that rules add to the alerts of a device's anchor watch now. */
export const targetsOfAnchorRules = (deviceId: string): string[] =>
  rulesFor("anchor", deviceId)
    .flat()
    .filter((rule) => isCounted(rule, now()) && mayTell(rule))
    .flatMap(({ target_ids }) => target_ids ?? defaultTargetIds());
