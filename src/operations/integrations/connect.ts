import { and, eq } from "drizzle-orm";
import { config } from "../../configuration/config";
import { activeBan } from "../../identity/access/active-ban";
import { type Actor, type AnyActor, transactAs } from "../../identity/access/actor";
import { reloadCaller } from "../../identity/access/caller";
import { recordAudit } from "../../identity/audit/service";
import { findUser, ownId } from "../../identity/directory/users";
import { hashToken, mintToken } from "../../kernel/crypto/crypto";
import { newId } from "../../kernel/crypto/id";
import { sealedColumn } from "../../kernel/crypto/sealed";
import { db } from "../../kernel/db/connection";
import { AppError, badRequest, invalid } from "../../kernel/errors/errors";
import { parseWebAddress } from "../../kernel/http/web-address";
import { MINUTE, now } from "../../kernel/time/clock";
import { isUnexpired } from "../../kernel/time/lifetime";
import { apiOf, NoChannel, NotPermitted, TokenRefused } from "./api";
import { type Account, CHANNELS } from "./channels";
import { authorizationUrl, exchangeCode, GrantRefused, type Tokens } from "./oauth";
import { platformOf } from "./platforms";
import type { CallbackQuery, ConnectInput } from "./schema";
import { integrationStates, integrations } from "./table";
import { listOf, revokeUnkept, sealTokens, tokensOf } from "./tokens";
import type { PlatformSlug } from "./words";

/** Connects an account elsewhere: the user goes there to consent, and comes back with a code. */

/** Time for a user to consent (rule I1). */
const STATE_LIFETIME = 10 * MINUTE;

// --- Start -------------------------------------------------------------------------------------------------

/**
 * Starts to connect an account, and returns the address to send the browser to. Throws 404 for an unknown
 * platform, 503 for one that isn't configured, 400 for a scope or a redirect that isn't permitted.
 */
export async function startConnecting(actor: Actor, slug: string, input: ConnectInput) {
  const userId = ownId(actor.caller);
  const platform = platformOf(slug);
  const redirectUri = permittedRedirect(input.redirect_uri);
  const scopes = scopesFor(platform, input.scopes ?? []);
  const { token: state, hash } = mintToken("");
  const { url, verifier } = await authorizationUrl(platform.slug, scopes, state);
  await transactAs(actor, () => {
    db.insert(integrationStates)
      .values({
        state_hash: hash,
        user_id: userId,
        started_by_kind: actor.caller.kind,
        started_by_hash: actor.caller.tokenHash,
        platform: platform.slug,
        redirect_uri: redirectUri,
        scopes,
        code_verifier: verifier === null ? null : codeVerifiers.seal(verifier, hash),
        expires_at: now() + STATE_LIFETIME,
      })
      .run();
  });
  return { authorization_url: url, state };
}

export const codeVerifiers = sealedColumn({
  what: { en: "verifiers of authorizations under way", de: "Prüfwerte laufender Verbindungen" },
  ifLost: {
    en: "connections of accounts that are under way have to be begun anew",
    de: "laufende Verbindungen von Konten müssen neu begonnen werden",
  },
  table: "integration_states",
  id: "state_hash",
  column: "code_verifier",
  isReplaceable: true,
  boundTo: (stateHash) => `code verifier ${stateHash}`,
});

/**
 * Checks that the browser ends up on a page that the operator knows: an open redirector would lend its name
 * to anybody. Throws 400.
 */
function permittedRedirect(asked: string): string {
  const url = parseWebAddress(asked);
  if (!url || !config["integrations.allowed_redirects"].includes(url.origin))
    throw invalid("/redirect_uri", "must lead to one of the origins in integrations.allowed_redirects");
  return url.href;
}

function scopesFor(platform: ReturnType<typeof platformOf>, asked: string[]): string[] {
  for (const scope of asked)
    if (!platform.scopes.some(({ name }) => name === scope))
      throw invalid("/scopes", `must be among the scopes of ${platform.name}`);
  return platform.scopes
    .filter(({ name, required }) => required || asked.includes(name))
    .map(({ name }) => name);
}

// --- Call-back ---------------------------------------------------------------------------------------------

type State = typeof integrationStates.$inferSelect;

/**
 * Completes a connection with the parameters of the provider's call-back, and returns the address to send the
 * browser to. A state counts once, even with an error (rule I1). Throws 404 for an unknown platform, and 400
 * for an unknown state: then there is no address to send the browser to.
 */
export async function finishConnecting(
  actor: AnyActor,
  slug: string,
  callback: CallbackQuery,
): Promise<string> {
  const platform = platformOf(slug);
  const state = await takeState(actor, platform.slug, callback.state);
  const reason = await connect(actor, state, callback);
  const url = new URL(state.redirect_uri);
  url.searchParams.set("status", reason === null ? "connected" : "error");
  url.searchParams.delete("reason");
  if (reason !== null) url.searchParams.set("reason", reason);
  return url.href;
}

