import { inArray } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Caller } from "../../identity/access/caller";
import type { Permission, PermissionSet } from "../../identity/access/permissions";
import { db } from "../../kernel/db/connection";
import { forbidden, invalid } from "../../kernel/errors/errors";
import { devices } from "../../tracking/devices/table";
import { geofences } from "../../tracking/geofences/table";
import { TEMPLATE_WORDS } from "../alerts/register";
import type { ConditionType, StoredCondition } from "../kinds";
import { checkSchedule } from "../schedules/windows";
import { checkTargetIds } from "../targets/service";
import { CONDITIONS } from "./schema";
import type { StoredRule } from "./table";

/** The checks of what a rule holds, beyond its schema. */

/** The permission to see for oneself what a rule of each type tells. */
const NEEDS: Record<ConditionType, Permission> = {
  zone: "geofences:read",
  silence: "gps:read",
  speed: "gps:read",
  anchor: "gps:read",
  battery: "gps:read",
  water_level: "pegel:read",
  system: "settings:read",
};

/** True if these rights let their holder see what a rule with a condition tells. */
export const maySee = (rights: PermissionSet, { type }: Pick<StoredCondition, "type">): boolean =>
  rights.has("alerts:read") && rights.has(NEEDS[type]);

/** Refuses a caller who may not see what a rule tells. Throws 403. */
export function requireSight({ isSuperAdmin, permissions }: Caller, { type }: StoredCondition): void {
  if (isSuperAdmin || maySee(permissions, { type })) return;
  throw forbidden(
    `A rule tells no more than its maker may see: this one needs alerts:read and ${NEEDS[type]}`,
  );
}

/** A condition with identifiers in lower case, and without fields that are none of its own. */
export function cleaned(given: StoredCondition): StoredCondition {
  const condition = ownFields(given);
  switch (condition.type) {
    case "zone":
      return { ...condition, geofence_ids: unique(condition.geofence_ids) };
    case "water_level":
      return { ...condition, station: condition.station.toLowerCase() };
    default:
      return condition;
  }
}

/** Unknown fields are ignored everywhere, but the framework doesn't look into variants. */
function ownFields(condition: StoredCondition): StoredCondition {
  const { properties } = CONDITIONS[condition.type];
  const own = Object.entries(condition).filter(([name]) => Object.hasOwn(properties, name));
  return Object.fromEntries(own) as StoredCondition;
}

/** Identifiers in lower case, each once. */
export const unique = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))];

type Checked = Pick<
  StoredRule,
  | "condition"
  | "device_ids"
  | "schedule"
  | "target_ids"
  | "escalate_after_seconds"
  | "escalate_target_ids"
  | "message"
>;

/**
 * Refuses a rule that can't work, in the current transaction. Targets are looked for in what has `changed` alone: a database
 * of an older version may name one that was deleted, which is none of the caller's doing. Throws 400.
 */
export function checkRule(rule: Checked, changed: Partial<Checked> = rule): void {
  checkCondition(rule.condition);
  checkExist("/device_ids", "device", devices, devices.id, rule.device_ids);
  const hasDevice = !["water_level", "system"].includes(rule.condition.type);
  if (!hasDevice && rule.device_ids.length > 0)
    throw invalid("/device_ids", `must be empty for a condition of type ${rule.condition.type}`);
  if (rule.schedule) checkSchedule("/schedule", rule.schedule);
  checkTargetIds("/target_ids", changed.target_ids ?? []);
  checkTargetIds("/escalate_target_ids", changed.escalate_target_ids ?? []);
  if (rule.escalate_after_seconds !== null && !rule.escalate_target_ids?.length)
    throw invalid("/escalate_target_ids", "is required with escalate_after_seconds");
  if (rule.escalate_after_seconds === null && rule.escalate_target_ids?.length)
    throw invalid("/escalate_after_seconds", "is required with escalate_target_ids");
  for (const [, word] of rule.message?.matchAll(/\{([^{}]*)\}/g) ?? [])
    if (!(TEMPLATE_WORDS as readonly string[]).includes(word ?? ""))
      throw invalid(
        "/message",
        `may hold ${TEMPLATE_WORDS.map((each) => `{${each}}`).join(", ")} alone in braces`,
      );
}

function checkCondition(condition: StoredCondition): void {
  if (condition.type === "zone")
    checkExist("/condition/geofence_ids", "zone", geofences, geofences.id, condition.geofence_ids);
  if (condition.type === "water_level")
    requireOne("above_cm", condition.above_cm, "below_cm", condition.below_cm);
  if (condition.type === "system") requireOne("above", condition.above, "below", condition.below);
}

function requireOne(above: string, upper: unknown, below: string, lower: unknown): void {
  if (upper === undefined && lower === undefined)
    throw invalid(`/condition/${above}`, `is required, or ${below} in its place`);
  if (upper !== undefined && lower !== undefined)
    throw invalid(`/condition/${below}`, `must be left out beside ${above}`);
}

/** More parameters than this are read in several statements. */
const AT_ONCE = 500;

function checkExist(
  path: string,
  what: string,
  table: SQLiteTable,
  column: SQLiteColumn,
  ids: readonly string[],
): void {
  const known = new Set<unknown>();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    const found = db.select({ id: column }).from(table).where(inArray(column, some)).all();
    for (const { id } of found) known.add(id);
  }
  for (const [at, id] of ids.entries()) if (!known.has(id)) throw invalid(`${path}/${at}`, `is no ${what}`);
}
