import { eq } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { now, SECOND } from "../../kernel/time/clock";
import { type SessionActor, transactAs } from "../access/actor";
import type { SessionCaller } from "../access/caller";
import { covers, keepConsent } from "../consents/service";
import { findActiveClient } from "../oauth-clients/find";
import { isAssured } from "../oauth-clients/redirect-uri";
import { sessions } from "../sessions/table";
import { OAuthError } from "./errors";
import { storeGrant } from "./grants";
import { readHint } from "./id-token";
import { type AuthorizationRequest, answerAddress } from "./request";

/** The decisions of the authorization endpoint: the next thing that a user has to do, and the code in the end. */

/** Steps that a user took for this very request in this session. */
export type StepsTaken = ReadonlySet<"signed in" | "agreed">;

/** The thing that stands between a request and its code; null if nothing does. */
export type Obstacle = "sign-in" | "consent" | null;

const signInOf = (caller: SessionCaller) =>
  db
    .select({ at: sessions.authenticated_at, amr: sessions.amr })
    .from(sessions)
    .where(eq(sessions.id, caller.id))
    .get();

/** The next thing that the user of a browser has to do for a request (OpenID Connect Core 1.0, section 3.1.2.3). */
export async function obstacleOf(
  request: AuthorizationRequest,
  caller: SessionCaller | null,
  issuer: string,
  taken: StepsTaken,
): Promise<Obstacle> {
  if (caller === null || (await needsSignIn(request, caller, issuer, taken))) return "sign-in";
  return needsConsent(request, caller.userId, taken) ? "consent" : null;
}

async function needsSignIn(
  { prompts, maxAge, idTokenHint }: AuthorizationRequest,
  caller: SessionCaller,
  issuer: string,
  taken: StepsTaken,
): Promise<boolean> {
  if (idTokenHint !== undefined && (await readHint(idTokenHint, issuer))?.userId !== caller.userId)
    return true;
  if (taken.has("signed in")) return false;
  if (prompts.has("login") || prompts.has("select_account")) return true;
  const signIn = signInOf(caller);
  return signIn === undefined || (maxAge !== undefined && now() - signIn.at > maxAge * SECOND);
}

/**
 * True where the user has to be asked: for more than was agreed to, by `prompt=consent`, and each time by a client whose
 * answers others on the same device could catch (RFC 8252, section 8.6). Never for a client of the installation itself.
 */
function needsConsent(
  { client, scopes, prompts, redirectUri }: AuthorizationRequest,
  userId: string,
  taken: StepsTaken,
): boolean {
  if (client.is_first_party || taken.has("agreed")) return false;
  const isUnsure = client.client_type === "public" && !isAssured(redirectUri);
  return prompts.has("consent") || isUnsure || !covers(userId, client.id, scopes);
}

/**
 * Lets a client act for the user of a session, and returns the address that its browser goes to, with a code. The consent,
 * where it is new, and the grant commit together. Throws for a client that ended meanwhile.
 */
export function authorize(
  actor: SessionActor,
  request: AuthorizationRequest,
  issuer: string,
): Promise<string> {
  const { client, scopes, redirectUri, codeChallenge, nonce } = request;
  const { caller } = actor;
  return transactAs(actor, () => {
    const signIn = signInOf(caller);
    if (!findActiveClient(client.id) || !signIn)
      throw new OAuthError("access_denied", "The client or the session has ended");
    const by = client.is_first_party ? "installation" : "user";
    const consentId = keepConsent(caller.userId, client, scopes, by);
    const code = storeGrant(
      {
        ...{ consentId, client, scopes, issuer, userId: caller.userId, sessionId: caller.id },
        ...{ authenticatedAt: signIn.at, amr: signIn.amr },
      },
      { redirectUri, codeChallenge, nonce },
    );
    return answerAddress(request, issuer, { code });
  });
}