async function takeState(actor: AnyActor, platform: PlatformSlug, state: string | undefined): Promise<State> {
  const taken = await transactAs(actor, () =>
    db
      .delete(integrationStates)
      .where(eq(integrationStates.state_hash, hashToken(state ?? "")))
      .returning()
      .all()
      .at(0),
  );
  if (
    !taken ||
    taken.platform !== platform ||
    !isUnexpired(taken.expires_at - STATE_LIFETIME, taken.expires_at)
  )
    throw badRequest(
      "This connection was not started here, was already completed, or took too long; start again",
    );
  return taken;
}

/** The reason of a failure, as a word for the page's address; null on success. */
async function connect(actor: AnyActor, state: State, callback: CallbackQuery): Promise<string | null> {
  const slug = state.platform as PlatformSlug;
  if (callback.error !== undefined)
    return /^[a-z_]{1,64}$/.test(callback.error) ? callback.error : "provider_error";
  if (!callback.code) return "invalid_request";
  try {
    const parameters = parametersOf(callback);
    const tokens = await exchangeCode(slug, parameters, callback.state ?? "", openVerifier(state));
    return await keepOrRevoke(actor, state, tokens);
  } catch (error) {
    if (error instanceof GrantRefused || error instanceof TokenRefused) return "grant_refused";
    if (error instanceof NotPermitted) return "not_permitted";
    if (error instanceof NoChannel) return "no_channel";
    if (error instanceof AppError) return "provider_unavailable";
    throw error;
  }
}

/** Keeps the granted tokens. Tokens that end up unused, these or the ones that they replace, are revoked. */
async function keepOrRevoke(actor: AnyActor, state: State, tokens: Tokens): Promise<string | null> {
  const slug = state.platform as PlatformSlug;
  let unkept = listOf(tokens);
  try {
    const account = await CHANNELS[slug].account(apiOf(slug, tokens.accessToken));
    const { reason, former } = await transactAs(actor, () => store(state, tokens, account));
    if (reason === null) unkept = former;
    return reason;
  } finally {
    await revokeUnkept(slug, state.user_id, unkept);
  }
}

const openVerifier = ({ code_verifier, state_hash }: State): string | null =>
  code_verifier === null ? null : codeVerifiers.open(code_verifier, state_hash);

function parametersOf({ code, state, iss }: CallbackQuery): URLSearchParams {
  const parameters = new URLSearchParams({ code: code ?? "", state: state ?? "" });
  if (iss !== undefined) parameters.set("iss", iss);
  return parameters;
}

interface Stored {
  /** The reason why the account was not kept; null if it was. */
  reason: string | null;
  /** The tokens that it had before. */
  former: string[];
}

/** True if the credential that started a connection could start it now: all but a session need the permission. */
function mayStillConnect({ started_by_kind: kind, started_by_hash: tokenHash }: State): boolean {
  const caller = reloadCaller({ kind, tokenHash });
  return caller !== null && (kind === "session" || caller.permissions.has("integrations:write"));
}

/** Keeps an account with its tokens, in the current transaction. */
function store(state: State, tokens: Tokens, account: Account): Stored {
  const user = findUser(state.user_id);
  if (!user || user.deleted_at !== null || activeBan(user.id) || !mayStillConnect(state))
    return { reason: "account_unavailable", former: [] };
  const before = db
    .select()
    .from(integrations)
    .where(
      and(
        eq(integrations.user_id, user.id),
        eq(integrations.platform, state.platform),
        eq(integrations.platform_user_id, account.id),
      ),
    )
    .get();
  const id = before?.id ?? newId();
  const time = now();
  const row = {
    user_id: user.id,
    platform: state.platform,
    platform_user_id: account.id,
    username: account.username,
    display_name: account.displayName,
    profile_image_url: user.avatars_enabled ? account.picture : null,
    scopes: tokens.scopes ?? state.scopes,
    is_active: true,
    bot_status: before && before.removed_at === null ? before.bot_status : ("active" as const),
    refresh_token: null,
    ...sealTokens(id, tokens),
    validated_at: time,
    connected_at: time,
    last_refreshed_at: null,
    removed_at: null,
  };
  db.insert(integrations)
    .values({ id, ...row })
    .onConflictDoUpdate({ target: integrations.id, set: row })
    .run();
  const wasGone = before !== undefined && (before.removed_at !== null || !before.is_active);
  recordAudit({
    event_type: wasGone ? "account_reconnected" : "account_linked",
    user_id: user.id,
    resource_type: "integration",
    resource_id: id,
    metadata: { platform: state.platform },
  });
  return { reason: null, former: before ? tokensOf(before) : [] };
}
