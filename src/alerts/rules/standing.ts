import { eq, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { now, SECOND } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import type { AlertRow } from "../alerts/table";
import { watchOf } from "../anchor/stored";
import { windowAt } from "../schedules/windows";
import { rightsOf } from "../targets/maker";
import { defaultTargetIds } from "../targets/service";
import { rulesFor } from "./active";
import { maySee } from "./fields";
import { alertRules, type StoredRule } from "./table";

/** A rule counts within its schedule, and tells what its maker may see. */

/** True if a rule counts at a time. */
export const isCounted = ({ schedule }: StoredRule, time: number): boolean =>
  schedule === null || windowAt(schedule, time) !== null;

/** Rights are looked at again after this, where a rule may not tell: positions would do so each time. */
const LOOK_PAUSE = 5 * SECOND;
const silentUntil = new BoundedMap<string, number>(10_000);

/** A rule whose maker may not see any more what it tells raises nothing. */
export function mayTell(rule: Pick<StoredRule, "id" | "condition" | "user_id" | "api_key_id">): boolean {
  const time = now();
  const until = silentUntil.get(rule.id);
  if (until !== undefined && until > time && until <= time + LOOK_PAUSE) return false;
  const rights = rightsOf(rule);
  const isAllowed = rights !== null && maySee(rights, rule.condition);
  if (!isAllowed) silentUntil.renew(rule.id, time + LOOK_PAUSE);
  return isAllowed;
}

const makers = statement(() =>
  db
    .select({
      ...{ id: alertRules.id, condition: alertRules.condition },
      ...{ user_id: alertRules.user_id, api_key_id: alertRules.api_key_id },
    })
    .from(alertRules)
    .where(eq(alertRules.id, placeholder("id")))
    .prepare(),
);

/** The targets that know of an alert and may hear what becomes of it: none by whoever has lost the right to see it. */
export function toldStill({
  rule_id,
  device_id,
  told,
}: Pick<AlertRow, "rule_id" | "device_id" | "told">): string[] {
  if (rule_id === null) return device_id === null ? told : toldOfAnchor(device_id, told);
  const rule = makers().get({ id: rule_id });
  return rule === undefined || mayTell(rule) ? told : [];
}

/** The watch and the rules that add to it tell for one maker each. */
function toldOfAnchor(deviceId: string, told: string[]): string[] {
  const watch = watchOf(deviceId);
  const tellers = [
    ...(watch ? [{ ...watch, id: deviceId, condition: { type: "anchor" as const } }] : []),
    ...rulesFor("anchor", deviceId).flat(),
  ].map((teller) => ({ targets: teller.target_ids ?? defaultTargetIds(), isAllowed: mayTell(teller) }));
  const isTarget = (id: string, isAllowed: boolean): boolean =>
    tellers.some((teller) => teller.isAllowed === isAllowed && teller.targets.includes(id));
  return told.filter((id) => isTarget(id, true) || !isTarget(id, false));
}

/** The targets that rules add to the alerts of a device's anchor watch now. */
export const targetsOfAnchorRules = (deviceId: string): string[] =>
  rulesFor("anchor", deviceId)
    .flat()
    .filter((rule) => isCounted(rule, now()) && mayTell(rule))
    .flatMap(({ target_ids }) => target_ids ?? defaultTargetIds());
