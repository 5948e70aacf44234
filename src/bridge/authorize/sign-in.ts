import { actorOf, sessionActor } from "../../identity/access/actor";
import { takeFromLimit } from "../../identity/access/limit";
import type { AuthResponse } from "../../identity/auth/schema";
import { LoginInput } from "../../identity/auth/schema";
import { login, loginLimit, logout } from "../../identity/auth/service";
import { verifyTwoFactorLogin } from "../../identity/auth/two-factor-login";
import type { AuthorizationRequest } from "../../identity/oauth/request";
import { PasskeySecondFactor, PasskeySignIn } from "../../identity/passkeys/schema";
import { signInByPasskey, verifySecondFactor } from "../../identity/passkeys/sign-in";
import { ChallengeInput } from "../../identity/two-factor/schema";
import { countSignInFrom, countSignInOf } from "../../identity/two-factor-codes/tries";
import { AppError } from "../../kernel/errors/errors";
import { addressBlock, clientAddress } from "../../kernel/http/client";
import type { Fields } from "../../kernel/http/form";
import { checked } from "../../kernel/http/validation";
import { keepSession } from "../session";
import { requestIn } from "./flow";
import { type Reader, readerOf } from "./layout";
import { codePage, onwardPage, signInPage } from "./pages";
import { credentialIn, secondChallenge, signInChallenge } from "./passkey";
import { requireOwnForm, sessionOf } from "./session";
import { ticketFor } from "./tickets";
import type { Words } from "./words";

/** The forms of a sign-in: by the functions of `/v1/auth`, with their limits and their equal answers. */

type Headers = Record<string, string>;

/** The words of a refusal. One whose words are about what was typed is like that of a wrong password or code. */
function reasonOf(error: AppError, { refusals }: Words, wrong: string): string {
  switch (error.name) {
    case "TooManyRequests":
      return refusals.TooManyRequests(error.headers?.["retry-after"] ?? "60");
    case "AccountBanned":
    case "Forbidden":
    case "TwoFactorLocked":
    case "ServiceUnavailable":
      return refusals[error.name];
    default:
      return wrong;
  }
}

/** The headers of an answer, as far as they were set while it was made. */
const textOf = (headers: Record<string, string | number>): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Takes name and password. */
export async function takePassword(request: Request, form: Fields): Promise<Response> {
  requireOwnForm(request);
  const read = requestIn(form);
  const reader = readerOf(request, read.uiLocales);
  const { identifier = "", password = "", stay } = form.values;
  const headers: Record<string, string | number> = {};
  try {
    takeFromLimit(loginLimit, addressBlock(clientAddress(request)), headers);
    const answer = await login(actorOf(null, request), checked(LoginInput, { identifier, password }));
    if (answer.temp_token === undefined) return await signedIn(request, read, reader, answer, stay === "1");
    const challenge = secondChallenge(request, answer.temp_token);
    return codePage(reader, { request: read, tempToken: answer.temp_token, stay: stay === "1", challenge });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return signInPage(reader, {
      ...{ request: read, identifier, stay: stay === "1", challenge: signInChallenge(request) },
      failure: reasonOf(error, reader.words, reader.words.refusals.wrongPassword),
      ...refusedBy(error, headers),
    });
  }
}

/** The status and the headers of a page that tells of a refusal. What was typed in a wrong form is wrong. */
const refusedBy = (error: AppError, headers: Record<string, string | number>) => ({
  status: error.status === 400 ? 401 : error.status,
  headers: { ...textOf(headers), ...error.headers },
});

/** Takes a passkey in place of name and password. */
export async function takePasskey(request: Request, form: Fields): Promise<Response> {
  requireOwnForm(request);
  const read = requestIn(form);
  const reader = readerOf(request, read.uiLocales);
  const stays = form.values.stay === "1";
  const headers: Record<string, string | number> = {};
  try {
    takeFromLimit(loginLimit, addressBlock(clientAddress(request)), headers);
    const { credential } = checked(PasskeySignIn, { credential: credentialIn(form) });
    const answer = await signInByPasskey(actorOf(null, request), credential);
    return await signedIn(request, read, reader, answer, stays);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return signInPage(reader, {
      ...{ request: read, identifier: "", stay: stays, challenge: signInChallenge(request) },
      failure: reasonOf(error, reader.words, reader.words.refusals.wrongPasskey),
      ...refusedBy(error, headers),
    });
  }
}

/** Takes a passkey in place of the code of a second factor. */
export async function takePasskeyAsCode(request: Request, form: Fields): Promise<Response> {
  requireOwnForm(request);
  const read = requestIn(form);
  const reader = readerOf(request, read.uiLocales);
  const { temp_token = "", stay } = form.values;
  const headers: Record<string, string | number> = {};
  const actor = actorOf(null, request);
  try {
    countSignInFrom(clientAddress(request), headers);
    const given = checked(PasskeySecondFactor, { temp_token, credential: credentialIn(form) });
    countSignInOf(given.temp_token, actor.client, headers);
    return await signedIn(request, read, reader, await verifySecondFactor(actor, given), stay === "1");
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return codePage(reader, {
      ...{ request: read, tempToken: temp_token, stay: stay === "1" },
      challenge: secondChallenge(request, temp_token),
      failure: reasonOf(error, reader.words, reader.words.refusals.wrongPasskey),
      ...refusedBy(error, headers),
    });
  }
}

/** Takes the code of a second factor. */
export async function takeCode(request: Request, form: Fields): Promise<Response> {
  requireOwnForm(request);
  const read = requestIn(form);
  const reader = readerOf(request, read.uiLocales);
  const { temp_token = "", code = "", stay } = form.values;
  const headers: Record<string, string | number> = {};
  const actor = actorOf(null, request);
  try {
    countSignInFrom(clientAddress(request), headers);
    const challenge = checked(ChallengeInput, { temp_token, code: code.trim() });
    countSignInOf(challenge.temp_token, actor.client, headers);
    return await signedIn(request, read, reader, await verifyTwoFactorLogin(actor, challenge), stay === "1");
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return codePage(reader, {
      ...{ request: read, tempToken: temp_token, stay: stay === "1" },
      challenge: secondChallenge(request, temp_token),
      failure: reasonOf(error, reader.words, reader.words.refusals.wrongCode),
      ...refusedBy(error, headers),
    });
  }
}

/** Puts a new session into the cookie, in the place of the one before, which ends, and goes on with the request. */
async function signedIn(
  request: Request,
  read: AuthorizationRequest,
  reader: Reader,
  answer: AuthResponse,
  stays: boolean,
): Promise<Response> {
  const headers: Record<string, string | number> = {};
  keepSession(request, headers, answer, stays);
  const former = sessionOf(request);
  if (former) await logout(sessionActor(actorOf(former, request)));
  const ticket = ticketFor("signed in", answer.session_id ?? "", read.query);
  return onwardPage(reader, `continue?${read.query}&signed_in=${ticket}`, null, textOf(headers));
}
