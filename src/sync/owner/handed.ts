import { isDeepStrictEqual } from "node:util";
import { and, count, eq, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { alertRules, type StoredRule } from "../../alerts/rules/table";
import type { Caller } from "../../identity/access/caller";
import { db } from "../../kernel/db/connection";
import { conflict, forbidden, invalid } from "../../kernel/errors/errors";
import { geofences } from "../../tracking/geofences/table";
import { boxes } from "../boxes/table";
import { boxRules, boxZones } from "../down/table";
import { MOST_HANDED } from "./schema";

/**
 * Ashore: the zones and rules that are handed to boxes. Each box has one set of them with one version, which rises in the
 * transaction of each change of what is in it. The zones that a rule names go with it.
 */

/** Refuses a caller who may not say what boxes do. Throws 403. */
export function requireMayHand({ isSuperAdmin, permissions }: Caller): void {
  if (!isSuperAdmin && !permissions.has("sync:manage"))
    throw forbidden("Handing something to boxes needs the permission sync:manage too");
}

/** Raises the versions of some boxes' sets, in the current transaction. */
function raise(which: SQL | undefined): void {
  db.update(boxes)
    .set({
      assigned_version: sql`${boxes.assigned_version} + 1`,
      assigned_tag: sql`lower(hex(randomblob(8)))`,
    })
    .where(which)
    .run();
}

// --- Which boxes have what --------------------------------------------------------------------------------

interface Handed {
  table: typeof boxZones | typeof boxRules;
  /** The column that names what is handed. */
  column: SQLiteColumn;
  insert: (boxId: string, id: string) => void;
}
const ZONES: Handed = {
  ...{ table: boxZones, column: boxZones.geofence_id },
  insert: (box_id, geofence_id) => db.insert(boxZones).values({ box_id, geofence_id }).run(),
};
const RULES: Handed = {
  ...{ table: boxRules, column: boxRules.rule_id },
  insert: (box_id, rule_id) => db.insert(boxRules).values({ box_id, rule_id }).run(),
};

function boxesOf({ table, column }: Handed, ids: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>(ids.map((id) => [id, []]));
  const rows = db
    .select({ box_id: table.box_id, id: sql<string>`${column}` })
    .from(table)
    .where(inArray(column, [...ids]))
    .orderBy(table.box_id)
    .all();
  for (const { id, box_id } of rows) found.get(id)?.push(box_id);
  return found;
}

/** The boxes that zones are handed to, by the zone. */
export const boxesOfZones = (ids: readonly string[]): Map<string, string[]> => boxesOf(ZONES, ids);
/** The boxes that rules are handed to, by the rule. */
export const boxesOfRules = (ids: readonly string[]): Map<string, string[]> => boxesOf(RULES, ids);

const rulesOf = (boxId: string) =>
  db.select({ id: boxRules.rule_id }).from(boxRules).where(eq(boxRules.box_id, boxId));

/** True in SQL for the zones of a box: those handed by themselves, and those that a handed rule names. */
export const isZoneOf = (boxId: string): SQL | undefined =>
  or(
    inArray(
      geofences.id,
      db.select({ id: boxZones.geofence_id }).from(boxZones).where(eq(boxZones.box_id, boxId)),
    ),
    inArray(
      geofences.id,
      db
        .select({ id: sql<string>`named.value` })
        .from(sql`${alertRules}, json_each(${alertRules.condition}, '$.geofence_ids') AS named`)
        .where(inArray(alertRules.id, rulesOf(boxId))),
    ),
  );

/** Refuses, in the current transaction, a set that is too large. Throws 409. */
function checkSize(boxId: string): void {
  const zones = db.select({ n: count() }).from(geofences).where(isZoneOf(boxId)).get()?.n ?? 0;
  const rules = db.select({ n: count() }).from(boxRules).where(eq(boxRules.box_id, boxId)).get()?.n ?? 0;
  if (zones > MOST_HANDED || rules > MOST_HANDED)
    throw conflict(
      `A box can be handed at most ${MOST_HANDED} alert rules and ${MOST_HANDED} zones, those that the rules name included`,
    );
}

// --- Handing ----------------------------------------------------------------------------------------------

/** Hands something to some boxes and to no others, in the current transaction. True if that is a change. Throws 400 and 409. */
function hand(handed: Handed, id: string, boxIds: readonly string[]): boolean {
  const { table, column, insert } = handed;
  const before = boxesOf(handed, [id]).get(id) ?? [];
  const added = boxIds.filter((boxId) => !before.includes(boxId));
  const removed = before.filter((boxId) => !boxIds.includes(boxId));
  for (const boxId of added) {
    const which = and(eq(boxes.id, boxId), isNull(boxes.ended_at));
    if (!db.select({ id: boxes.id }).from(boxes).where(which).get())
      throw invalid(`/box_ids/${boxIds.indexOf(boxId)}`, "is no box");
    insert(boxId, id);
    checkSize(boxId);
  }
  if (removed.length > 0)
    db.delete(table)
      .where(and(eq(column, id), inArray(table.box_id, removed)))
      .run();
  const changed = [...added, ...removed];
  if (changed.length > 0) raise(inArray(boxes.id, changed));
  return changed.length > 0;
}

/** Hands a zone to some boxes and to no others, in the current transaction. True if that is a change. Throws 400 and 409. */
export const handZone = (id: string, boxIds: readonly string[]): boolean => hand(ZONES, id, boxIds);
/** Hands a rule, and the zones that it names, likewise. */
export const handRule = (id: string, boxIds: readonly string[]): boolean => hand(RULES, id, boxIds);

/** Takes all back from a box that is deleted in the current transaction. */
export function takeAllBack(boxId: string): void {
  db.delete(boxZones).where(eq(boxZones.box_id, boxId)).run();
  db.delete(boxRules).where(eq(boxRules.box_id, boxId)).run();
}

// --- Changes of what is handed ----------------------------------------------------------------------------

/** Notes, in its transaction, that a zone changed or is about to go. */
export function handedZoneChanged(id: string): void {
  const named = db
    .select({ box_id: boxRules.box_id })
    .from(boxRules)
    .innerJoin(alertRules, eq(alertRules.id, boxRules.rule_id))
    .where(
      sql`EXISTS (SELECT 1 FROM json_each(${alertRules.condition}, '$.geofence_ids') WHERE value = ${id})`,
    );
  const direct = db.select({ box_id: boxZones.box_id }).from(boxZones).where(eq(boxZones.geofence_id, id));
  raise(or(inArray(boxes.id, direct), inArray(boxes.id, named)));
}

/** A rule as boxes get it. Targets stay ashore: aboard it tells the box's own default targets, whomever it tells here. */
export const flowing = (rule: StoredRule) => ({
  id: rule.id,
  name: rule.name,
  is_active: rule.is_active,
  severity: rule.severity,
  device_ids: rule.device_ids,
  condition: rule.condition,
  hold_seconds: rule.hold_seconds,
  cooldown_seconds: rule.cooldown_seconds,
  schedule: rule.schedule,
  message: rule.message,
});

/** Notes, in its transaction, that a rule changed (`after`) or is about to go (null). Throws 409 for a set that grows too large. */
export function handedRuleChanged(before: StoredRule, after: StoredRule | null): void {
  if (after && isDeepStrictEqual(flowing(before), flowing(after))) return;
  const boxIds = boxesOfRules([before.id]).get(before.id) ?? [];
  if (boxIds.length === 0) return;
  if (after?.condition.type === "zone") for (const boxId of boxIds) checkSize(boxId);
  raise(inArray(boxes.id, boxIds));
}

/** Notes, in the current transaction, whether the maker of a rule may see what it tells: boxes get it while that is so. */
export function setHandedSilent(ruleId: string, isSilent: boolean): void {
  const changed = db
    .update(boxRules)
    .set({ is_silent: isSilent })
    .where(and(eq(boxRules.rule_id, ruleId), eq(boxRules.is_silent, !isSilent)))
    .returning({ box_id: boxRules.box_id })
    .all();
  const boxIds = changed.map(({ box_id }) => box_id);
  if (boxIds.length > 0) raise(inArray(boxes.id, boxIds));
}
