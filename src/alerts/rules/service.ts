import { type AnyColumn, asc, count, desc, eq, or, type SQL, sql } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { makerOf } from "../../identity/access/maker";
import { requireStillShared, type VisibleDevices } from "../../identity/access/visible-devices";
import { recordAudit } from "../../identity/audit/service";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { adjustCounter, counter, counterNow } from "../../kernel/db/counters";
import { conflict, forbidden, invalid, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { checkChanged } from "../../kernel/http/validation";
import { iso, madeNow, now, SECOND } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import {
  boxesOfRules,
  handedRuleChanged,
  handRule,
  requireMayHand,
  setHandedSilent,
} from "../../sync/owner/handed";
import { requireNotFromShore } from "../../sync/owner/owner";
import { clear } from "../alerts/register";
import { openAlertsOfDevice, openAlertsOfRule, openAlertsOfSubject } from "../alerts/stored";
import { forgetArrivals } from "../arrivals/arrivals";
import { heldConditions, untoldSides } from "../conditions/table";
import { ruleChanged, rulesChanged } from "./active";
import { checkRule, cleaned, requireSight, unique } from "./fields";
import type { AlertRule, AlertRuleChange, NewAlertRule } from "./schema";
import { isSeenByMaker } from "./standing";
import { alertRules, type StoredRule } from "./table";

/** Most rules of an installation. */
const MAX_RULES = 20_000;

const COUNTER = "alert_rules";

function toRule(rule: StoredRule, boxIds = boxesOfRules([rule.id])): AlertRule {
  const { user_id: _user, api_key_id: _key, ...row } = rule;
  return {
    ...row,
    box_ids: boxIds.get(row.id) ?? [],
    is_silent: !isSeenByMaker(rule),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** The rules that name devices, and none but these: whoever manages all of them sees and changes such a rule. */
const ofDevices = (ids: ReadonlySet<string>): SQL => {
  const known = sql.join(
    [...ids].map((id) => sql`${id}`),
    sql`, `,
  );
  return sql`json_array_length(${alertRules.device_ids}) > 0
    AND NOT EXISTS (SELECT 1 FROM json_each(${alertRules.device_ids}) WHERE value NOT IN (${known}))`;
};

const countWhere = (which: SQL): number =>
  db.select({ n: count() }).from(alertRules).where(which).get()?.n ?? 0;

/** A page of the rules that a caller sees, newest first. */
export function listRules(request: PageRequest, visible: VisibleDevices = "all"): PageOf<AlertRule> {
  const which = visible === "all" ? undefined : ofDevices(visible);
  const total = which === undefined ? counter(COUNTER) : countWhere(which);
  return readPage(request, total, (fromEnd, offset, limit) => {
    const rows = db
      .select()
      .from(alertRules)
      .where(which)
      .orderBy(fromEnd ? asc(alertRules.id) : desc(alertRules.id))
      .limit(limit)
      .offset(offset)
      .all();
    const boxIds = boxesOfRules(rows.map(({ id }) => id));
    return rows.map((row) => toRule(row, boxIds));
  });
}

/** A rule that a caller sees. Throws 404. */
export const getRule = (id: string, visible: VisibleDevices = "all"): AlertRule =>
  toRule(existingRule(id, visible));

function existingRule(id: string, visible: VisibleDevices): StoredRule {
  const row = db.select().from(alertRules).where(eq(alertRules.id, id)).get();
  if (!row || !isShown(row, visible)) throw notFound("Alert rule");
  return row;
}

const isShown = ({ device_ids }: StoredRule, visible: VisibleDevices): boolean =>
  visible === "all" || (device_ids.length > 0 && device_ids.every((id) => visible.has(id)));

/**
 * Refuses, in the current transaction, a rule that reaches beyond the devices that a caller manages by shares. Throws 400 and
 * 403.
 */
function requireManaged(
  { caller }: Actor,
  visible: VisibleDevices,
  rule: Pick<StoredRule, "condition" | "device_ids" | "target_ids" | "escalate_target_ids">,
): void {
  if (visible === "all") return;
  if (rule.device_ids.length === 0)
    throw invalid("/device_ids", "must name devices: by a share, a rule watches what you manage");
  for (const [at, deviceId] of rule.device_ids.entries()) {
    if (!visible.has(deviceId)) throw invalid(`/device_ids/${at}`, "is no device that you manage");
    requireStillShared(caller, { deviceId, least: "manage" });
  }
  if (rule.target_ids?.length || rule.escalate_target_ids?.length)
    throw forbidden("By a share, a rule tells the default targets, or nobody");
}

const DEFAULT_COOLDOWN = 300;

/**
 * Creates a rule. Throws 400, 403 for a caller who may not see what it tells or may not hand it to boxes, and 409 where there are
 * too many.
 */
export function createRule(
  actor: Actor,
  { box_ids, ...input }: NewAlertRule,
  visible: VisibleDevices = "all",
): Promise<AlertRule> {
  const values = {
    ...{ name: input.name, is_active: input.is_active ?? true, severity: input.severity },
    condition: cleaned(input.condition),
    device_ids: unique(input.device_ids ?? []),
    hold_seconds: input.hold_seconds ?? 0,
    cooldown_seconds: input.cooldown_seconds ?? DEFAULT_COOLDOWN,
    schedule: input.schedule ?? null,
    target_ids: input.target_ids ? unique(input.target_ids) : null,
    escalate_after_seconds: input.escalate_after_seconds ?? null,
    escalate_target_ids: input.escalate_target_ids ? unique(input.escalate_target_ids) : null,
    message: input.message ?? null,
  };
  if (visible === "all") requireSight(actor.caller, values.condition);
  if (box_ids?.length) requireMayHand(actor.caller);
  return transactAs(actor, () => {
    requireManaged(actor, visible, values);
    const row = insertRule({ id: newId(), ...values, ...makerOf(actor.caller) });
    if (box_ids) handRule(row.id, unique(box_ids));
    return toRule(row);
  });
}

type RuleValues = Omit<typeof alertRules.$inferInsert, "created_at" | "updated_at">;

/** Stores a rule in the current transaction. Throws 400, and 409 where there are too many. */
export function insertRule(values: RuleValues): StoredRule {
  if (counterNow(COUNTER) >= MAX_RULES)
    throw conflict(`There can be at most ${MAX_RULES.toLocaleString("en")} alert rules; delete one first`);
  const row = db
    .insert(alertRules)
    .values({ ...values, ...madeNow() })
    .returning()
    .get();
  checkRule(row);
  adjustCounter(COUNTER, 1);
  noteChange(null, row);
  audit("alert_rule_created", row);
  return row;
}

/** The fields that say what a rule tells and to whom: whoever changes one has to be allowed to see it. */
const TELLING = ["condition", "device_ids", "target_ids", "escalate_target_ids"] as const;

/**
 * Changes the given fields. Alerts of a condition or of devices that the rule doesn't have any more are cleared, and all of
 * them where it is switched off. Throws 404, 400, 403 for a caller who may not see what it tells or may not hand it to boxes, and
 * 409 for one that the shore handed down.
 */
export function updateRule(
  actor: Actor,
  id: string,
  { box_ids, ...input }: AlertRuleChange,
  visible: VisibleDevices = "all",
): Promise<AlertRule> {
  checkChanged({ box_ids, ...input });
  if (box_ids !== undefined) requireMayHand(actor.caller);
  const given = {
    ...input,
    ...(input.condition && { condition: cleaned(input.condition) }),
    ...(input.device_ids && { device_ids: unique(input.device_ids) }),
    ...(input.target_ids && { target_ids: unique(input.target_ids) }),
    ...(input.escalate_target_ids && { escalate_target_ids: unique(input.escalate_target_ids) }),
  };
  return transactAs(actor, () => {
    const before = existingRule(id, visible);
    requireNotFromShore(before);
    const isAimed = input.device_ids !== undefined || input.condition !== undefined;
    const change = changedOnly(before, { ...given, ...(isAimed && { is_orphaned: false }) });
    const isTelling = TELLING.some((field) => input[field] !== undefined);
    if (isTelling && visible === "all") requireSight(actor.caller, change.condition ?? before.condition);
    const maker = isTelling ? changedOnly(before, makerOf(actor.caller)) : {};
    const isHanded = box_ids !== undefined && handRule(id, unique(box_ids));
    if (isEmpty(change) && isEmpty(maker) && !isHanded) return toRule(before);
    const after = { ...before, ...change };
    requireManaged(actor, visible, after);
    if (after.is_active && after.is_orphaned)
      throw invalid(
        "/is_active",
        "the last device or zone of this rule was deleted: send device_ids or condition too (an empty list means all)",
      );
    const row = changeRule(before, { ...change, ...maker }, [
      ...Object.keys(change),
      ...(isHanded ? ["box_ids"] : []),
    ]);
    return toRule(row);
  });
}

/** Changes a rule in the current transaction. `changed` are the fields for the audit event. Throws 400. */
export function changeRule(
  before: StoredRule,
  change: Partial<RuleValues>,
  changed = Object.keys(change),
): StoredRule {
  checkRule({ ...before, ...change } as StoredRule, change as Partial<StoredRule>);
  const row = db
    .update(alertRules)
    .set({ ...change, updated_at: now() })
    .where(eq(alertRules.id, before.id))
    .returning()
    .get();
  noteChange(before, row);
  endConditions(before, row);
  if (change.hold_seconds !== undefined) renewDue(row);
  // Whoever makes it tell something else now is its maker, and sees that.
  setHandedSilent(row.id, !isSeenByMaker(row));
  audit("alert_rule_updated", row, { changed });
  return row;
}

/** Ends what a rule has begun and doesn't watch any more, in the current transaction. */
function endConditions(before: StoredRule, after: StoredRule): void {
  const isOther = "condition" in changedOnly(before, { condition: after.condition });
  const isOver = (deviceId: string | null): boolean =>
    !after.is_active ||
    isOther ||
    (deviceId !== null && after.device_ids.length > 0 && !after.device_ids.includes(deviceId));
  const held = db
    .select({ device_id: heldConditions.device_id })
    .from(heldConditions)
    .where(eq(heldConditions.rule_id, after.id))
    .all();
  for (const { device_id } of held)
    if (isOver(device_id === "" ? null : device_id))
      db.delete(heldConditions)
        .where(sql`${heldConditions.rule_id} = ${after.id} AND ${heldConditions.device_id} = ${device_id}`)
        .run();
  for (const alert of openAlertsOfRule(after.id)) if (isOver(alert.device_id)) clear(alert);
}

/** Lets what a rule holds back become due by its time to hold as it is now, in the current transaction. */
function renewDue({ id, hold_seconds }: StoredRule): void {
  db.update(heldConditions)
    .set({ due_at: sql`${heldConditions.since} + ${hold_seconds * SECOND}` })
    .where(eq(heldConditions.rule_id, id))
    .run();
}

/** Deletes a rule; its alerts are cleared, and stay. Throws 404, and 409 for one that the shore handed down. */
export function deleteRule(actor: Actor, id: string, visible: VisibleDevices = "all"): Promise<void> {
  return transactAs(actor, () => {
    const row = existingRule(id, visible);
    requireNotFromShore(row);
    requireManaged(actor, visible, { ...row, target_ids: null, escalate_target_ids: null });
    dropRule(row);
  });
}

/** Deletes a rule in the current transaction. */
export function dropRule(row: StoredRule): void {
  for (const alert of openAlertsOfRule(row.id)) clear(alert);
  handedRuleChanged(row, null);
  db.delete(alertRules).where(eq(alertRules.id, row.id)).run();
  adjustCounter(COUNTER, -1);
  noteChange(row, null);
  audit("alert_rule_deleted", row);
}

const isAnyActive = (): boolean =>
  db.select({ id: alertRules.id }).from(alertRules).where(eq(alertRules.is_active, true)).limit(1).get() !==
  undefined;

/** Notes a change of a rule, in the current transaction. */
function noteChange(before: StoredRule | null, after: StoredRule | null): void {
  ruleChanged(before, after);
  if (before && after) handedRuleChanged(before, after);
  // Positions are not looked at from then on: what is untold would be told to the next rule, however old it is by then.
  if (before?.is_active && !after?.is_active && !isAnyActive()) db.delete(untoldSides).run();
}

function audit(
  event_type: "alert_rule_created" | "alert_rule_updated" | "alert_rule_deleted",
  { id, user_id, condition }: StoredRule,
  metadata: Record<string, unknown> = {},
): void {
  recordAudit({
    ...{ event_type, user_id, resource_type: "alert_rule", resource_id: id },
    metadata: { condition: condition.type, ...metadata },
  });
}

// --- What rules mention ------------------------------------------------------------------------------------

/** Ends, in the current transaction, all that alerts have with a device that is about to be deleted. */
export function forgetDevice(deviceId: string): void {
  forgetArrivals(deviceId);
  for (const alert of openAlertsOfDevice(deviceId)) clear(alert);
  db.delete(heldConditions).where(eq(heldConditions.device_id, deviceId)).run();
  db.delete(untoldSides).where(eq(untoldSides.device_id, deviceId)).run();
  const mentions = sql`EXISTS (SELECT 1 FROM json_each(${alertRules.device_ids}) WHERE value = ${deviceId})`;
  for (const rule of db.select().from(alertRules).where(mentions).all())
    mentionLess(rule, { device_ids: rule.device_ids.filter((id) => id !== deviceId) });
}

/** Ends, in the current transaction, all that alerts have with a zone that is about to be deleted. */
export function forgetZone(zoneId: string): void {
  clearZone(zoneId);
  const mentions = sql`EXISTS (SELECT 1 FROM json_each(${alertRules.condition}, '$.geofence_ids') WHERE value = ${zoneId})`;
  for (const rule of db.select().from(alertRules).where(mentions).all()) {
    if (rule.condition.type !== "zone") continue;
    const geofence_ids = rule.condition.geofence_ids.filter((id) => id !== zoneId);
    mentionLess(rule, { condition: { ...rule.condition, geofence_ids } });
  }
}

/**
 * Takes a target that is about to be deleted out of all rules, in the current transaction. A rule that named no other tells
 * nobody: it was to tell this one, and not all.
 */
export function forgetTarget(targetId: string): void {
  const { target_ids, escalate_target_ids, escalate_after_seconds } = alertRules;
  const isIn = (ids: AnyColumn): SQL =>
    sql`EXISTS (SELECT 1 FROM json_each(${ids}) WHERE value = ${targetId})`;
  // Null without a list, where the aggregate alone would make an empty one.
  const without = (ids: AnyColumn): SQL =>
    sql`iif(${ids} IS NULL, NULL, (SELECT json_group_array(value) FROM json_each(${ids}) WHERE value <> ${targetId}))`;
  const further = sql`nullif(${without(escalate_target_ids)}, '[]')`;
  const changed = db
    .update(alertRules)
    .set({
      target_ids: without(target_ids),
      escalate_target_ids: further,
      // An escalation needs somebody to tell.
      escalate_after_seconds: sql`iif(${further} IS NULL, NULL, ${escalate_after_seconds})`,
      updated_at: now(),
    })
    .where(or(isIn(target_ids), isIn(escalate_target_ids)))
    .returning({ id: alertRules.id })
    .all();
  if (changed.length > 0) rulesChanged();
}

/** An empty list would mean all: a rule whose last device or zone goes is switched off, and stays so until it has others. */
function mentionLess(rule: StoredRule, change: Partial<Pick<StoredRule, "device_ids" | "condition">>): void {
  const { device_ids = rule.device_ids, condition = rule.condition } = change;
  const isEmptied =
    (device_ids.length === 0 && rule.device_ids.length > 0) ||
    (condition.type === "zone" && condition !== rule.condition && condition.geofence_ids.length === 0);
  const row = db
    .update(alertRules)
    .set({
      device_ids,
      condition,
      updated_at: now(),
      ...(isEmptied && { is_active: false, is_orphaned: true }),
    })
    .where(eq(alertRules.id, rule.id))
    .returning()
    .get();
  noteChange(rule, row);
  if (isEmptied) endConditions(rule, row);
  audit("alert_rule_updated", row, { changed: Object.keys(changedOnly(rule, row)) });
}

/** Clears the open alerts of a zone that ceases to watch, and forgets what was about to become one, in the current transaction. */
export function clearZone(zoneId: string): void {
  for (const alert of openAlertsOfSubject(zoneId)) clear(alert);
  db.delete(heldConditions).where(eq(heldConditions.subject, zoneId)).run();
}
