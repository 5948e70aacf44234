import { eq } from "drizzle-orm";
import { hashToken } from "../../kernel/crypto/crypto";
import { db } from "../../kernel/db/connection";
import { mayLog } from "../../kernel/errors/trouble";
import { log } from "../../kernel/logs/log";
import { MINUTE, now, SECOND } from "../../kernel/time/clock";
import { isUnexpired } from "../../kernel/time/lifetime";
import { type AnyActor, transactAs } from "../access/actor";
import { recordAudit } from "../audit/service";
import { mintCode } from "../oidc-codes/codes";
import { readAnswer } from "./answer";
import { renewalOf } from "./begin";
import type { Claims } from "./claims";
import { findIdentity } from "./identities";
import { requireActive, userOf } from "./people";
import { providerOf, wayOf } from "./providers";
import { type Reason, SignInRefused } from "./refusals";
import { oidcStates } from "./table";

/** Takes a browser that comes back from a provider, and sends it on with a one-time code or with the reason for which there is none. */

export type State = typeof oidcStates.$inferSelect;

/** The way on of a browser: with a code, or with a reason. */
export type Outcome = { state: State | null } & ({ code: string } | { reason: Reason });

/** Clocks may differ by as much between a provider and this server. */
const SKEW = 1 * MINUTE;

/** Completes what `begin` began. A state counts once, even with an error, and for the browser that was sent alone. */
export async function finish(
  actor: AnyActor,
  name: string,
  answer: URLSearchParams,
  browserHash: string | null,
): Promise<Outcome> {
  let state: State | null = null;
  try {
    const provider = providerOf(name);
    const given = answer.get("state") ?? "";
    state = await takeState(actor, name, given, browserHash);
    const claims = await readAnswer(provider, state, given, answer);
    return { state, code: await settle(actor, state, claims) };
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    await note(actor, name, state, error);
    return { state, reason: error.reason };
  }
}

async function takeState(
  actor: AnyActor,
  name: string,
  given: string,
  browserHash: string | null,
): Promise<State> {
  const hash = hashToken(given);
  const row = db.select().from(oidcStates).where(eq(oidcStates.state_hash, hash)).get();
  if (!row || row.provider !== name) throw new SignInRefused("state_unknown");
  // Left for the browser that it is for: whoever saw the address must not end its sign-in.
  if (row.browser_hash !== null && row.browser_hash !== browserHash) throw new SignInRefused("other_browser");
  const taken = await transactAs(actor, () =>
    db.delete(oidcStates).where(eq(oidcStates.state_hash, hash)).returning().all().at(0),
  );
  if (!taken || !isUnexpired(taken.created_at, taken.expires_at)) throw new SignInRefused("state_unknown");
  return taken;
}

/** Does what the browser was sent for, in one transaction, and returns the code for it. */
function settle(actor: AnyActor, state: State, claims: Claims): Promise<string> {
  const provider = providerOf(state.provider);
  return transactAs(actor, () => {
    requireFresh(state, claims);
    const userId = state.purpose === "sign_in" ? userOf(actor, provider, claims) : starterOf(state, claims);
    return mintCode({
      browser_hash: state.browser_hash,
      provider: provider.name,
      purpose: state.purpose,
      user_id: userId,
      issuer: claims.issuer,
      subject: claims.subject,
      label: claims.label,
      authenticated_at: claims.authenticatedAt,
      code_challenge: state.code_challenge,
    });
  });
}

/** The user who links an identity, or proves by one of theirs who they are. Throws SignInRefused. */
function starterOf(state: State, { issuer, subject }: Claims): string {
  const userId = state.user_id ?? "";
  requireActive(userId);
  const owner = findIdentity(issuer, subject)?.user_id;
  if (state.purpose === "link") {
    if (owner !== undefined && owner !== userId) throw new SignInRefused("identity_taken", null, userId);
    return userId;
  }
  if (owner !== userId) throw new SignInRefused("other_identity", null, userId);
  return userId;
}

/**
 * Refuses a sign-in at the provider that is older than it may be. A provider may leave unheeded what it is asked for: its word about
 * the time counts. Throws SignInRefused.
 */
function requireFresh(state: State, { authenticatedAt }: Claims): void {
  const { max_age } = renewalOf({
    purpose: state.purpose,
    applicationRequest: state.application_request,
  });
  if (max_age === undefined) return;
  const earliest = Math.min(state.created_at, now() - Number(max_age) * SECOND) - SKEW;
  if (authenticatedAt === null || authenticatedAt < earliest)
    throw new SignInRefused(
      "not_fresh",
      authenticatedAt === null ? "the provider sends no auth_time" : "auth_time is too old",
      state.user_id,
    );
}

/** Reasons that strangers can bring about by any address: they leave no audit event. */
const BEFORE_THE_PROVIDER: readonly Reason[] = ["unknown_provider", "state_unknown", "other_browser"];

/** Logs a refusal, and records one of a provider's answer in the audit log. */
export async function note(
  actor: AnyActor,
  name: string,
  state: State | null,
  { reason, detail, userId }: SignInRefused,
): Promise<void> {
  const isEarly = BEFORE_THE_PROVIDER.includes(reason);
  // Strangers bring these about as often as they like.
  const isAnybodys = isEarly || state === null;
  if (!isAnybodys || mayLog(`oidc ${isEarly ? "" : name} ${reason}`))
    log.warn("a sign-in through a provider was refused", {
      provider: name.slice(0, 32),
      reason,
      ...(detail !== null && { detail }),
    });
  if (isEarly || state === null) return;
  const provider = providerOf(name);
  await transactAs(actor, () =>
    recordAudit({
      event_type: "login_failed",
      user_id: userId ?? state.user_id,
      status: "failure",
      error_message: `${wayOf(provider)}: ${reason}`,
    }),
  );
}
