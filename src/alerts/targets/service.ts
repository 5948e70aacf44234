import { and, asc, count, desc, eq, inArray } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { makerOf } from "../../identity/access/maker";
import { recordAudit } from "../../identity/audit/service";
import { findUser } from "../../identity/directory/users";
import { emailLocale } from "../../identity/email/locale";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { conflict, invalid, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { checkChanged } from "../../kernel/http/validation";
import { HOUR, iso, isoOrNull, madeNow, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { checkSchedule } from "../schedules/windows";
import {
  changedSettings,
  checkAddresses,
  checkComplete,
  checkFields,
  checkTopic,
  checkWay,
  settingsOf,
} from "./fields";
import type { TargetKind } from "./kinds";
import { requireReader, rightsOf } from "./maker";
import type { CreatedTarget, NewTarget, NotificationTarget, TargetChange } from "./schema";
import { formerSecrets, newWebhookSecret, openSecrets, targetSecrets } from "./secrets";
import { notificationTargets } from "./table";

export type TargetRow = typeof notificationTargets.$inferSelect;

declare module "../../kernel/db/events" {
  interface EventMap {
    /** A target may have begun to work again: what waits for it is tried at once. */
    "notification-target.changed": { id: string };
    /** A target was switched off or deleted: what waits for it is given up. */
    "notification-target.closed": { id: string };
  }
}

/** Most targets of an installation. */
const MAX_TARGETS = 100;

/** Time for which a webhook is signed with a former secret too. */
const FORMER_SECRET_LIFETIME = 24 * HOUR;

/** Most former secrets at a time: each is one more signature on each request. */
const MAX_FORMER_SECRETS = 5;

const toTarget = (row: TargetRow): NotificationTarget => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  url: row.settings.url ?? null,
  to: row.settings.to ?? null,
  server_url: row.settings.server_url ?? null,
  topic: row.settings.topic ?? null,
  chat_id: row.settings.chat_id ?? null,
  has_token: row.kind !== "webhook" && row.secret !== null,
  former_secret_until: isoOrNull(formerSecrets(row)[0]?.until ?? null),
  is_active: row.is_active,
  is_silent: rightsOf(row) === null,
  is_default: row.is_default,
  quiet: row.quiet,
  locale: row.locale,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

const countAll = (): number => db.select({ n: count() }).from(notificationTargets).get()?.n ?? 0;

/** A page of the targets, newest first. */
export const listTargets = (request: PageRequest): PageOf<NotificationTarget> =>
  readPage(request, countAll(), (fromEnd, offset, limit) =>
    db
      .select()
      .from(notificationTargets)
      .orderBy(fromEnd ? asc(notificationTargets.id) : desc(notificationTargets.id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toTarget),
  );

/** The targets that a user made, newest first. */
export const targetsMadeBy = (userId: string): NotificationTarget[] =>
  db
    .select()
    .from(notificationTargets)
    .where(eq(notificationTargets.user_id, userId))
    .orderBy(desc(notificationTargets.id))
    .all()
    .map(toTarget);

/** The stored targets that are used where none are named, those that are switched on alone. */
export const defaultTargetIds = (): string[] =>
  db
    .select({ id: notificationTargets.id })
    .from(notificationTargets)
    .where(and(eq(notificationTargets.is_default, true), eq(notificationTargets.is_active, true)))
    .orderBy(asc(notificationTargets.id))
    .all()
    .map(({ id }) => id);

/** Refuses identifiers of no target; `path` is that of the list. Throws 400. */
export function checkTargetIds(path: string, ids: readonly string[]): void {
  const known = new Set(findTargets(ids).map(({ id }) => id));
  for (const [at, id] of ids.entries())
    if (!known.has(id)) throw invalid(`${path}/${at}`, "is no notification target");
}

/** The identifiers of the targets of a kind that are switched on. */
export const activeTargetIds = (kind: TargetKind): string[] =>
  db
    .select({ id: notificationTargets.id })
    .from(notificationTargets)
    .where(and(eq(notificationTargets.kind, kind), eq(notificationTargets.is_active, true)))
    .all()
    .map(({ id }) => id);

/** The stored targets with these identifiers, in no order. */
export const findTargets = (ids: readonly string[]): TargetRow[] =>
  ids.length === 0
    ? []
    : db
        .select()
        .from(notificationTargets)
        .where(inArray(notificationTargets.id, [...ids]))
        .all();

/** A target. Throws 404. */
export const getTarget = (id: string): NotificationTarget => toTarget(existingTarget(id));

/** A stored target. Throws 404. */
export function existingTarget(id: string): TargetRow {
  const row = db.select().from(notificationTargets).where(eq(notificationTargets.id, id)).get();
  if (!row) throw notFound("Notification target");
  return row;
}

/**
 * Creates a target. Throws 400, 403 for a caller who may not read alerts, and 409 where there are too many. The secret of a
 * webhook appears in the answer and nowhere else.
 */
export async function createTarget(actor: Actor, input: NewTarget): Promise<CreatedTarget> {
  const { kind, name, is_active = true, is_default = false, quiet = null } = input;
  requireReader(actor.caller);
  checkWay(kind);
  checkFields(kind, input);
  checkComplete(kind, input);
  checkTopic(kind, input);
  if (quiet) checkSchedule("/quiet", quiet);
  await checkAddresses(input);
  const id = newId();
  const webhookSecret = kind === "webhook" ? newWebhookSecret() : null;
  const secret = webhookSecret ?? input.token ?? input.bot_token ?? null;
  const row = await transactAs(actor, () => {
    if (countAll() >= MAX_TARGETS)
      throw conflict(`There can be at most ${MAX_TARGETS} notification targets; delete one first`);
    const inserted = db
      .insert(notificationTargets)
      .values({
        ...{ id, kind, name, is_active, is_default, quiet },
        settings: settingsOf(kind, input),
        secret: secret === null ? null : targetSecrets.seal(secret, id),
        locale: input.locale ?? localeOf(actor),
        ...makerOf(actor.caller),
        ...madeNow(),
      })
      .returning()
      .get();
    audit("notification_target_created", inserted);
    return inserted;
  });
  return { ...toTarget(row), secret: webhookSecret };
}

/** The user's own language, else that of the request. */
function localeOf({ caller, client }: Actor) {
  const user = caller.userId === null ? undefined : findUser(caller.userId);
  return emailLocale(user?.preferred_locale ?? null, client.acceptLanguage);
}

/**
 * Changes the given fields. Whoever changes where a target leads is its maker from then on, and needs the right to read
 * alerts. Throws 400, 403 and 404.
 */
export async function updateTarget(
  actor: Actor,
  id: string,
  input: TargetChange,
): Promise<NotificationTarget> {
  checkChanged(input);
  const { kind } = existingTarget(id);
  checkFields(kind, input);
  checkTopic(kind, input);
  if (input.quiet) checkSchedule("/quiet", input.quiet);
  await checkAddresses(input);
  return transactAs(actor, () => {
    const before = existingTarget(id);
    const { name, is_active, is_default, quiet, locale } = input;
    const change = changedOnly(before, {
      ...{ name, is_active, is_default, quiet, locale },
      settings: { ...before.settings, ...changedSettings(input) },
      secret: changedSecret(before, input),
    });
    if (isEmpty(change)) return toTarget(before);
    const leadsElsewhere = change.settings !== undefined || change.secret !== undefined;
    if (leadsElsewhere) requireReader(actor.caller);
    const row = db
      .update(notificationTargets)
      .set({ ...change, ...(leadsElsewhere && makerOf(actor.caller)), updated_at: now() })
      .where(eq(notificationTargets.id, id))
      .returning()
      .get();
    audit("notification_target_updated", row, { changed: Object.keys(change) });
    publish(row.is_active ? "notification-target.changed" : "notification-target.closed", { id });
    return toTarget(row);
  });
}

/** The sealed token of a change; undefined where it stays as it is. */
function changedSecret(before: TargetRow, { token, bot_token }: TargetChange): string | null | undefined {
  const given = token ?? bot_token;
  if (given === undefined || given === null) return token === null ? null : undefined;
  return isStored(before, given) ? undefined : targetSecrets.seal(given, before.id);
}

function isStored(before: TargetRow, given: string): boolean {
  try {
    return openSecrets(before)[0] === given;
  } catch {
    // Encrypted under another master key: the new one replaces it.
    return false;
  }
}

/**
 * Gives a webhook another secret; the one before counts for 24 hours more, and so does each before that. Throws 404, and 409
 * for other kinds and while five former ones count. The secret appears in the answer and nowhere else.
 */
export function rotateSecret(actor: Actor, id: string): Promise<CreatedTarget> {
  return transactAs(actor, () => {
    const before = existingTarget(id);
    if (before.kind !== "webhook") throw conflict("Webhooks alone have a secret that can be rotated");
    const former = formerSecrets(before);
    const oldest = former.at(-1);
    if (oldest && former.length >= MAX_FORMER_SECRETS)
      throw conflict(
        `The secret was rotated ${former.length} times in 24 hours; it can be again from ${iso(oldest.until)}`,
      );
    const secret = newWebhookSecret();
    const time = now();
    const former_secret_until = time + FORMER_SECRET_LIFETIME;
    const row = db
      .update(notificationTargets)
      .set({
        secret: targetSecrets.seal(secret, id),
        former_secret: before.secret,
        former_secret_until,
        older_secrets: former.length > 0 ? former : null,
        updated_at: time,
      })
      .where(eq(notificationTargets.id, id))
      .returning()
      .get();
    audit("notification_target_secret_rotated", row, { former_until: isoOrNull(former_secret_until) });
    return { ...toTarget(row), secret };
  });
}

/** Deletes a target; what waits for it is given up, and nothing names it any more. Throws 404. */
export function deleteTarget(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    const row = existingTarget(id);
    removeTarget(id);
    audit("notification_target_deleted", row);
  });
}

/** Removes a target in the current transaction; an audit event is the caller's to write. */
export function removeTarget(id: string): void {
  forgetMentions(id);
  db.delete(notificationTargets).where(eq(notificationTargets.id, id)).run();
  publish("notification-target.closed", { id });
}

let forgetMentions: (id: string) => void = () => {};

/** Says how all that names a target forgets it, in the transaction that deletes it. */
export function decideMentions(forget: (id: string) => void): void {
  forgetMentions = forget;
}

/** Switches a target off in the current transaction, because the other side asked for it. */
export function switchOff(id: string, reason: string): void {
  const row = db
    .update(notificationTargets)
    .set({ is_active: false, updated_at: now() })
    .where(and(eq(notificationTargets.id, id), eq(notificationTargets.is_active, true)))
    .returning()
    .get();
  if (!row) return;
  audit("notification_target_updated", row, { changed: ["is_active"], reason });
  publish("notification-target.closed", { id });
}

function audit(
  event_type:
    | "notification_target_created"
    | "notification_target_updated"
    | "notification_target_secret_rotated"
    | "notification_target_deleted",
  { id, user_id, kind }: TargetRow,
  metadata: Record<string, unknown> = {},
): void {
  recordAudit({
    event_type,
    user_id,
    resource_type: "notification_target",
    resource_id: id,
    metadata: { kind, ...metadata },
  });
}
