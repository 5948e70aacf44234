import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { now } from "../../kernel/clock";
import { db, emptyWriteAheadLog, sqlite, statement, transact } from "../../kernel/db";
import { publish } from "../../kernel/events";
import { eraseIntegrations } from "../../operations/integrations/service";
import { accessChanged } from "../access/caller";
import { eraseAccounts } from "../accounts/service";
import { apiKeys } from "../api-keys/table";
import { eraseReports } from "../audit/reports";
import { recordAudit } from "../audit/service";
import { passwordResets, passwords } from "../auth/table";
import { bans } from "../bans/table";
import { cancelQueuedEmails } from "../email/service";
import { eraseLogs } from "../export/logs";
import { oauthClients } from "../oauth-clients/table";
import { userRoles } from "../roles/table";
import { deleteSessions } from "../sessions/service";
import { dropChallenges } from "../two-factor/challenges";
import { removeTwoFactor } from "../two-factor/service";
import type { UserRow } from "../users/service";
import { users } from "../users/table";
import { verifications } from "../verification/table";

/**
 * Scrubbing leaves of an account its identifier alone (decisions 4.11). What makes it a person goes in one
 * transaction; the addresses in its audit events, of which there may be many, go after it in steps.
 */

declare module "../../kernel/events" {
  interface EventMap {
    /** An account was deleted: softly, by force, or at the end of its grace period. */
    "user.deleted": { userId: string; reason: string };
  }
}

/** Tells a user's sockets why they are about to be closed, and everybody that the user's credentials ended. */
export function announceDeletion(userId: string, reason: string): void {
  publish("user.deleted", { userId, reason });
  accessChanged((caller) => caller.userId === userId, true);
}

/** What is promised or waiting for a user, and falls away with any kind of deletion, in the current transaction. */
export function dropPending(userId: string): void {
  db.delete(verifications).where(eq(verifications.user_id, userId)).run();
  db.delete(passwordResets).where(eq(passwordResets.user_id, userId)).run();
  cancelQueuedEmails(userId);
  dropChallenges(userId);
}

/**
 * Notes that something ended with its owner. No client: that would be the address of the user, or of whoever deleted
 * it.
 */
const auditGone = (
  event_type: "api_key_revoked" | "client_deleted",
  resource_type: "api_key" | "oauth_client",
  user_id: string,
  gone: { id: string }[],
) => {
  for (const { id: resource_id } of gone)
    recordAudit({ event_type, user_id, resource_type, resource_id, metadata: { reason: "account deleted" } });
};

/** What goes when an account is scrubbed. Whatever else keeps something of a person is added here. */
const ERASURES: ((userId: string) => unknown)[] = [
  dropPending,
  (userId) => deleteSessions(userId, "account deleted", null),
  eraseAccounts,
  removeTwoFactor,
  (userId) => db.delete(passwords).where(eq(passwords.user_id, userId)).run(),
  // The devices stay, and are linked to no key.
  (userId) => {
    const keys = db.delete(apiKeys).where(eq(apiKeys.owner_id, userId)).returning({ id: apiKeys.id }).all();
    auditGone("api_key_revoked", "api_key", userId, keys);
  },
  (userId) => {
    const owned = eq(oauthClients.owner_id, userId);
    const clients = db.delete(oauthClients).where(owned).returning({ id: oauthClients.id }).all();
    auditGone("client_deleted", "oauth_client", userId, clients);
  },
  // That there was a ban, and by whom, is the installation's own history; its words are about a person.
  (userId) => db.update(bans).set({ reason: null }).where(eq(bans.user_id, userId)).run(),
  eraseReports,
  eraseLogs,
  eraseIntegrations,
  (userId) => db.delete(userRoles).where(eq(userRoles.user_id, userId)).run(),
];

/**
 * Scrubs an account in the current transaction. `actorId` is who does it, when that isn't the user. The addresses
 * in audit events are still there: `eraseAddresses` follows the commit, or the job `finishScrubs` after a crash.
 */
export function scrub(user: UserRow, reason: string, actorId: string | null): void {
  for (const erase of ERASURES) erase(user.id);
  const time = now();
  db.update(users)
    .set({
      username: freshName(),
      primary_platform_account_id: null,
      privacy_mode: true,
      preferred_locale: null,
      last_login_at: null,
      last_login_provider: null,
      scheduled_deletion_at: null,
      deleted_at: user.deleted_at ?? time,
      scrubbed_at: time,
      scrub_pending: true,
      updated_at: time,
    })
    .where(eq(users.id, user.id))
    .run();
  // No client: that would be the address of the user, or of whoever deleted it.
  recordAudit({
    event_type: "user_deleted",
    user_id: user.id,
    actor_id: actorId,
    resource_type: "user",
    resource_id: user.id,
    metadata: { reason },
  });
  announceDeletion(user.id, reason);
}

/** `deleted_` and eight characters: a username that nobody has. */
function freshName(): string {
  for (;;) {
    const username = `deleted_${randomBytes(4).toString("hex")}`;
    if (!db.select({ id: users.id }).from(users).where(eq(users.username, username)).get()) return username;
  }
}

// --- Addresses in audit events ------------------------------------------------------------------------------

/** Audit events looked at in one transaction: some milliseconds. */
const STEP = 500;

interface Place {
  at: number;
  rowid: number;
}

/** The next events of a user after a place, by way of an index alone. */
const eventsAbout = statement(() =>
  sqlite.prepare<Place, [string, number, number, number]>(
    `SELECT created_at AS at, rowid FROM audit_events
     WHERE user_id = ? AND (created_at, rowid) > (?, ?) ORDER BY created_at, rowid LIMIT ?`,
  ),
);
const eventsBy = statement(() =>
  sqlite.prepare<Place, [string, number, number]>(
    "SELECT 0 AS at, rowid FROM audit_events WHERE actor_id = ? AND rowid > ? ORDER BY rowid LIMIT ?",
  ),
);
const clearAddress = statement(() =>
  sqlite.prepare<unknown, [number, string]>(
    `UPDATE audit_events
     SET ip_address = NULL, user_agent = NULL,
       country_code = NULL, country_name = NULL, city = NULL, region = NULL,
       metadata = iif(user_id = ?2 AND resource_type IN ('api_key', 'oauth_client'),
         json_remove(metadata, '$.name'), metadata)
     WHERE rowid = ?1
       AND (ip_address IS NOT NULL OR user_agent IS NOT NULL OR json_extract(metadata, '$.name') IS NOT NULL)`,
  ),
);

type NextEvents = (userId: string, after: Place) => Place[];

const WALKS: NextEvents[] = [
  (userId, { at, rowid }) => eventsAbout().all(userId, at, rowid, STEP),
  (userId, { rowid }) => eventsBy().all(userId, rowid, STEP),
];

/** Takes the addresses and agents from all audit events about and by a scrubbed user, letting requests in between. */
export async function eraseAddresses(userId: string): Promise<void> {
  for (const next of WALKS) {
    for (let after: Place | undefined = { at: 0, rowid: 0 }; after; ) {
      const from: Place = after;
      after = await transact(() => {
        const events = next(userId, from);
        for (const { rowid } of events) clearAddress().run(rowid, userId);
        return events.length === STEP ? events.at(-1) : undefined;
      });
    }
  }
  await transact(() => {
    db.update(users).set({ scrub_pending: false }).where(eq(users.id, userId)).run();
  });
  emptyWriteAheadLog();
}
