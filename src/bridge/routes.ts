import { Elysia } from "elysia";
import { sessionActor } from "../identity/access/actor";
import { guard } from "../identity/access/guard";
import { lend } from "../identity/access/request-caller";
import { login, loginLimit, logout } from "../identity/auth/service";
import { verifyTwoFactorLogin } from "../identity/auth/two-factor-login";
import { exchangeLimit } from "../identity/oidc/begin";
import { exchangeCode } from "../identity/oidc/exchange";
import { browserHash } from "../identity/oidc-codes/browser";
import { signInByPasskey, verifySecondFactor } from "../identity/passkeys/sign-in";
import { countSignInOf, signInCodeLimit } from "../identity/two-factor-codes/tries";
import { relyingParty } from "../identity/webauthn/relying-party";
import { errors, file, Single } from "../kernel/http/answers";
import { single } from "../kernel/http/envelopes";
import { listensToItselfAlone, reachableAddresses } from "../kernel/http/own-addresses";
import { characters, t } from "../kernel/http/schema";
import { newDownload, takeDownload } from "./downloads";
import {
  Download,
  NewDownload,
  PageAddresses,
  PageChallenge,
  PageCode,
  PageLogin,
  PagePasskey,
  PagePasskeyChallenge,
  PageSession,
  PageState,
} from "./schema";
import { clearSession, isOpen, keepSession, requirePage } from "./session";

const PAGE =
  "For the pages of this server: needs the header `X-Fairlead-Page: 1` and, where `Origin` is sent, the own one.";

const SignedOut = t.Void({
  description: "Done; the body is empty",
  "x-headers": ["Set-Cookie", "Clear-Site-Data"],
});

const TokenParams = t.Object({
  token: characters({
    minLength: 1,
    maxLength: 128,
    description: "The token of the address",
    examples: ["0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ"],
  }),
});

