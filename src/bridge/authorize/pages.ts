import { config } from "../../configuration/config";
import type { AuthorizationRequest, Refused } from "../../identity/oauth/request";
import type { ClientRow } from "../../identity/oauth-clients/find";
import { type Html, html } from "./html";
import { answerPage, type Reader } from "./layout";
import type { Challenge } from "./passkey";
import type { Words } from "./words";

/** The pages of a sign-in to an application. */

/** The place that an answer goes to, as a person knows it. */
export function placeOf(redirectUri: string, words: Words): string {
  const { protocol, host } = new URL(redirectUri);
  if (protocol === "https:") return host;
  return protocol === "http:" ? words.thisDevice : words.appOnDevice(protocol.slice(0, -1));
}

/** The address of a request's page, in the language that is named. */
const inLanguage = (query: string, locale: string): string => {
  const form = new URLSearchParams(query);
  form.set("ui_locales", locale);
  return `continue?${form}`;
};

const other = ({ locale }: Reader): string => (locale === "de" ? "en" : "de");

const notice = (text: string | null): Html | null =>
  text === null ? null : html`<p class="notice bad" role="alert">${text}</p>`;

const hidden = (fields: Record<string, string | undefined>): Html[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  );

// --- Sign-in ----------------------------------------------------------------------------------------------

interface SignIn {
  request: AuthorizationRequest;
  /** A name to begin with. */
  identifier: string;
  stay?: boolean;
  /** The challenge that a passkey answers; null where the page can use none. */
  challenge: Challenge | null;
  failure?: string | null;
  status?: number;
  headers?: Record<string, string>;
}

/** A way in: a part of the page with what it asks for. */
type Way = (reader: Reader, page: SignIn) => Html;

const byPassword: Way = ({ words }, { request, identifier, stay = false }) => {
  // This page can't show a provider's challenge, and the server would refuse a password without one.
  if (config["bot_protection.provider"] !== null) return html`<p class="notice warn">${words.botCheck}</p>`;
  return html`<form class="way" method="post" action="sign-in">
${hidden({ request: request.query })}
<div class="field">
<label for="identifier">${words.identifier}</label>
<input id="identifier" name="identifier" type="text" value="${identifier}" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="320"${identifier === "" && html` autofocus`}>
</div>
<div class="field">
<label for="password">${words.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="128"${identifier !== "" && html` autofocus`}>
</div>
<label class="check"><input type="checkbox" name="stay" value="1"${stay && html` checked`}> ${words.stay}</label>
<button class="button main" type="submit">${words.signIn}</button>
</form>`;
};

/** A form that stays hidden until the script has found that the browser has passkeys. */
const passkeyForm = (
  { words }: Reader,
  challenge: Challenge,
  form: { action: string; button: string; fields: Record<string, string | undefined> },
): Html => html`<form class="way" method="post" action="${form.action}" data-passkey="${JSON.stringify(challenge)}" hidden>
${hidden({ ...form.fields, credential: "" })}
<p class="notice bad" role="alert" hidden>${words.noPasskey}</p>
<button class="button" type="submit">${form.button}</button>
</form>
<script type="module" src="passkey.js"></script>`;

const byPasskey: Way = (reader, { request, challenge }) =>
  challenge === null
    ? html``
    : passkeyForm(reader, challenge, {
        action: "passkey",
        button: reader.words.byPasskey,
        fields: { request: request.query, stay: "" },
      });

/** The ways in, in the order in which the page shows them. */
const WAYS: readonly Way[] = [byPassword, byPasskey];

const towards = ({ client, redirectUri }: AuthorizationRequest, words: Words): Html =>
  html`<p class="lead">${words.signInTo(client.name)} <span class="hint">(${placeOf(redirectUri, words)})</span></p>`;

export const signInPage = (reader: Reader, page: SignIn): Response =>
  answerPage(reader, {
    title: reader.words.signIn,
    status: page.status ?? 200,
    headers: page.headers ?? {},
    inOtherLanguage: inLanguage(page.request.query, other(reader)),
    content: html`${towards(page.request, reader.words)}
${notice(page.failure ?? null)}
${WAYS.map((way) => way(reader, page))}`,
  });

interface SecondFactor {
  request: AuthorizationRequest;
  tempToken: string;
  stay: boolean;
  /** The challenge that a passkey of the user answers; null where there is none, or the page can use none. */
  challenge: Challenge | null;
  failure?: string;
  status?: number;
  headers?: Record<string, string>;
}

export const codePage = (reader: Reader, page: SecondFactor): Response => {
  const { words } = reader;
  const { challenge } = page;
  const fields = {
    ...{ request: page.request.query, temp_token: page.tempToken, stay: page.stay ? "1" : undefined },
  };
  return answerPage(reader, {
    title: words.signIn,
    status: page.status ?? 200,
    headers: page.headers ?? {},
    content: html`${towards(page.request, words)}
<p>${words.codeLead}</p>
${notice(page.failure ?? null)}
<form class="way" method="post" action="code">
${hidden(fields)}
<div class="field">
<label for="code">${words.code}</label>
<input id="code" name="code" type="text" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" required maxlength="32" aria-describedby="code-hint" autofocus>
<span class="hint" id="code-hint">${words.codeHint}</span>
</div>
<button class="button main" type="submit">${words.confirm}</button>
</form>
${challenge && passkeyForm(reader, challenge, { action: "passkey-code", button: words.confirmByPasskey, fields })}
<a class="button quiet" href="continue?${page.request.query}">${words.startAgain}</a>`,
  });
};

// --- Consent ----------------------------------------------------------------------------------------------

/** A scope as the page shows it. */
export interface Asked {
  scope: string;
  /** The catalogue's words for a permission. */
  description: string | undefined;
  /** False for a permission that the user doesn't hold now. */
  isHeld: boolean;
}

