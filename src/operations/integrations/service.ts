import { and, asc, desc, eq, gt, isNull, lt, or } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import type { Caller } from "../../identity/access/caller";
import { recordAudit } from "../../identity/audit/service";
import { ownId } from "../../identity/directory/users";
import { db } from "../../kernel/db/connection";
import { afterCommit, transact } from "../../kernel/db/transactions";
import { AppError, notFound } from "../../kernel/errors/errors";
import { describeError, log } from "../../kernel/logs/log";
import { HOUR, iso, isoOrNull, now } from "../../kernel/time/clock";
import { type Api, apiOf, NotPermitted, TokenRefused, validateTwitchToken } from "./api";
import { CHANNELS } from "./channels";
import { platformTrouble, revokeTokens } from "./oauth";
import { isConfigured, platformOf } from "./platforms";
import type { ChannelStats, Integration } from "./schema";
import { integrationStates, integrations } from "./table";
import { expiryOf, type IntegrationRow, NO_TOKENS, renewTokens, tokensOf, withToken } from "./tokens";
import type { BOT_STATUSES, PlatformSlug } from "./words";

export const toIntegration = (row: IntegrationRow): Integration => ({
  id: row.id,
  user_id: row.user_id,
  platform_slug: row.platform,
  platform_name: platformOf(row.platform).name,
  platform_user_id: row.platform_user_id,
  username: row.username,
  display_name: row.display_name,
  profile_image_url: row.profile_image_url,
  scopes: row.scopes,
  is_active: row.is_active,
  bot_status: row.bot_status,
  connected_at: iso(row.connected_at),
  last_refreshed_at: isoOrNull(row.last_refreshed_at),
});

// --- Reading ------------------------------------------------------------------------------------------------

/** A user's integrations, of one platform when it is given, newest first. */
export const integrationsOf = (userId: string, platform?: PlatformSlug): Integration[] =>
  db
    .select()
    .from(integrations)
    .where(
      and(
        eq(integrations.user_id, userId),
        isNull(integrations.removed_at),
        platform === undefined ? undefined : eq(integrations.platform, platform),
      ),
    )
    .orderBy(desc(integrations.connected_at), desc(integrations.id))
    .all()
    .map(toIntegration);

/** The caller's own integrations. Throws 404 for an unknown platform. */
export const listIntegrations = (caller: Caller, slug?: string): Integration[] =>
  integrationsOf(ownId(caller), slug === undefined ? undefined : platformOf(slug).slug);

export const getIntegration = (caller: Caller, id: string): Integration => toIntegration(ownRow(caller, id));

/** Another user's integration isn't found: its existence is private. */
function ownRow(caller: Caller, id: string): IntegrationRow {
  const row = db
    .select()
    .from(integrations)
    .where(
      and(eq(integrations.id, id), eq(integrations.user_id, ownId(caller)), isNull(integrations.removed_at)),
    )
    .get();
  if (!row) throw notFound("Integration");
  return row;
}

// --- Using --------------------------------------------------------------------------------------------------

/** Renews the tokens of an integration now. Throws 404, 409 when the platform refuses, and 503. */
export async function refreshIntegration(caller: Caller, id: string): Promise<{ expires_at: string | null }> {
  const row = ownRow(caller, id);
  return { expires_at: expiryOf(await renewTokens(row)) };
}

/** The channel of an integration in figures, read now. Throws 404, 409 when the platform refuses, and 503. */
export function readStats(caller: Caller, id: string): Promise<ChannelStats> {
  const row = ownRow(caller, id);
  return ask(row, (api) => CHANNELS[row.platform as PlatformSlug].stats(api, row.platform_user_id));
}

/** Asks a platform with an integration's token. Throws 409 if the platform refuses the token, and 503. */
function ask<T>(row: IntegrationRow, question: (api: Api) => Promise<T>): Promise<T> {
  const slug = row.platform as PlatformSlug;
  return withToken(
    row,
    (error) => error instanceof TokenRefused,
    async (token) => {
      try {
        return await question(apiOf(slug, token));
      } catch (error) {
        // The token is valid, but the figures are refused for now: YouTube does so when a quota is used up.
        if (error instanceof NotPermitted) throw platformTrouble(slug, "not permitted");
        throw error;
      }
    },
  );
}

