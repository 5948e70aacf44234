import { actorOf, sessionActor } from "../../identity/access/actor";
import type { SessionCaller } from "../../identity/access/caller";
import { findUser } from "../../identity/directory/users";
import { authorize, obstacleOf, type StepsTaken } from "../../identity/oauth/authorize";
import { OAuthError } from "../../identity/oauth/errors";
import { issuerOf } from "../../identity/oauth/issuer";
import {
  type AuthorizationRequest,
  type Refused,
  readAuthorization,
  refusalAddress,
} from "../../identity/oauth/request";
import { describePermission } from "../../identity/oauth-clients/scopes";
import { type Fields, fieldsOf } from "../../kernel/http/form";
import { leadOn, readerOf } from "./layout";
import { consentPage, faultyPage, onwardPage, placeOf, signInPage } from "./pages";
import { signInChallenge } from "./passkey";
import { hasNoCookie, requireOwnForm, sessionOf } from "./session";
import { isTicketFor, ticketFor } from "./tickets";

/** The way of a browser through a sign-in to an application, from its request to its answer. */

const isRefused = (read: AuthorizationRequest | Refused): read is Refused => "error" in read;

/** Tells a client of a refusal by its browser. */
const refusal = (request: Request, to: Refused): Response => {
  const address = refusalAddress(to, issuerOf(request), to.error);
  // Leading any browser on, to an address that anybody may have registered, would lend them this server's name (RFC 9700,
  // section 4.11.2): the user is shown where it goes, unless nothing is to be shown.
  const isTrusted = to.client.is_first_party || to.isSilent;
  return isTrusted ? leadOn(address) : faultyPage(readerOf(request, to.uiLocales), to, address);
};

const refused = (
  to: AuthorizationRequest,
  code: "login_required" | "consent_required",
  why: string,
): Refused => ({
  ...{ client: to.client, redirectUri: to.redirectUri, state: to.state, uiLocales: to.uiLocales },
  error: new OAuthError(code, why),
  isSilent: true,
});

/**
 * Answers an authorization request as a client sent it by a browser. From another site that comes without the session's
 * cookie: the browser is led on by a page of this server, and brings it then.
 */
export async function begin(request: Request, fields: Fields): Promise<Response> {
  const read = readAuthorization(fields);
  if (isRefused(read)) return refusal(request, read);
  if (hasNoCookie(request) || request.method === "POST")
    return onwardPage(readerOf(request, read.uiLocales), `continue?${read.query}`, null);
  return goOn(request, read, undefined);
}

/** Goes on with a request that a page of this server led to. */
export async function proceed(request: Request, fields: Fields): Promise<Response> {
  const read = readAuthorization(fields);
  if (isRefused(read)) return refusal(request, read);
  return goOn(request, read, fields.values.signed_in);
}

/** The request in a form of these pages. Throws for one that a client could not have sent. */
export function requestIn({ values }: Fields): AuthorizationRequest {
  const read = readAuthorization(fieldsOf(values.request ?? ""));
  if (isRefused(read)) throw read.error;
  return read;
}

function takenBy(
  caller: SessionCaller | null,
  query: string,
  signedIn: string | undefined,
): Set<"signed in" | "agreed"> {
  const isSignedIn = caller !== null && isTicketFor(signedIn, "signed in", caller.id, query);
  return new Set(isSignedIn ? (["signed in"] as const) : []);
}

async function goOn(
  request: Request,
  read: AuthorizationRequest,
  signedIn: string | undefined,
): Promise<Response> {
  const caller = sessionOf(request);
  const issuer = issuerOf(request);
  const taken: StepsTaken = takenBy(caller, read.query, signedIn);
  const obstacle = await obstacleOf(read, caller, issuer, taken);
  if (obstacle === "sign-in" && read.prompts.has("none"))
    return refusal(request, refused(read, "login_required", "The user has to sign in"));
  // Somebody else signed in than the one whom the client expects.
  if (obstacle === "sign-in" && taken.has("signed in"))
    return refusal(request, refused(read, "login_required", "Another user has signed in"));
  if (obstacle === "consent" && read.prompts.has("none"))
    return refusal(request, refused(read, "consent_required", "The user has to be asked"));
  if (obstacle === "sign-in") return askToSignIn(request, read, caller);
  if (caller === null) throw new Error("a request without a session came past the sign-in");
  if (obstacle === "consent") return askForConsent(request, read, caller, signedIn);
  return leadOn(await authorize(sessionActor(actorOf(caller, request)), read, issuer));
}

function askToSignIn(request: Request, read: AuthorizationRequest, caller: SessionCaller | null): Response {
  const known = caller && findUser(caller.userId)?.username;
  return signInPage(readerOf(request, read.uiLocales), {
    request: read,
    challenge: signInChallenge(request),
    identifier: read.loginHint ?? (read.prompts.has("select_account") ? "" : (known ?? "")),
  });
}

function askForConsent(
  request: Request,
  read: AuthorizationRequest,
  caller: SessionCaller,
  signedIn: string | undefined,
): Response {
  const asked = read.scopes.map((scope) => {
    const description = describePermission(scope);
    return { scope, description, isHeld: description === undefined || caller.permissions.has(scope) };
  });
  return consentPage(readerOf(request, read.uiLocales), {
    request: read,
    asked,
    username: findUser(caller.userId)?.username ?? "",
    owner: findUser(read.client.owner_id)?.username ?? null,
    ticket: ticketFor("consent form", caller.id, read.query),
    signedIn,
  });
}

/** Takes the answer of a user to the question of consent. */
export async function decide(request: Request, form: Fields): Promise<Response> {
  requireOwnForm(request);
  const read = requestIn(form);
  const reader = readerOf(request, read.uiLocales);
  const { ticket, decision, signed_in: signedIn } = form.values;
  const caller = sessionOf(request);
  const again = `continue?${read.query}`;
  // The session ended meanwhile, or is another one: the request begins anew.
  if (caller === null || !isTicketFor(ticket, "consent form", caller.id, read.query))
    return onwardPage(reader, again, null);
  const issuer = issuerOf(request);
  const place = placeOf(read.redirectUri, reader.words);
  if (decision !== "allow") {
    const denied = new OAuthError("access_denied", "The user did not allow it");
    return onwardPage(reader, refusalAddress(read, issuer, denied), place);
  }
  const taken = takenBy(caller, read.query, signedIn).add("agreed");
  if ((await obstacleOf(read, caller, issuer, taken)) !== null) return onwardPage(reader, again, null);
  const address = await authorize(sessionActor(actorOf(caller, request)), read, issuer);
  return onwardPage(reader, address, place);
}
