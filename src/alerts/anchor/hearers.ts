import { eq, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { decideHearers } from "../alerts/register";
import type { AlertRow } from "../alerts/table";
import { rulesFor } from "../rules/active";
import { mayTell } from "../rules/standing";
import { alertRules } from "../rules/table";
import { defaultTargetIds } from "../targets/service";
import { watchOf } from "./stored";

/** Whoever was told of an alert hears what becomes of it, as long as its rule or watch may tell. */

const makers = statement(() =>
  db
    .select({
      ...{ id: alertRules.id, condition: alertRules.condition, device_ids: alertRules.device_ids },
      ...{ user_id: alertRules.user_id, api_key_id: alertRules.api_key_id },
    })
    .from(alertRules)
    .where(eq(alertRules.id, placeholder("id")))
    .prepare(),
);

/** The targets that know of an alert and may hear what becomes of it: none by whoever has lost the right to see it. */
export function hearersOf({
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
  const own = watch && {
    ...watch,
    id: deviceId,
    device_ids: [deviceId],
    condition: { type: "anchor" as const },
  };
  const tellers = [...(own ? [own] : []), ...rulesFor("anchor", deviceId).flat()].map((teller) => ({
    targets: teller.target_ids ?? defaultTargetIds(),
    isAllowed: mayTell(teller),
  }));
  const isTarget = (id: string, isAllowed: boolean): boolean =>
    tellers.some((teller) => teller.isAllowed === isAllowed && teller.targets.includes(id));
  return told.filter((id) => isTarget(id, true) || !isTarget(id, false));
}

/** Lets alerts ask here for those who may hear of them. */
export function startHearers(): void {
  decideHearers(hearersOf);
}
