import { and, eq } from "drizzle-orm";
import { config } from "../../config";
import { type Caller, reloadCaller, transactAs } from "../../identity/access/caller";
import { recordAudit } from "../../identity/audit/service";
import { activeBan } from "../../identity/bans/active-ban";
import { findUser, ownId } from "../../identity/users/service";
import type { Client } from "../../kernel/client";
import { MINUTE, now } from "../../kernel/clock";
import { hashToken, mintToken } from "../../kernel/crypto";
import { db, transact } from "../../kernel/db";
import { decrypt, encrypt } from "../../kernel/encryption";
import { AppError, badRequest, invalid } from "../../kernel/errors";
import { newId } from "../../kernel/id";
import { isAlive } from "../../kernel/lifetime";
import { apiOf, NoChannel, NotPermitted, TokenRefused } from "./api";
import { type Account, CHANNELS } from "./channels";
import { authorizationUrl, exchangeCode, GrantRefused, type Tokens } from "./oauth";
import { platformOf } from "./platforms";
import type { CallbackQuery, ConnectInput } from "./schema";
import { integrationStates, integrations } from "./table";
import { listOf, revokeUnkept, sealTokens, tokensOf } from "./tokens";
import type { PlatformSlug } from "./words";

/** Connecting an account elsewhere: there to consent, and back with a code. */

/** How long a user may take to consent (decisions 6.4). */
const STATE_LIFETIME = 10 * MINUTE;

// --- There --------------------------------------------------------------------------------------------------

/**
 * Starts to connect an account: where to send the browser. Throws 404 for an unknown platform, 503 for one that isn't
 * configured, 400 for a scope or a redirect that isn't permitted.
 */
export async function startConnecting(caller: Caller, slug: string, input: ConnectInput) {
  const userId = ownId(caller);
  const platform = platformOf(slug);
  checkRedirect(input.redirect_uri);
  const scopes = scopesFor(platform, input.scopes ?? []);
  const { token: state, hash } = mintToken("");
  const { url, verifier } = await authorizationUrl(platform.slug, scopes, state);
  await transactAs(caller, () => {
    db.insert(integrationStates)
      .values({
        state_hash: hash,
        user_id: userId,
        started_by_kind: caller.kind,
        started_by_hash: caller.tokenHash,
        platform: platform.slug,
        redirect_uri: input.redirect_uri,
        scopes,
        code_verifier: verifier === null ? null : encrypt(verifier, verifierOf(hash)),
        expires_at: now() + STATE_LIFETIME,
      })
      .run();
  });
  return { authorization_url: url, state };
}

const verifierOf = (stateHash: string) => `code verifier ${stateHash}`;

/** The browser ends up on a page that the operator knows: an open redirector would lend its name to anybody. */
function checkRedirect(redirectUri: string): void {
  const url = URL.parse(redirectUri);
  const isPermitted =
    url &&
    // `blob:` addresses have the origin of the page that made them.
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    config["integrations.allowed_redirects"].includes(url.origin);
  if (!isPermitted)
    throw invalid("/redirect_uri", "must lead to one of the origins in integrations.allowed_redirects");
}

function scopesFor(platform: ReturnType<typeof platformOf>, asked: string[]): string[] {
  for (const scope of asked)
    if (!platform.scopes.some(({ name }) => name === scope))
      throw invalid("/scopes", `must be among the scopes of ${platform.name}`);
  return platform.scopes
    .filter(({ name, required }) => required || asked.includes(name))
    .map(({ name }) => name);
}

// --- And back -----------------------------------------------------------------------------------------------

type State = typeof integrationStates.$inferSelect;

/**
 * Completes a connection with what the provider's call-back carries, and returns where to send the browser. A state
 * counts once, whatever comes with it. Throws 404 for an unknown platform, and 400 for a state that is none: then
 * nobody knows where the browser should go.
 */
export async function finishConnecting(
  slug: string,
  callback: CallbackQuery,
  client: Client,
): Promise<string> {
  const platform = platformOf(slug);
  const state = await takeState(platform.slug, callback.state);
  const reason = await connect(state, callback, client);
  const url = new URL(state.redirect_uri);
  url.searchParams.set("status", reason === null ? "connected" : "error");
  url.searchParams.delete("reason");
  if (reason !== null) url.searchParams.set("reason", reason);
  return url.href;
}

async function takeState(platform: PlatformSlug, state: string | undefined): Promise<State> {
  const taken = await transact(() =>
    db
      .delete(integrationStates)
      .where(eq(integrationStates.state_hash, hashToken(state ?? "")))
      .returning()
      .all()
      .at(0),
  );
  if (!taken || taken.platform !== platform || !isAlive(taken.expires_at - STATE_LIFETIME, taken.expires_at))
    throw badRequest(
      "This connection was not started here, was completed already, or took too long; start it anew",
    );
  return taken;
}

/** Why it failed, as a word for the address of the page; null when it didn't. */
async function connect(state: State, callback: CallbackQuery, client: Client): Promise<string | null> {
  const slug = state.platform as PlatformSlug;
  if (callback.error !== undefined)
    return /^[a-z_]{1,64}$/.test(callback.error) ? callback.error : "provider_error";
  if (!callback.code) return "invalid_request";
  try {
    const parameters = parametersOf(callback);
    const tokens = await exchangeCode(slug, parameters, callback.state ?? "", openVerifier(state));
    return await keepOrRevoke(state, tokens, client);
  } catch (error) {
    if (error instanceof GrantRefused || error instanceof TokenRefused) return "grant_refused";
    if (error instanceof NotPermitted) return "not_permitted";
    if (error instanceof NoChannel) return "no_channel";
    if (error instanceof AppError) return "provider_unavailable";
    throw error;
  }
}

/** Keeps what was permitted. Tokens that nobody keeps, these or the ones in whose place they come, are revoked. */
async function keepOrRevoke(state: State, tokens: Tokens, client: Client): Promise<string | null> {
  const slug = state.platform as PlatformSlug;
  let unkept = listOf(tokens);
  try {
    const account = await CHANNELS[slug].account(apiOf(slug, tokens.accessToken));
    const { reason, former } = await transact(() => store(state, tokens, account, client));
    if (reason === null) unkept = former;
    return reason;
  } finally {
    await revokeUnkept(slug, state.user_id, unkept);
  }
}

const openVerifier = ({ code_verifier, state_hash }: State): string | null =>
  code_verifier === null ? null : decrypt(code_verifier, verifierOf(state_hash));

function parametersOf({ code, state, iss }: CallbackQuery): URLSearchParams {
  const parameters = new URLSearchParams({ code: code ?? "", state: state ?? "" });
  if (iss !== undefined) parameters.set("iss", iss);
  return parameters;
}

interface Stored {
  /** Why it was not kept; null when it was. */
  reason: string | null;
  /** The tokens that it had before. */
  former: string[];
}

/** Keeps an account with its tokens, in the current transaction. */
function store(state: State, tokens: Tokens, account: Account, client: Client): Stored {
  const user = findUser(state.user_id);
  // Meanwhile much may have happened to whoever started this.
  const caller = reloadCaller({ kind: state.started_by_kind, tokenHash: state.started_by_hash });
  if (!user || user.deleted_at !== null || activeBan(user.id) || !caller)
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
    client,
  });
  return { reason: null, former: before ? tokensOf(before) : [] };
}
