import { and, count, desc, eq, getTableColumns, gt, ne, or } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { afterCommit } from "../../kernel/db/transactions";
import { conflict, notFound } from "../../kernel/errors/errors";
import type { PageOf, PageRequest } from "../../kernel/http/paging";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import { type OutboxRow, outbox } from "../../outbox/table";
import { EMAILS } from "../../outbox/words";
import { noteWayOut, resume } from "../../outbox/worker";
import { existingTarget, findTargets, switchOff } from "../targets/service";
import { notificationTargets } from "../targets/table";
import { LANGUAGES } from "../texts/language";
import { pack } from "./content";
import type { Delivery, TestResult } from "./schema";
import { send } from "./send";
import { countEnd } from "./sender";
import type { Occasion } from "./words";

/** Deliveries of a target that are shown. */
const SHOWN = 200;

type Row = OutboxRow & { target_name: string | null };

/** Deliveries with the names of their targets. */
export const selectDeliveries = () =>
  db
    .select({ ...getTableColumns(outbox), target_name: notificationTargets.name })
    .from(outbox)
    .leftJoin(notificationTargets, eq(notificationTargets.id, outbox.lane));

/** The words about an attempt, which are no error of one that succeeded. */
const wordsOf = ({ status, error }: Pick<OutboxRow, "status" | "error">) =>
  status === "delivered" ? { error: null, note: error } : { error, note: null };

export const toDelivery = (row: Row): Delivery => ({
  id: row.id,
  target_id: row.lane,
  target_name: row.target_name,
  alert_id: row.alert_id,
  type: row.kind as Occasion,
  severity: row.severity ?? "info",
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: isoOrNull(row.next_attempt_at),
  last_attempt_at: isoOrNull(row.last_attempt_at),
  response_status: row.response_status,
  ...wordsOf(row),
  duration_ms: row.duration_ms,
  finished_at: isoOrNull(row.finished_at),
  created_at: iso(row.created_at),
});

/** A page of the newest 200 deliveries to a target, newest first. Throws 404. */
export function listDeliveries(targetId: string, { page, limit }: PageRequest): PageOf<Delivery> {
  existingTarget(targetId);
  const { lane, number } = outbox;
  const kept = db.select({ number }).from(outbox).where(eq(lane, targetId)).limit(SHOWN);
  const total = db.select({ n: count() }).from(kept.as("kept")).get()?.n ?? 0;
  const skip = (page - 1) * limit;
  if (skip >= total) return { rows: [], total };
  const rows = selectDeliveries()
    .where(eq(lane, targetId))
    .orderBy(desc(number))
    .limit(Math.min(limit, total - skip))
    .offset(skip)
    .all();
  return { rows: rows.map(toDelivery), total };
}

function existingDelivery(id: string): Row {
  const row = selectDeliveries()
    .where(and(eq(outbox.id, id), ne(outbox.lane, EMAILS)))
    .get();
  if (!row) throw notFound("Delivery");
  return row;
}

/**
 * Tries a delivery again at once, and from the begin of its pauses on. Throws 404, and 409 for one that arrived, that is no
 * longer needed, that a later message about its alert has overtaken, or whose target is switched off or deleted.
 */
export function retryDelivery(actor: Actor, id: string): Promise<Delivery> {
  return transactAs(actor, () => {
    const row = existingDelivery(id);
    const { number, status, lane } = row;
    if (status !== "waiting" && status !== "failed")
      throw conflict(`Only a delivery that waits or failed can be tried again; this one is ${status}`);
    if (status === "failed" && isOvertaken(row))
      throw conflict("A later message about the same alert has overtaken this one");
    if (!findTargets([lane])[0]?.is_active) throw conflict("The target is switched off or deleted");
    db.update(outbox)
      .set({
        ...{ status: "waiting", step: 0, first_attempt_at: null, finished_at: null },
        next_attempt_at: now(),
      })
      .where(eq(outbox.number, number))
      .run();
    afterCommit(() => resume(lane));
    return toDelivery(existingDelivery(id));
  });
}

/** True if a target has heard later news of the same alert, or its end is to be told: "raised" would be a false alarm. */
function isOvertaken({ alert_id, lane, number }: Row): boolean {
  if (alert_id === null) return false;
  const { kind, status } = outbox;
  const isLater = and(eq(outbox.alert_id, alert_id), eq(outbox.lane, lane), gt(outbox.number, number));
  const isEnd = and(eq(kind, "alert.cleared"), ne(status, "superseded"));
  const later = db.select({ number: outbox.number }).from(outbox);
  return (
    later
      .where(and(isLater, or(eq(status, "delivered"), isEnd)))
      .limit(1)
      .get() !== undefined
  );
}

/** Sends a test to a target at once, also to one that is switched off, and notes it with its deliveries. Throws 404. */
export async function testTarget(actor: Actor, targetId: string): Promise<TestResult> {
  const target = existingTarget(targetId);
  const { title, body } = LANGUAGES[target.locale].test(target.name);
  const id = newId();
  const at = now();
  const message = { id, type: "alert.test", severity: "info", title, body, at } as const;
  const began = performance.now();
  const outcome = await send(target, message, EMPTY);
  const duration_ms = Math.round(performance.now() - began);
  const isDelivered = outcome.result === "delivered";
  const status = isDelivered ? "delivered" : "failed";
  countEnd(status);
  await transactAs(actor, () => {
    db.insert(outbox)
      .values({
        ...{ id, lane: targetId, status, duration_ms },
        ...{ kind: "alert.test", severity: "info", urgency: 1, attempts: 1, step: 1 },
        first_attempt_at: at,
        last_attempt_at: at,
        finished_at: now(),
        response_status: outcome.status,
        error: outcome.error,
        // One that failed may be tried again.
        message: isDelivered ? null : pack({ title, body, data: EMPTY }),
        created_at: at,
      })
      .run();
    if (outcome.result === "gone") switchOff(targetId, "the receiver answered 410 Gone");
  });
  if (isDelivered) await noteWayOut();
  return {
    ...{ status, response_status: outcome.status, duration_ms },
    ...wordsOf({ status, error: outcome.error }),
  };
}

/** The data of a test that belongs to no alert. */
const EMPTY = { alert: null, rule: null, device: null, position: null, zone: null };

/** Milliseconds between two looks at deliveries that are waited for. */
const LOOK_PAUSE = 50;

/**
 * The deliveries with these identifiers once none of them waits any more, or after a time (milliseconds): for tests that
 * tell what became of each.
 */
export async function outcomesOf(ids: readonly string[], timeout: number): Promise<Delivery[]> {
  const end = performance.now() + timeout;
  for (;;) {
    const found = ids.map((id) => toDelivery(existingDelivery(id)));
    if (performance.now() >= end || found.every(({ status }) => status !== "waiting")) return found;
    await Bun.sleep(LOOK_PAUSE);
  }
}