/** The doors of the Bridge. `answer` answers a request as the server does. */
export const bridgeRoutes = (answer: (request: Request) => Promise<Response>) =>
  new Elysia({ prefix: "/bridge", tags: ["Bridge"] })
    .use(guard)
    .post(
      "/session",
      async ({ actor, body: { stay_signed_in, ...body }, request, set }) => {
        requirePage(request);
        return keepSession(request, set.headers, await login(actor, body), stay_signed_in);
      },
      {
        open: { limit: loginLimit },
        body: PageLogin,
        response: { 200: PageSession, ...errors(401, 403) },
        detail: {
          operationId: "signInOnPage",
          summary: "Sign in on a page",
          description: `\`POST /v1/auth/login\` for a page: the session's token goes into the cookie \`fairlead_session\`, over https \`__Host-fairlead_session\`, which no script can read. ${PAGE}`,
        },
      },
    )
    .post(
      "/session/2fa",
      async ({ actor, body: { stay_signed_in, ...body }, request, set }) => {
        requirePage(request);
        countSignInOf(body.temp_token, actor.client, set.headers);
        return keepSession(request, set.headers, await verifyTwoFactorLogin(actor, body), stay_signed_in);
      },
      {
        open: { limit: signInCodeLimit },
        body: PageChallenge,
        response: { 200: PageSession, ...errors(401, 403) },
        detail: {
          operationId: "completeSignInOnPage",
          summary: "Complete a sign-in on a page with the second factor",
          description: `\`POST /v1/auth/2fa/verify\` for a page. ${PAGE}`,
        },
      },
    )
    .post(
      "/session/passkey",
      async ({ actor, body, request, set }) => {
        requirePage(request);
        const session = await signInByPasskey(actor, body.credential);
        return keepSession(request, set.headers, session, body.stay_signed_in);
      },
      {
        open: { limit: loginLimit },
        body: PagePasskey,
        response: { 200: PageSession, ...errors(401, 403, 409) },
        detail: {
          operationId: "signInOnPageWithPasskey",
          summary: "Sign in on a page with a passkey",
          description: `\`POST /v1/auth/passkeys/verify\` for a page, with a challenge of \`POST /v1/auth/passkeys/options\`. ${PAGE}`,
        },
      },
    )
    .post(
      "/session/2fa/passkey",
      async ({ actor, body: { stay_signed_in, ...body }, request, set }) => {
        requirePage(request);
        countSignInOf(body.temp_token, actor.client, set.headers);
        return keepSession(request, set.headers, await verifySecondFactor(actor, body), stay_signed_in);
      },
      {
        open: { limit: signInCodeLimit },
        body: PagePasskeyChallenge,
        response: { 200: PageSession, ...errors(401, 403, 409) },
        detail: {
          operationId: "completeSignInOnPageWithPasskey",
          summary: "Complete a sign-in on a page with a passkey",
          description: `\`POST /v1/auth/2fa/passkey/verify\` for a page, with a challenge of \`POST /v1/auth/2fa/passkey/options\`. ${PAGE}`,
        },
      },
    )
    .post(
      "/session/oidc",
      async ({ actor, body: { code, stay_signed_in }, request, set }) => {
        requirePage(request);
        const holder = { browserHash: browserHash(request) };
        return keepSession(request, set.headers, await exchangeCode(actor, code, holder), stay_signed_in);
      },
      {
        open: { limit: exchangeLimit },
        body: PageCode,
        response: { 200: PageSession, ...errors(401, 403) },
        detail: {
          operationId: "signInOnPageThroughProvider",
          summary: "Sign in on a page through a provider",
          description: `\`POST /v1/auth/oidc/session\` for a page, whose browser was sent to the provider and came back: the code counts in that browser alone. ${PAGE}`,
        },
      },
    )
    .get(
      "/session",
      ({ request, set }) => {
        requirePage(request);
        set.headers["cache-control"] = "no-store";
        return { is_open: isOpen(request), passkey_origins: relyingParty()?.origins ?? [] };
      },
      {
        open: true,
        response: { 200: PageState, ...errors(401) },
        detail: {
          operationId: "getSessionOfPage",
          summary: "Ask if a page is signed in",
          description: `Tells if the cookie of the page holds a session that still counts. ${PAGE}`,
        },
      },
    )
    .delete(
      "/session",
      async ({ actor, request, set }) => {
        requirePage(request);
        await logout(sessionActor(actor));
        clearSession(request, set.headers);
        set.status = 204;
      },
      {
        access: "session",
        response: { 204: SignedOut },
        detail: {
          operationId: "signOutOfPage",
          summary: "Sign out of a page",
          description: `Ends the session and clears its cookie. ${PAGE}`,
        },
      },
    )
    .get(
      "/addresses",
      ({ request }) => {
        requirePage(request);
        return { addresses: reachableAddresses(), is_closed: listensToItselfAlone() };
      },
      {
        access: "session",
        response: { 200: PageAddresses },
        detail: {
          operationId: "getAddressesOfServer",
          summary: "Ask how other machines reach the server",
          description: `Addresses for links and QR codes, from a page that was opened on the server's own machine. ${PAGE}`,
        },
      },
    )
    .post(
      "/downloads",
      ({ actor, body, request, set }) => {
        requirePage(request);
        const download = newDownload(actor.caller, body.path);
        set.status = 201;
        return single(download, `/${download.url}`);
      },
      {
        access: "session",
        body: NewDownload,
        response: { 201: Single(Download) },
        detail: {
          operationId: "createDownload",
          summary: "Make an address for a download",
          description: `Makes an address at which a browser gets what GET answers the session at a path: good once, and for a minute. ${PAGE}`,
        },
      },
    )
    .get(
      "/downloads/:token",
      ({ params, request }) => {
        const { caller, path } = takeDownload(params.token);
        const { origin } = new URL(request.url);
        return answer(
          lend(new Request(`${origin}${path}`, { headers: request.headers, signal: request.signal }), caller),
        );
      },
      {
        open: true,
        params: TokenParams,
        response: { 200: file("*/*", "The file, in its own type"), ...errors(404) },
        detail: {
          operationId: "openDownload",
          summary: "Open a download",
          description:
            "The file behind an address of `POST /bridge/downloads`, and the errors of its own path.",
        },
      },
    );
