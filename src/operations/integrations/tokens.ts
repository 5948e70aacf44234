import { and, eq } from "drizzle-orm";
import { isoOrNull, MINUTE, now } from "../../kernel/clock";
import { db, transact } from "../../kernel/db";
import { decrypt, encrypt } from "../../kernel/encryption";
import { conflict, notFound } from "../../kernel/errors";
import { describeError, log } from "../../kernel/log";
import { GrantRefused, renew, revokeTokens, type Tokens } from "./oauth";
import { platformOf } from "./platforms";
import { integrations } from "./table";
import type { PlatformSlug } from "./words";

/** The tokens of an integration: kept encrypted, renewed before they expire, given up when the platform refuses. */

export type IntegrationRow = typeof integrations.$inferSelect;

/** What a token is encrypted for. */
export const boundTo = (id: string, kind: "access" | "refresh") => `integration ${id} ${kind}`;

/** The columns that hold tokens, encrypted for one integration. A new refresh token may be missing: the old one stays. */
export const sealTokens = (id: string, { accessToken, refreshToken, expiresAt }: Tokens) => ({
  access_token: encrypt(accessToken, boundTo(id, "access")),
  ...(refreshToken !== null && { refresh_token: encrypt(refreshToken, boundTo(id, "refresh")) }),
  token_expires_at: expiresAt,
});

const accessTokenOf = ({ id, access_token }: IntegrationRow): string | null =>
  access_token === null ? null : decrypt(access_token, boundTo(id, "access"));

const refreshTokenOf = ({ id, refresh_token }: IntegrationRow): string | null =>
  refresh_token === null ? null : decrypt(refresh_token, boundTo(id, "refresh"));

/**
 * The tokens of an integration that is about to be without them, the refresh token first; none where they can't be
 * opened, as with another master key.
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
 * Revokes tokens that nobody keeps. Where one takes all that the user permitted with it, they are left alone while
 * another connection of the user lives by that.
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

/** No tokens any more. */
export const NO_TOKENS = { access_token: null, refresh_token: null, token_expires_at: null } as const;

/** A token that has less left than this is renewed before it is used. */
const MARGIN = MINUTE;

const isFresh = ({ token_expires_at }: IntegrationRow): boolean =>
  token_expires_at === null || token_expires_at > now() + MARGIN;

const refused = (slug: PlatformSlug) =>
  conflict(`${platformOf(slug).name} no longer permits this; connect the account again`);

const current = (id: string): IntegrationRow | undefined =>
  db.select().from(integrations).where(eq(integrations.id, id)).get();

/** Renewals that are under way: a refresh token may count once, so that two at a time would lose the integration. */
const renewals = new Map<string, Promise<IntegrationRow>>();

/**
 * Renews the tokens of an integration, unless they are others already than in `row`, which was read a while ago: its
 * refresh token may have been used up. Throws 409 when the platform refuses, which makes it inactive, and 503.
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
      `${platformOf(slug).name} gave nothing to renew with; connect the account again once it ends`,
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
  // Nobody would revoke them later.
  if (!isKept) await revokeUnkept(slug, row.user_id, listOf(tokens));
  if (!latest) throw notFound("Integration");
  return latest;
}

/**
 * Keeps renewed tokens, in the current transaction. Returns the integration as it is then: with others when it was
 * connected again while the platform was asked; undefined when it was removed, or its user scrubbed.
 */
function keep(row: IntegrationRow, tokens: Tokens): { latest: IntegrationRow | undefined; isKept: boolean } {
  const latest = current(row.id);
  if (!latest || latest.removed_at !== null) return { latest: undefined, isKept: false };
  if (!isCurrent(row)) return { latest, isKept: false };
  const kept = db
    .update(integrations)
    .set({
      ...sealTokens(row.id, tokens),
      ...(tokens.scopes !== null && { scopes: tokens.scopes }),
      last_refreshed_at: now(),
      validated_at: now(),
    })
    .where(eq(integrations.id, row.id))
    .returning()
    .get();
  return { latest: kept, isKept: true };
}

/** Whether these are the tokens still: every other ones are encrypted anew. */
const isCurrent = ({ id, access_token }: IntegrationRow): boolean =>
  current(id)?.access_token === access_token;

/** Notes that the platform refuses an integration, unless it has other tokens meanwhile. Throws 409. */
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

/** Does something with an access token that counts: renewed before it expires, and once more when it is refused. */
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
    // Another request may have renewed them once more, or be about to: then these were refused for that.
    const isHopeless = isSecond || refreshTokenOf(tokens) === null;
    if (isHopeless && isCurrent(tokens) && !renewals.has(tokens.id)) return giveUp(tokens);
    tokens = await renewTokens(tokens);
  }
}

export const expiryOf = ({ token_expires_at }: IntegrationRow): string | null => isoOrNull(token_expires_at);
