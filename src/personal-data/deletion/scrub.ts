import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { alerts } from "../../alerts/alerts/table";
import { removeTarget, targetsMadeBy } from "../../alerts/targets/service";
import { note } from "../../feed/journal";
import { accessChanged } from "../../identity/access/caller";
import { noteNames } from "../../identity/accounts/former-names";
import { eraseAccounts } from "../../identity/accounts/service";
import { apiKeys } from "../../identity/api-keys/table";
import { recordAudit } from "../../identity/audit/service";
import { eraseReports } from "../../identity/audit-log/reports";
import { passwordResets, passwords } from "../../identity/auth/table";
import { bans } from "../../identity/bans/table";
import { eraseConsentsOf } from "../../identity/consents/service";
import type { UserRow } from "../../identity/directory/users";
import { cancelQueuedEmails } from "../../identity/email/service";
import { endGrantsOfClient } from "../../identity/grants/service";
import { eraseInvitationsOf } from "../../identity/invitations/service";
import { clientsOwnedBy } from "../../identity/oauth-clients/service";
import { oauthClients } from "../../identity/oauth-clients/table";
import { eraseIdentitiesOf } from "../../identity/oidc/identities";
import { eraseAddressesOf } from "../../identity/passwords/sign-in-addresses";
import { userRoles } from "../../identity/roles/table";
import { BY_NOBODY, deleteSessions } from "../../identity/sessions/service";
import { removeTwoFactor } from "../../identity/two-factor/service";
import { dropChallenges } from "../../identity/two-factor-codes/challenges";
import { users } from "../../identity/users/table";
import { verifications } from "../../identity/verification/table";
import { erasePasskeys } from "../../identity/webauthn/erase";
import { db } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { now } from "../../kernel/time/clock";
import { eraseIntegrations } from "../../operations/integrations/service";
import { endLinksMadeBy } from "../../tracking/links/service";
import { endSharesAbout } from "../../tracking/shares/service";
import { trackers } from "../../tracking/trackers/table";
import { eraseLogs } from "../export-logs/service";
import { KEPT_REASONS } from "./event-traces";

/**
 * Scrubbing reduces an account to its identifier (rule A10). Personal data goes in one transaction; traces in
 * audit events and the outbox, of which there may be many, are removed afterwards in steps.
 */

declare module "../../kernel/db/events" {
  interface EventMap {
    /** An account was deleted: softly, by force, or at the end of its grace period. */
    "user.deleted": { userId: string; reason: string };
  }
}

/** Tells a user's sockets why they will be closed, and all listeners that the user's credentials ended. */
export function announceDeletion(userId: string, reason: string): void {
  publish("user.deleted", { userId, reason });
  accessChanged((caller) => caller.userId === userId, true);
}

/**
 * Drops verifications, password resets, emails and sign-ins that are pending for a user, in the current
 * transaction. Part of every kind of deletion.
 */
export function dropPending(userId: string): void {
  db.delete(verifications).where(eq(verifications.user_id, userId)).run();
  db.delete(passwordResets).where(eq(passwordResets.user_id, userId)).run();
  cancelQueuedEmails(userId);
  dropChallenges(userId);
}

/**
 * Writes the audit event for a record that went with its owner. No client: its address would be that of the
 * user, or of whoever deleted the user.
 */
const auditGone = (
  event_type: "api_key_revoked" | "client_deleted" | "notification_target_deleted" | "tracker_deleted",
  resource_type: "api_key" | "notification_target" | "oauth_client" | "tracker",
  user_id: string,
  gone: { id: string }[],
) => {
  for (const { id: resource_id } of gone)
    recordAudit({
      event_type,
      user_id,
      actor_id: null,
      resource_type,
      resource_id,
      metadata: { reason: "account deleted" },
      withoutOrigin: true,
    });
};

/** The steps of scrubbing an account. Any new record of personal data needs a step here. */
const ERASURES: ((userId: string) => unknown)[] = [
  dropPending,
  (userId) => deleteSessions(userId, "account deleted", BY_NOBODY),
  eraseAddressesOf,
  eraseAccounts,
  removeTwoFactor,
  (userId) => erasePasskeys(userId, "account deleted", BY_NOBODY),
  (userId) => db.delete(passwords).where(eq(passwords.user_id, userId)).run(),
  // Devices stay, without their key.
  (userId) => {
    const keys = db
      .delete(apiKeys)
      .where(eq(apiKeys.owner_id, userId))
      .returning({ id: apiKeys.id, device: apiKeys.device_id })
      .all();
    for (const { device } of keys) if (device !== null) note("deviceUpdate", device, device);
    auditGone("api_key_revoked", "api_key", userId, keys);
  },
  (userId) => {
    const made = db.delete(trackers).where(eq(trackers.user_id, userId)).returning({ id: trackers.id }).all();
    auditGone("tracker_deleted", "tracker", userId, made);
  },
  eraseConsentsOf,
  eraseIdentitiesOf,
  endSharesAbout,
  eraseInvitationsOf,
  endLinksMadeBy,
  (userId) => {
    const made = targetsMadeBy(userId);
    for (const { id } of made) removeTarget(id);
    auditGone("notification_target_deleted", "notification_target", userId, made);
  },
  (userId) => {
    const owned = eq(oauthClients.owner_id, userId);
    // Before the clients go: other users' tokens of them end with the commit, and not only as they are next looked up.
    for (const { id } of clientsOwnedBy(userId)) endGrantsOfClient(id, "client deleted");
    const clients = db.delete(oauthClients).where(owned).returning({ id: oauthClients.id }).all();
    auditGone("client_deleted", "oauth_client", userId, clients);
  },
  (userId) =>
    db.update(alerts).set({ acknowledge_note: null }).where(eq(alerts.acknowledged_by, userId)).run(),
  // The ban itself and who imposed it are the installation's history; its reason is text about a person.
  (userId) => db.update(bans).set({ reason: null }).where(eq(bans.user_id, userId)).run(),
  eraseReports,
  eraseLogs,
  eraseIntegrations,
  (userId) => db.delete(userRoles).where(eq(userRoles.user_id, userId)).run(),
];

/**
 * Scrubs an account in the current transaction. `told` is the message to the user's open connections: words
 * about a person, which are stored nowhere. `actorId` is the user responsible, if not the user itself. Traces
 * in audit events and the outbox remain: `eraseTraces` follows the commit, or the job `finishScrubs` after a
 * crash.
 */
export function scrub(
  user: UserRow,
  by: keyof typeof KEPT_REASONS,
  told: string | null,
  actorId: string | null,
): void {
  const reason = KEPT_REASONS[by];
  noteNames(user.id);
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
  // The address would be that of the user, or of whoever deleted the user.
  recordAudit({
    event_type: "user_deleted",
    user_id: user.id,
    actor_id: actorId,
    resource_type: "user",
    resource_id: user.id,
    metadata: { reason },
    withoutOrigin: true,
  });
  announceDeletion(user.id, told || reason);
}

/** `deleted_` and eight characters: a username that nobody has. */
function freshName(): string {
  for (;;) {
    const username = `deleted_${randomBytes(4).toString("hex")}`;
    if (!db.select({ id: users.id }).from(users).where(eq(users.username, username)).get()) return username;
  }
}
