import { and, eq } from "drizzle-orm";
import { sealedColumn } from "../../kernel/crypto/sealed";
import { db } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { conflict, notFound } from "../../kernel/errors/errors";
import { describeError, log } from "../../kernel/logs/log";
import { isoOrNull, MINUTE, now } from "../../kernel/time/clock";
import { GrantRefused, renew, revokeTokens, type Tokens } from "./oauth";
import { platformOf } from "./platforms";
import { integrations } from "./table";
import type { PlatformSlug } from "./words";

/**
 * The tokens of an integration: kept encrypted, renewed before they expire, given up when the platform
 * refuses.
 */

export type IntegrationRow = typeof integrations.$inferSelect;

const ofKind = (kind: "access" | "refresh") =>
  sealedColumn({
    what: { en: "tokens of connected accounts", de: "Token verbundener Konten" },
    ifLost: {
      en: "users connect these accounts anew",
      de: "die Benutzer verbinden diese Konten neu",
    },
    table: "integrations",
    id: "id",
    column: `${kind}_token`,
    boundTo: (id) => `integration ${id} ${kind}`,
  });
export const accessTokens = ofKind("access");
export const refreshTokens = ofKind("refresh");

/**
 * The columns that hold tokens, encrypted for one integration. Without a new refresh token the old one stays.
 */
export const sealTokens = (id: string, { accessToken, refreshToken, expiresAt }: Tokens) => ({
  access_token: accessTokens.seal(accessToken, id),
  ...(refreshToken !== null && { refresh_token: refreshTokens.seal(refreshToken, id) }),
  token_expires_at: expiresAt,
});

const accessTokenOf = ({ id, access_token }: IntegrationRow): string | null =>
  access_token === null ? null : accessTokens.open(access_token, id);

const refreshTokenOf = ({ id, refresh_token }: IntegrationRow): string | null =>
  refresh_token === null ? null : refreshTokens.open(refresh_token, id);

/**
 * The tokens of an integration that is about to lose them, the refresh token first; none if they can't be
 * decrypted, as with another master key.
 */
export function tokensOf(row: IntegrationRow): string[] {
  try {
    return [refreshTokenOf(row), accessTokenOf(row)].filter((token) => token !== null);
  } catch (error) {
    log.warn("the tokens of an integration cannot be decrypted", describeError(error));
    return [];
  }
}

/**
 * Revokes tokens that are no longer kept. On a platform where that revokes the whole grant, they are left
 * alone while another connection of the user depends on it.
 */
export async function revokeUnkept(slug: PlatformSlug, userId: string, tokens: string[]): Promise<void> {
  if (tokens.length === 0 || (!platformOf(slug).revokesSingly && hasActive(slug, userId))) return;
  await revokeTokens(slug, tokens);
}

const hasActive = (slug: PlatformSlug, userId: string): boolean =>
  db
    .select({ id: integrations.id })
    .from(integrations)
    .where(
      and(
        eq(integrations.user_id, userId),
        eq(integrations.platform, slug),
        eq(integrations.is_active, true),
      ),
    )
    .get() !== undefined;

/** The tokens of an answer, the refresh token first. */
export const listOf = ({ refreshToken, accessToken }: Tokens): string[] =>
  refreshToken === null ? [accessToken] : [refreshToken, accessToken];

/** Clears the columns that hold tokens. */
export const NO_TOKENS = { access_token: null, refresh_token: null, token_expires_at: null } as const;

/** A token with less than this left is renewed before it is used. */
const MARGIN = MINUTE;

const isFresh = ({ token_expires_at }: IntegrationRow): boolean =>
  token_expires_at === null || token_expires_at > now() + MARGIN;

const refused = (slug: PlatformSlug) =>
  conflict(`${platformOf(slug).name} no longer grants access; connect the account again`);

const current = (id: string): IntegrationRow | undefined =>
  db.select().from(integrations).where(eq(integrations.id, id)).get();

/**
 * Renewals under way: a refresh token may work only once, so that two renewals at a time would lose the
 * integration.
 */
const renewals = new Map<string, Promise<IntegrationRow>>();

