import { actorOf } from "../../identity/access/actor";
import { issuerOf } from "../../identity/oauth/issuer";
import { begin, callbackOf, permittedRedirect } from "../../identity/oidc/begin";
import { finish, note, type Outcome } from "../../identity/oidc/callback";
import { findProvider } from "../../identity/oidc/providers";
import { type Reason, SignInRefused } from "../../identity/oidc/refusals";
import { browserHash, markBrowser } from "../../identity/oidc-codes/browser";
import { type AppError, badRequest, invalid } from "../../kernel/errors/errors";
import { letWait } from "../../kernel/http/client";
import { type Fields, queryOf } from "../../kernel/http/form";
import { requestIn } from "../authorize/flow";
import { html } from "../authorize/html";
import { answerPage, leadOn, readerOf } from "../authorize/layout";
import { onwardPage } from "../authorize/pages";
import { WORDS } from "./words";

/** The way of a browser to a provider and back. */

type Headers = Record<string, string>;

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const MAX_STATE = 512;
const MAX_REQUEST = 6_000;

/** Destination after the sign-in, as the query of its beginning names it. Throws 400. */
function destinationIn({ values, repeated }: Fields) {
  if (repeated.size > 0) throw badRequest("A parameter stands there twice");
  const { redirect_uri, state, code_challenge, code_challenge_method = "S256", request } = values;
  if (redirect_uri === undefined) {
    if ((request ?? "").length > MAX_REQUEST) throw invalid("/request", "is too long");
    return { redirectUri: null, clientState: null, codeChallenge: null, applicationRequest: request ?? null };
  }
  if (code_challenge_method !== "S256") throw invalid("/code_challenge_method", "must be S256");
  if (!CHALLENGE.test(code_challenge ?? ""))
    throw invalid("/code_challenge", "is required with redirect_uri: 43 characters of base64url");
  if ((state ?? "").length > MAX_STATE) throw invalid("/state", `must have at most ${MAX_STATE} characters`);
  return {
    redirectUri: permittedRedirect(redirect_uri),
    clientState: state ?? null,
    codeChallenge: code_challenge ?? null,
    applicationRequest: null,
  };
}

/** The mark of a browser that was led to the configured address once: a proxy may hide that it came by it. */
const LED = "led";

/**
 * Sends a browser to a provider. One that came by another name than the configured one is led there first: its cookie has to be there
 * when it comes back.
 */
export async function beginSignIn(request: Request, name: string): Promise<Response> {
  // Before anything else: the name of a known one is fit for an address.
  if (!findProvider(name)) return refusalPage(request, name, "unknown_provider", "../../../", null);
  const fields = queryOf(request);
  const destination = destinationIn(fields);
  const base = issuerOf(request);
  const url = new URL(request.url);
  const host = URL.parse(`http://${request.headers.get("host")}`)?.hostname;
  if (host !== new URL(base).hostname && fields.values[LED] === undefined) {
    url.searchParams.set(LED, "1");
    return leadOn(`${base}/v1/auth/oidc/${name}${url.search}`);
  }
  // One that its client could not have sent would be refused only after the way there and back.
  if (destination.applicationRequest !== null)
    requestIn({ values: { request: destination.applicationRequest }, repeated: new Set() });
  const actor = actorOf(null, request);
  const headers: Headers = {};
  try {
    const hash = markBrowser(request, headers);
    const beginning = { purpose: "sign_in", userId: null, base, browserHash: hash, ...destination } as const;
    const onward = await letWait(request, () => begin(actor, name, beginning));
    return leadOn(onward, headers);
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    await note(actor, name, null, error);
    const { redirectUri, clientState } = destination;
    return redirectUri === null
      ? refusalPage(request, name, error.reason, "../../../", destination.applicationRequest)
      : leadOn(withAnswer(redirectUri, { error: error.reason }, clientState));
  }
}

/** Takes a browser that a provider has sent back. */
export async function takeBack(request: Request, name: string): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const outcome = await letWait(request, () =>
    finish(actorOf(null, request), name, searchParams, browserHash(request)),
  );
  const { state } = outcome;
  if (state?.redirect_uri)
    return leadOn(withAnswer(state.redirect_uri, answerOf(outcome), state.client_state));
  if (state === null || "reason" in outcome)
    return refusalPage(
      request,
      name,
      "reason" in outcome ? outcome.reason : "state_unknown",
      "../../../../",
      state?.application_request ?? null,
      state?.purpose !== "link" && state?.purpose !== "reauthenticate",
    );
  const base = state.callback.slice(0, -callbackOf("", name).length);
  // By a page of its own: to what follows, the browser comes from this server, with all its cookies.
  const onward =
    state.application_request === null
      ? `${base}/#/elsewhere/${state.purpose}/${outcome.code}`
      : `${base}/oauth/elsewhere?${new URLSearchParams({ code: outcome.code, request: state.application_request })}`;
  return onwardPage(readerOf(request), onward, null, {}, "../../../../");
}

const answerOf = (outcome: Outcome): Record<string, string> =>
  "code" in outcome ? { code: outcome.code } : { error: outcome.reason };

/** The address of a client with an answer. */
function withAnswer(address: string, answer: Record<string, string>, state: string | null): string {
  const url = new URL(address);
  for (const [key, value] of Object.entries({ ...answer, ...(state !== null && { state }) }))
    url.searchParams.set(key, value);
  return url.href;
}

const STATUS: Partial<Record<Reason, number>> = { unknown_provider: 404, provider_unreachable: 503 };

/** The page that says why a sign-in ended without one, and where to look. */
function refusalPage(
  request: Request,
  name: string,
  reason: Reason,
  root: string,
  applicationRequest: string | null,
  isSignIn = true,
): Response {
  const query = applicationRequest === null ? "" : `?${new URLSearchParams({ request: applicationRequest })}`;
  const reader = readerOf(request);
  const words = WORDS[reader.locale];
  const provider = findProvider(name);
  const [why, advice] = words.reasons[reason](provider?.display_name ?? name);
  return answerPage(reader, {
    title: words.title,
    status: STATUS[reason] ?? 400,
    root,
    content: html`<p class="notice bad" role="alert">${why}</p>
<p>${advice}</p>
${provider && isSignIn && html`<a class="button main" href="${root}v1/auth/oidc/${name}${query}">${words.again}</a>`}
<a class="button" href="${root}">${words.back}</a>
<p class="hint"><code>${reason}</code></p>`,
  });
}

/** The page for a request that is refused before a provider is asked, such as for its limit. */
export function failurePage(request: Request, error: AppError, root: string): Response {
  const reader = readerOf(request);
  const { refusals, failed } = reader.words;
  const text =
    error.name === "TooManyRequests"
      ? refusals.TooManyRequests(error.headers?.["retry-after"] ?? "60")
      : error.message;
  return answerPage(reader, {
    title: failed,
    status: error.status,
    root,
    ...(error.headers && { headers: error.headers }),
    content: html`<p class="notice bad"${error.name !== "TooManyRequests" && html` lang="en"`}>${text}</p>`,
  });
}
