import { eq } from "drizzle-orm";
import { cleaned } from "../../alerts/rules/fields";
import { changeRule, dropRule, insertRule } from "../../alerts/rules/service";
import { alertRules } from "../../alerts/rules/table";
import { db } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { AppError } from "../../kernel/errors/errors";
import { checked } from "../../kernel/http/validation";
import { MINUTE, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { changeZone, deleteZone, insertZone } from "../../tracking/geofences/service";
import { shapeOf } from "../../tracking/geofences/shape";
import { geofences } from "../../tracking/geofences/table";
import { type AssignedRule, AssignedSet, type AssignedZone, SET_FORM } from "./schema";
import { shoreSet } from "./table";

/**
 * Aboard: the set of zones and rules that the shore hands down. It is applied whole, or not at all: then the former one stays, and
 * the shore is told the reason.
 */

/** Milliseconds after which a set that could not be applied is tried again: a device may be there by then. */
const TRIED_AGAIN = 15 * MINUTE;

type State = typeof shoreSet.$inferSelect;

const NOTHING: State = { tag: null, version: null, refused_tag: null, refused_at: null, error: null };

const state = (): State => db.select().from(shoreSet).get() ?? NOTHING;

/** The version that is applied, null before the first, and the reason for which a newer one isn't: what the shore is told. */
export function appliedSet(): { version: number | null; error: string | null } {
  const { version, error } = state();
  return { version, error };
}

/** True if a set with this tag is to be fetched from the shore and applied. */
export function wantsSet(tag: string): boolean {
  const { tag: applied, refused_tag, refused_at } = state();
  if (tag === applied) return false;
  return tag !== refused_tag || Math.abs(now() - (refused_at ?? 0)) >= TRIED_AGAIN;
}

/**
 * Applies a set that the shore sent, in the place of the former one. Its zones and rules keep their identifiers; a zone of another
 * shape begins to watch anew, as it does when somebody changes it. Resolves with the reason if the set can't be applied: then
 * nothing has changed. Throws nothing that the set could be to blame for.
 */
export async function applySet(sent: unknown): Promise<{ error: string | null }> {
  try {
    const { form } = (sent ?? {}) as { form?: unknown };
    if (typeof form === "number" && form > SET_FORM)
      throw new Refusal("this needs a newer version of Fairlead aboard");
    const set = checked(AssignedSet, sent);
    await transact(() => {
      replaceWith(set);
      keep({ ...NOTHING, tag: set.tag, version: set.version });
    });
    return { error: null };
  } catch (thrown) {
    const error = reasonOf(thrown);
    await refuseSet(tagOf(sent), error);
    return { error };
  }
}

/** Notes the reason for which a set isn't applied: the former one stays, and the newer one is tried again after a while. */
export const refuseSet = (tag: string | null, error: string): Promise<void> =>
  transact(() => keep({ ...state(), refused_tag: tag, refused_at: now(), error }));

function keep(next: State): void {
  db.delete(shoreSet).run();
  db.insert(shoreSet).values(next).run();
}

/** A reason for which a set can't be applied. */
class Refusal extends Error {}

/** The words of a refusal; anything else is no fault of the set, and thrown on. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof Refusal || (thrown instanceof AppError && thrown.status < 500)) return thrown.message;
  throw thrown;
}

function tagOf(sent: unknown): string | null {
  const { tag } = (sent ?? {}) as { tag?: unknown };
  return typeof tag === "string" ? tag : null;
}

// --- The rows ---------------------------------------------------------------------------------------------

/** Rules come after the zones that they name, and zones go after the rules that named them. */
function replaceWith({ zones, rules }: AssignedSet): void {
  for (const zone of zones) naming(`zone ${zone.name}`, () => putZone(zone));
  for (const rule of rules) naming(`alert rule ${rule.name}`, () => putRule(rule));
  const isFromShore = eq(alertRules.is_from_shore, true);
  const keptRules = rules.map(({ id }) => id);
  for (const row of db.select().from(alertRules).where(isFromShore).all())
    if (!keptRules.includes(row.id)) dropRule(row);
  const keptZones = zones.map(({ id }) => id);
  for (const row of db.select().from(geofences).where(eq(geofences.is_from_shore, true)).all())
    if (!keptZones.includes(row.id)) deleteZone(row);
}

/** Says in a refusal which part of the set it is about. */
function naming(part: string, put: () => void): void {
  try {
    put();
  } catch (thrown) {
    throw new Refusal(`${part}: ${reasonOf(thrown)}`);
  }
}

function putZone({ id, ...zone }: AssignedZone): void {
  const values = { ...zone, ...shapeOf(zone, null) };
  const before = db.select().from(geofences).where(eq(geofences.id, id)).get();
  if (before) requireFromShore(before);
  if (before) changeZone(before, values);
  else insertZone({ id, ...values, is_from_shore: true });
}

/** Aboard a rule tells the default targets, and whoever is told when nobody answers is for the crew to say. */
const TOLD = {
  ...{ target_ids: null, escalate_after_seconds: null, escalate_target_ids: null },
  ...{ user_id: null, api_key_id: null, is_orphaned: false },
} as const;

function putRule({ id, ...rule }: AssignedRule): void {
  const values = { ...rule, condition: cleaned(rule.condition), ...TOLD };
  const before = db.select().from(alertRules).where(eq(alertRules.id, id)).get();
  if (!before) {
    insertRule({ id, ...values, is_from_shore: true });
    return;
  }
  requireFromShore(before);
  const change = changedOnly(before, values);
  if (!isEmpty(change)) changeRule(before, change);
}

function requireFromShore({ is_from_shore }: { is_from_shore: boolean }): void {
  if (!is_from_shore) throw new Refusal("this box has one of its own with the same identifier");
}
