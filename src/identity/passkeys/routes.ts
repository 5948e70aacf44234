import { Elysia } from "elysia";
import { config } from "../../configuration/config";
import { errors, NoContent, Page, Single } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import { sessionActor } from "../access/actor";
import { guard, type RateRule } from "../access/guard";
import { AuthResponse } from "../auth/schema";
import { loginLimit } from "../auth/service";
import { countSignInOf, signInCodeLimit } from "../two-factor-codes/tries";
import { CreationOptions, RequestOptions } from "../webauthn/schema";
import { addPasskey, registrationOptions } from "./registration";
import {
  NewPasskey,
  Passkey,
  PasskeyChallenge,
  PasskeyChange,
  PasskeySecondFactor,
  PasskeySignIn,
} from "./schema";
import { listPasskeys, removePasskey, renamePasskey } from "./service";
import { secondFactorOptions, signInByPasskey, signInOptions, verifySecondFactor } from "./sign-in";

/** Challenges of one address: as many as it may sign in. */
const optionsLimit: RateRule = { name: "passkey-options", rate: () => config["rate_limit.login"] };

const ONCE = "The challenge counts once, and for 5 minutes.";
const WHERE = "409 `PasskeysUnavailable` where `server.public_url` permits no passkeys.";
const RECENT =
  "Needs a session in which the user signed in, or proved who they are, within the last 10 minutes, or within `auth.reauthentication_minutes` where that is less; otherwise 403 `ReauthenticationRequired`.";

export const passkeySignInRoutes = new Elysia({ prefix: "/v1/auth", tags: ["Authentication"] })
  .use(guard)
  .post("/passkeys/options", () => signInOptions(), {
    open: { limit: optionsLimit },
    response: { 200: RequestOptions, ...errors(409) },
    detail: {
      operationId: "askForPasskey",
      summary: "Ask for a passkey",
      description: `A challenge for \`navigator.credentials.get()\`: any passkey of this server answers it, and no username is asked for. ${ONCE} ${WHERE}`,
    },
  })
  .post("/passkeys/verify", ({ actor, body }) => signInByPasskey(actor, body.credential), {
    open: { limit: loginLimit },
    body: PasskeySignIn,
    response: { 200: AuthResponse, ...errors(401, 403, 409) },
    detail: {
      operationId: "signInWithPasskey",
      summary: "Sign in with a passkey",
      description: `Opens a session of 30 days by the answer to a challenge of \`POST /v1/auth/passkeys/options\`. The authenticator has verified its user, by fingerprint, face or PIN: a passkey counts as both factors, and no code is asked for. An unknown passkey, a wrong signature, a challenge that was used, a counter that went back, and a user who was deleted get the same 401; with a passkey that is right, a banned user gets 403 \`AccountBanned\`. Attempts are limited per address, together with sign-ins with a password. ${WHERE}`,
    },
  })
  .post(
    "/2fa/passkey/options",
    ({ actor, body, set }) => {
      countSignInOf(body.temp_token, actor.client, set.headers);
      return secondFactorOptions(body.temp_token);
    },
    {
      open: { limit: signInCodeLimit },
      body: PasskeyChallenge,
      response: { 200: RequestOptions, ...errors(401, 409) },
      detail: {
        operationId: "askForPasskeyAsSecondFactor",
        summary: "Ask for a passkey as the second factor",
        description: `A challenge for the passkeys of the user whose \`temp_token\` it is, in place of a code. ${ONCE} 401 for a token that is not valid, 409 for a user without a passkey. ${WHERE}`,
      },
    },
  )
  .post(
    "/2fa/passkey/verify",
    ({ actor, body, set }) => {
      countSignInOf(body.temp_token, actor.client, set.headers);
      return verifySecondFactor(actor, body);
    },
    {
      open: { limit: signInCodeLimit },
      body: PasskeySecondFactor,
      response: { 200: AuthResponse, ...errors(401, 403, 409) },
      detail: {
        operationId: "completeSignInWithPasskey",
        summary: "Complete a sign-in with a passkey",
        description: `Takes the \`temp_token\` of the first step and the answer to a challenge of \`POST /v1/auth/2fa/passkey/options\`, and opens the session. Five answers that aren't accepted end the token. 401 if either is wrong. Works also while codes are locked after too many wrong ones, if the token was issued before. ${WHERE}`,
      },
    },
  );

const path = "/v1/users/me/passkeys";
const DEFAULT_LIMIT = 20;

export const ownPasskeyRoutes = new Elysia({ prefix: path, tags: ["Passkeys"] })
  .use(guard)
  .get(
    "",
    ({ actor, query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      const all = listPasskeys(sessionActor(actor).caller.userId);
      const start = (asked.page - 1) * asked.limit;
      const rows = all.slice(start, start + asked.limit);
      return page(path, asked, { rows, total: all.length }, request);
    },
    {
      access: "session",
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("PasskeyPage", Passkey) },
      detail: {
        operationId: "listOwnPasskeys",
        summary: "List the caller's passkeys",
        description: "Newest first; at most 20. Their keys are never shown.",
      },
    },
  )
  .post("/options", ({ actor }) => registrationOptions(sessionActor(actor)), {
    access: "session",
    response: { 200: CreationOptions, ...errors(403, 409) },
    detail: {
      operationId: "askForNewPasskey",
      summary: "Ask for a new passkey",
      description: `A challenge for \`navigator.credentials.create()\`, which the same session answers. ${ONCE} 409 for a user who has 20 passkeys. ${RECENT} ${WHERE}`,
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const passkey = await addPasskey(sessionActor(actor), body);
      set.status = 201;
      set.headers.location = `${path}/${passkey.id}`;
      return single(passkey, `${path}/${passkey.id}`);
    },
    {
      access: "session",
      body: NewPasskey,
      response: { 201: Single(Passkey), ...errors(403, 409) },
      detail: {
        operationId: "addPasskey",
        summary: "Add a passkey",
        description: `Adds the answer to a challenge of \`POST /v1/users/me/passkeys/options\` to the caller's account; an email tells the user. Without \`name\` it has that of its authenticator. 400 for an answer that can't be accepted, such as one without a verified user; 409 for a passkey that is registered already, and for more than 20. ${RECENT} ${WHERE}`,
      },
    },
  )
  .patch(
    "/:id",
    async ({ actor, params, body }) =>
      single(await renamePasskey(sessionActor(actor), params.id, body), `${path}/${params.id}`),
    {
      access: "session",
      params: IdParams,
      body: PasskeyChange,
      response: { 200: Single(Passkey), ...errors(404) },
      detail: {
        operationId: "renamePasskey",
        summary: "Rename a passkey",
        description: "Changes the name of one of the caller's passkeys.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await removePasskey(sessionActor(actor), params.id);
      set.status = 204;
    },
    {
      access: "session",
      params: IdParams,
      response: { 204: NoContent, ...errors(403, 404, 409) },
      detail: {
        operationId: "removePasskey",
        summary: "Remove a passkey",
        description: `Removes one of the caller's passkeys from the account; an email tells the user. The authenticator keeps its half, which opens nothing any more. 409 for the last way in: an account without a password and without a linked account that can be signed in with keeps one. ${RECENT}`,
      },
    },
  );