/**
 * Renews the tokens of an integration, unless they changed since `row` was read: its refresh token may have
 * been used up. Throws 409 if the platform refuses, which makes the integration inactive, and 503.
 */
export async function renewTokens(row: IntegrationRow): Promise<IntegrationRow> {
  const latest = current(row.id);
  if (!latest || latest.removed_at !== null) throw notFound("Integration");
  if (!latest.is_active) throw refused(row.platform as PlatformSlug);
  if (!isCurrent(row)) return latest;
  const renewal = renewals.get(row.id) ?? renewNow(latest).finally(() => renewals.delete(row.id));
  renewals.set(row.id, renewal);
  return renewal;
}

async function renewNow(row: IntegrationRow): Promise<IntegrationRow> {
  const slug = row.platform as PlatformSlug;
  const refreshToken = refreshTokenOf(row);
  if (refreshToken === null) {
    if (!isFresh(row)) return giveUp(row);
    throw conflict(
      `${platformOf(slug).name} issued no refresh token; connect the account again when access expires`,
    );
  }
  let tokens: Tokens;
  try {
    tokens = await renew(slug, refreshToken);
  } catch (error) {
    if (error instanceof GrantRefused) return giveUp(row);
    throw error;
  }
  const { latest, isKept } = await transact(() => keep(row, tokens));
  // Nothing would revoke them later.
  if (!isKept) await revokeUnkept(slug, row.user_id, listOf(tokens));
  if (!latest) throw notFound("Integration");
  return latest;
}

/**
 * Keeps renewed tokens, in the current transaction. Returns the integration's current row: it has other
 * tokens if it was connected again during the renewal; undefined if it was removed, or its user scrubbed.
 */
function keep(row: IntegrationRow, tokens: Tokens): { latest: IntegrationRow | undefined; isKept: boolean } {
  const latest = current(row.id);
  if (!latest || latest.removed_at !== null) return { latest: undefined, isKept: false };
  if (!isCurrent(row)) return { latest, isKept: false };
  const time = now();
  const kept = db
    .update(integrations)
    .set({
      ...sealTokens(row.id, tokens),
      ...(tokens.scopes !== null && { scopes: tokens.scopes }),
      last_refreshed_at: time,
      validated_at: time,
    })
    .where(eq(integrations.id, row.id))
    .returning()
    .get();
  return { latest: kept, isKept: true };
}

/**
 * True if these are still the integration's tokens. Encrypting gives other text each time, even for the same token; a rotation of
 * the master key does so too, and changes no token.
 */
function isCurrent(row: IntegrationRow): boolean {
  const latest = current(row.id);
  if (!latest || latest.access_token === row.access_token) return latest !== undefined;
  try {
    return accessTokenOf(latest) === accessTokenOf(row);
  } catch {
    return false;
  }
}

/** Makes an integration that the platform refuses inactive, unless it has other tokens by now. Throws 409. */
async function giveUp(row: IntegrationRow): Promise<never> {
  await transact(() => {
    if (!isCurrent(row)) return;
    db.update(integrations)
      .set({ ...NO_TOKENS, is_active: false })
      .where(eq(integrations.id, row.id))
      .run();
  });
  throw refused(row.platform as PlatformSlug);
}

/** Calls `use` with a valid access token: renewed before it expires, and once more if it is refused. */
export async function withToken<T>(
  row: IntegrationRow,
  isRefusal: (error: unknown) => boolean,
  use: (accessToken: string) => Promise<T>,
): Promise<T> {
  if (!row.is_active) throw refused(row.platform as PlatformSlug);
  let tokens = isFresh(row) ? row : await renewTokens(row);
  for (let isSecond = false; ; isSecond = true) {
    try {
      return await use(accessTokenOf(tokens) ?? "");
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    // Another request may have renewed them again, or be about to: that would explain the refusal.
    const isHopeless = isSecond || refreshTokenOf(tokens) === null;
    if (isHopeless && isCurrent(tokens) && !renewals.has(tokens.id)) return giveUp(tokens);
    tokens = await renewTokens(tokens);
  }
}

export const expiryOf = ({ token_expires_at }: IntegrationRow): string | null => isoOrNull(token_expires_at);
