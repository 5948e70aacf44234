import { and, asc, eq } from "drizzle-orm";
import { isSeenByMaker } from "../../alerts/rules/standing";
import { alertRules } from "../../alerts/rules/table";
import { db } from "../../kernel/db/connection";
import { subscribe } from "../../kernel/db/events";
import { transact } from "../../kernel/db/transactions";
import { logFailure } from "../../kernel/errors/trouble";
import { devices } from "../../tracking/devices/table";
import { geofences } from "../../tracking/geofences/table";
import { boxes } from "../boxes/table";
import { flowing, isZoneOf, setHandedSilent } from "../owner/handed";
import { type AssignedRule, type AssignedSet, type AssignedZone, SET_FORM } from "./schema";
import { boxRules } from "./table";

/** Ashore: the set of zones and rules of each box. */

/** The tag of a set that nothing was ever in. */
const NEVER = "0";

/** The tag and the version of a box's set: what tells whether the box has to fetch it. */
export function assignedTag(boxId: string): { tag: string; version: number } {
  const row = db
    .select({ tag: boxes.assigned_tag, version: boxes.assigned_version })
    .from(boxes)
    .where(eq(boxes.id, boxId))
    .get();
  return { tag: row?.tag ?? NEVER, version: row?.version ?? 0 };
}

/**
 * The set of a box. A rule that names devices names those of the box alone there, and one that names none of these is left out;
 * so is one whose maker may not see any more what it tells.
 */
export const assignedSet = (boxId: string): AssignedSet => ({
  form: SET_FORM,
  ...assignedTag(boxId),
  zones: zonesOf(boxId),
  rules: rulesOf(boxId),
});

const zonesOf = (boxId: string): AssignedZone[] =>
  db.select().from(geofences).where(isZoneOf(boxId)).orderBy(asc(geofences.id)).all().map(toAssigned);

/** A zone without what is this server's own of it. */
function toAssigned(row: typeof geofences.$inferSelect): AssignedZone {
  const { seq: _seq, watch_from: _from, watch_row: _row, ...rest } = row;
  const { is_from_shore: _shores, created_at: _created, updated_at: _updated, ...zone } = rest;
  return zone;
}

function rulesOf(boxId: string): AssignedRule[] {
  const own = new Set(
    db
      .select({ id: devices.id })
      .from(devices)
      .where(eq(devices.box_id, boxId))
      .all()
      .map(({ id }) => id),
  );
  return db
    .select({ rule: alertRules })
    .from(boxRules)
    .innerJoin(alertRules, eq(alertRules.id, boxRules.rule_id))
    .where(and(eq(boxRules.box_id, boxId), eq(boxRules.is_silent, false)))
    .orderBy(asc(alertRules.id))
    .all()
    .flatMap(({ rule }) => {
      const device_ids = rule.device_ids.filter((id) => own.has(id));
      return rule.device_ids.length > 0 && device_ids.length === 0 ? [] : [{ ...flowing(rule), device_ids }];
    });
}

/** Characters of a reason that are kept: it is a box's word, and may be anything. */
const LONGEST_REASON = 500;

/** Notes what a box tells of its set, in the current transaction. */
export function noteApplied(
  boxId: string,
  { version, error }: { version: number | null; error: string | null },
): void {
  db.update(boxes)
    .set({ applied_version: version, error: error === null ? null : error.slice(0, LONGEST_REASON) })
    .where(eq(boxes.id, boxId))
    .run();
}

/** Looks soon after rights changed, and by the job after a ban has run out. */
export function startWatchingMakers(): void {
  let isDue = false;
  subscribe("access.changed", () => {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      watchMakers().catch((error) => logFailure("rules that boxes get could not be looked at", error));
    });
  });
}

/** The job: looks whether the makers of rules that are handed down may still see what these tell. */
export async function watchMakers(): Promise<void> {
  const handed = db
    .selectDistinct({ rule: alertRules, is_silent: boxRules.is_silent })
    .from(boxRules)
    .innerJoin(alertRules, eq(alertRules.id, boxRules.rule_id))
    .all();
  for (const { rule, is_silent } of handed)
    if (isSeenByMaker(rule) === is_silent)
      await transact(() => setHandedSilent(rule.id, !isSeenByMaker(rule)));
}
