import { actorOf, sessionActor } from "../../identity/access/actor";
import type { SessionCaller } from "../../identity/access/caller";
import { logout } from "../../identity/auth/service";
import { findUser } from "../../identity/directory/users";
import { invalidRequest } from "../../identity/oauth/errors";
import { readHint } from "../../identity/oauth/id-token";
import { issuerOf } from "../../identity/oauth/issuer";
import { type ClientRow, findActiveClient } from "../../identity/oauth-clients/find";
import { type Fields, fieldsOf } from "../../kernel/http/form";
import { isUuid } from "../../kernel/http/schema";
import { clearSession } from "../session";
import { leadOn, type Reader, readerOf } from "./layout";
import { onwardPage, placeOf, signedOutPage, signOutPage } from "./pages";
import { hasNoCookie, requireOwnForm, sessionOf } from "./session";
import { isTicketFor, ticketFor } from "./tickets";

/** Sign-outs that an application asks for (OpenID Connect RP-Initiated Logout 1.0). */

const PARAMETERS = ["id_token_hint", "post_logout_redirect_uri", "state", "client_id", "ui_locales"] as const;
const MOST = 4_096;

interface SignOutRequest {
  client: ClientRow | undefined;
  /** The user and the session that the ID token was about; null without a right one. */
  hint: { userId: string; sessionId: string | null } | null;
  /** The address to end up at, with `state`; null for none. */
  back: { address: string; place: string } | null;
  reader: Reader;
  /** The request as a query in a fixed form. */
  query: string;
}

/** Reads a request. Throws for an address that the client hasn't registered: such a browser is led nowhere (section 4). */
async function read(request: Request, { values, repeated }: Fields): Promise<SignOutRequest> {
  const form = new URLSearchParams();
  for (const name of PARAMETERS) {
    const value = values[name];
    if (repeated.has(name)) throw invalidRequest(`${name} stands there twice`);
    if (value && value.length > MOST) throw invalidRequest(`${name} is too long`);
    if (value) form.set(name, value);
  }
  const hint = values.id_token_hint ? await readHint(values.id_token_hint, issuerOf(request)) : null;
  const clientId = values.client_id?.toLowerCase();
  if (hint && clientId && clientId !== hint.clientId)
    throw invalidRequest("client_id is not the client that the ID token was issued to");
  const known = hint?.clientId ?? clientId ?? "";
  const client = isUuid(known) ? findActiveClient(known) : undefined;
  const reader = readerOf(request, values.ui_locales);
  const uri = values.post_logout_redirect_uri;
  if (uri && !client?.post_logout_redirect_uris.includes(uri))
    throw invalidRequest("This post_logout_redirect_uri is not registered for the client");
  const back = uri ? { address: withState(uri, values.state), place: placeOf(uri, reader.words) } : null;
  return { client, hint, back, reader, query: form.toString() };
}

const withState = (uri: string, state: string | undefined): string =>
  state ? `${uri}${uri.includes("?") ? "&" : "?"}${new URLSearchParams({ state })}` : uri;

/** Answers a request as an application sent it; from another site it comes without the session's cookie. */
export async function beginSignOut(request: Request, fields: Fields): Promise<Response> {
  const asked = await read(request, fields);
  if (hasNoCookie(request) || request.method === "POST")
    return onwardPage(asked.reader, `sign-out?${asked.query}`, null);
  return signOut(request, asked);
}

/** Goes on with a request that a page of this server led to. */
export const proceedSignOut = async (request: Request, fields: Fields): Promise<Response> =>
  signOut(request, await read(request, fields));

/**
 * Ends a session that the ID token is about at once; asks before it ends any other (section 2). Where there is none to end, the
 * ID token may be anybody's: whoever registered a client could lead strangers on in this server's name, so that these are shown
 * where the way goes, but for a client of the installation itself.
 */
async function signOut(request: Request, asked: SignOutRequest): Promise<Response> {
  const caller = sessionOf(request);
  const { hint, back, reader, query, client } = asked;
  if (caller === null)
    return hint && back && client?.is_first_party ? leadOn(back.address) : signedOutPage(reader, false, back);
  if (hint?.userId === caller.userId && hint.sessionId === caller.id) {
    const headers = await endSession(request, caller);
    return back ? leadOn(back.address, headers) : signedOutPage(reader, true, null, headers);
  }
  return signOutPage(reader, {
    client: client?.name ?? null,
    query,
    ticket: ticketFor("sign-out form", caller.id, query),
    username: findUser(caller.userId)?.username ?? "",
  });
}

/** Ends a session, and returns the headers that make the browser forget it. */
async function endSession(request: Request, caller: SessionCaller): Promise<Record<string, string>> {
  await logout(sessionActor(actorOf(caller, request)));
  const headers: Record<string, string> = {};
  clearSession(request, headers);
  return headers;
}

/** Takes the answer of a user to the question. Without the sign-out the browser stays: nothing was done to tell of. */
export async function decideSignOut(request: Request, form: Fields): Promise<Response> {
  requireOwnForm(request);
  const { back, reader, query } = await read(request, fieldsOf(form.values.request ?? ""));
  const caller = sessionOf(request);
  if (caller === null) return signedOutPage(reader, false, back);
  if (!isTicketFor(form.values.ticket, "sign-out form", caller.id, query))
    return onwardPage(reader, `sign-out?${query}`, null);
  if (form.values.decision !== "leave") return onwardPage(reader, "../", null);
  const headers = await endSession(request, caller);
  return back
    ? onwardPage(reader, back.address, back.place, headers)
    : signedOutPage(reader, true, null, headers);
}