interface ConsentPage {
  request: AuthorizationRequest;
  asked: readonly Asked[];
  username: string;
  /** Name of the user who registered the client. */
  owner: string | null;
  ticket: string;
  signedIn: string | undefined;
}

const wordsOf = ({ scope, description }: Asked, { scopes, permissions }: Words): string =>
  (scopes as Record<string, string>)[scope] ??
  (permissions as Record<string, string> | null)?.[scope] ??
  description ??
  scope;

const links = ({ privacy_policy_url, terms_of_service_url }: ClientRow, words: Words): Html[] =>
  (
    [
      [privacy_policy_url, words.privacy],
      [terms_of_service_url, words.terms],
    ] as const
  ).flatMap(([url, text]) =>
    url === null ? [] : [html`<a href="${url}" target="_blank" rel="noopener noreferrer">${text}</a> `],
  );

/** The same request, with another account to be chosen. */
function withOtherAccount(query: string): string {
  const form = new URLSearchParams(query);
  const prompts = (form.get("prompt") ?? "")
    .split(" ")
    .filter((prompt) => prompt !== "" && prompt !== "login");
  form.set("prompt", ["login", ...prompts].join(" "));
  form.delete("login_hint");
  return `continue?${form}`;
}

export const consentPage = (reader: Reader, page: ConsentPage): Response => {
  const { words } = reader;
  const { client, query, redirectUri } = page.request;
  return answerPage(reader, {
    title: words.consent(client.name),
    inOtherLanguage: inLanguage(query, other(reader)),
    content: html`${client.description !== null && html`<p class="lead">${client.description}</p>`}
<p id="asks">${words.consentLead}</p>
<ul class="permits" aria-labelledby="asks">
${page.asked.map(
  (
    asked,
  ) => html`<li><span>${wordsOf(asked, words)}</span>${!asked.isHeld && html`<span class="hint">${words.notHeld}</span>`}</li>
`,
)}</ul>
<form method="post" action="consent">
${hidden({ request: query, ticket: page.ticket, signed_in: page.signedIn })}
<div class="choices">
<button class="button" type="submit" name="decision" value="deny">${words.deny}</button>
<button class="button main" type="submit" name="decision" value="allow">${words.allow}</button>
</div>
</form>
<p class="hint">${words.backTo(placeOf(redirectUri, words))} ${page.owner !== null && words.registeredBy(page.owner)} ${words.revocable}</p>
<p class="hint">${links(client, words)}</p>
<p class="hint">${words.signedInAs(page.username)} <a href="${withOtherAccount(query)}">${words.otherAccount}</a></p>`,
  });
};

// --- Onward, and refusals ---------------------------------------------------------------------------------

/**
 * Takes a browser on by a page of its own. What follows is then no longer the answer to a form, which the policy lets go to
 * this server alone; and to this server it comes as from its own page, with the cookie of the session.
 */
export const onwardPage = (
  reader: Reader,
  address: string,
  place: string | null,
  headers: Record<string, string> = {},
): Response =>
  answerPage(reader, {
    title: reader.words.onward,
    onward: address,
    headers,
    content: html`${place !== null && html`<p>${reader.words.onwardLead(place)}</p>`}
<a class="button main" href="${address}">${reader.words.goOn}</a>`,
  });

/** A refusal that goes to nobody but the user: the request names no client that it could be told to. */
export const failurePage = (
  reader: Reader,
  {
    status,
    message,
    headers = {},
  }: { status: number; message: string; headers?: Record<string, string> | undefined },
  lead: string | null = reader.words.failedLead,
): Response =>
  answerPage(reader, {
    title: reader.words.failed,
    status,
    headers,
    content: html`${lead !== null && html`<p>${lead}</p>`}
<p class="notice bad" lang="${lead === null ? reader.locale : "en"}">${message}</p>`,
  });

/** A refusal that its user may take back to the client. */
export const faultyPage = (
  reader: Reader,
  { client, error, redirectUri }: Refused,
  address: string,
): Response => {
  const { words } = reader;
  return answerPage(reader, {
    title: words.faulty(client.name),
    status: 400,
    content: html`<p>${words.faultyLead}</p>
<p class="notice bad" lang="en">${error.message}</p>
<p class="hint">${words.backTo(placeOf(redirectUri, words))}</p>
<a class="button" href="${address}">${words.goOn}</a>`,
  });
};

// --- Sign-out ---------------------------------------------------------------------------------------------

interface SignOut {
  client: string | null;
  query: string;
  ticket: string;
  username: string;
}

export const signOutPage = (reader: Reader, { client, query, ticket, username }: SignOut): Response => {
  const { words } = reader;
  return answerPage(reader, {
    title: words.signOut,
    content: html`<p>${words.signOutLead(client)} ${words.signedInAs(username)}</p>
<form method="post" action="sign-out">
${hidden({ request: query, ticket })}
<div class="choices">
<button class="button" type="submit" name="decision" value="stay">${words.staySignedIn}</button>
<button class="button main" type="submit" name="decision" value="leave">${words.signOut}</button>
</div>
</form>`,
  });
};

/** The end of a sign-out, with the way back to the application where it named one. */
export const signedOutPage = (
  reader: Reader,
  wasSignedIn: boolean,
  back: { address: string; place: string } | null,
  headers: Record<string, string> = {},
): Response => {
  const { words } = reader;
  return answerPage(reader, {
    title: words.signedOut,
    headers,
    content: html`<p>${wasSignedIn ? words.signedOutLead : words.nothingToEnd}</p>
${back && html`<p class="hint">${words.onwardLead(back.place)}</p><a class="button main" href="${back.address}">${words.goOn}</a>`}`,
  });
};