/** Sets what bots may do on the channel of an integration. Throws 404. */
export function setBotStatus(actor: Actor, id: string, status: (typeof BOT_STATUSES)[number]): Promise<void> {
  return transactAs(actor, () => {
    if (ownRow(actor.caller, id).bot_status === status) return;
    db.update(integrations).set({ bot_status: status }).where(eq(integrations.id, id)).run();
  });
}

// --- Removing -----------------------------------------------------------------------------------------------

/**
 * Clears personal data; a removed integration keeps only the platform's identifier, to recognize a
 * reconnection.
 */
const NOBODY = { username: "", display_name: null, profile_image_url: null, scopes: [] as string[] };

/** Outcome of revoking an integration's tokens at its platform. */
type Revocation = "revoked" | "failed" | "nothing to revoke";

/** Removes an integration: its tokens go, and are then revoked at the platform. Throws 404. */
export async function removeIntegration(actor: Actor, id: string): Promise<Revocation> {
  const row = await transactAs(actor, () => {
    const before = ownRow(actor.caller, id);
    db.update(integrations)
      .set({ ...NO_TOKENS, ...NOBODY, is_active: false, removed_at: now() })
      .where(eq(integrations.id, id))
      .run();
    recordAudit({
      event_type: "account_unlinked",
      user_id: before.user_id,
      resource_type: "integration",
      resource_id: id,
      metadata: { platform: before.platform },
    });
    return before;
  });
  return revokeAll(row);
}

async function revokeAll(row: IntegrationRow): Promise<Revocation> {
  const slug = row.platform as PlatformSlug;
  if (row.access_token === null && row.refresh_token === null) return "nothing to revoke";
  const tokens = tokensOf(row);
  const isDone = tokens.length > 0 && isConfigured(slug) && (await revokeTokens(slug, tokens));
  return isDone ? "revoked" : "failed";
}

/** Forgets a scrubbed user's integrations in the current transaction; their tokens are revoked after it. */
export function eraseIntegrations(userId: string): void {
  db.delete(integrationStates).where(eq(integrationStates.user_id, userId)).run();
  const gone = db.delete(integrations).where(eq(integrations.user_id, userId)).returning().all();
  afterCommit(() => {
    for (const row of gone)
      revokeAll(row).catch((error) => log.warn("a token could not be revoked", describeError(error)));
  });
}

// --- Jobs ---------------------------------------------------------------------------------------------------

/** Integrations looked at in one run: the rest has its turn in the next. */
const TOKENS_A_RUN = 200;

/** Failures after which a run assumes that the platform can't answer. */
const MAX_FAILURES = 3;

/**
 * The job: Twitch requires each token to be validated at the start and every hour. A refused one is renewed.
 */
export async function validateTokens(): Promise<void> {
  if (!isConfigured("twitch")) return;
  const due = db
    .select()
    .from(integrations)
    .where(
      and(
        eq(integrations.platform, "twitch"),
        eq(integrations.is_active, true),
        or(
          isNull(integrations.validated_at),
          lt(integrations.validated_at, now() - HOUR),
          // The clock was set back.
          gt(integrations.validated_at, now()),
        ),
      ),
    )
    .orderBy(asc(integrations.validated_at))
    .limit(TOKENS_A_RUN)
    .all();
  let failures = 0;
  for (const row of due) {
    try {
      await withToken(row, (error) => error instanceof TokenRefused, validateTwitchToken);
      await transact(() => {
        db.update(integrations).set({ validated_at: now() }).where(eq(integrations.id, row.id)).run();
      });
    } catch (error) {
      // A failure of one account must not keep the others from their turn; one of the platform stops the run.
      if (!(error instanceof AppError)) log.warn("a token could not be validated", describeError(error));
      else if (error.status === 503 && ++failures === MAX_FAILURES) return;
    }
  }
}

/** The job: forgets authorizations that were not completed in time. */
export async function deleteExpiredStates(): Promise<void> {
  await transact(() => {
    db.delete(integrationStates).where(lt(integrationStates.expires_at, now())).run();
  });
}
