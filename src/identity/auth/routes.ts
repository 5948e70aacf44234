import { Elysia } from "elysia";
import { config } from "../../configuration/config";
import { AppError } from "../../kernel/errors/errors";
import { errors, Message } from "../../kernel/http/answers";
import { sessionActor } from "../access/actor";
import { guard, type RateRule } from "../access/guard";
import { passwordLimit } from "../passwords/limit";
import { ChallengeInput, CheckInput, CheckResult } from "../two-factor/schema";
import { countSignInOf, signInCodeLimit } from "../two-factor-codes/tries";
import { changePassword, completePasswordReset, requestPasswordReset } from "./password-reset";
import { register, verifyEmail, verifyRegistration } from "./registration";
import {
  AuthResponse,
  LoginInput,
  PasswordChange,
  RegisterInput,
  RegistrationPending,
  ResetCompletion,
  ResetRequest,
  TokenInput,
  VerifiedEmail,
} from "./schema";
import { login, loginLimit, logout } from "./service";
import { checkTwoFactor, verifyTwoFactorLogin } from "./two-factor-login";

const registerLimit: RateRule = { name: "register", rate: () => config["rate_limit.register"] };
const resetLimit: RateRule = { name: "reset-password", rate: () => config["rate_limit.reset_password"] };

function notImplemented(): never {
  throw new AppError("NotImplemented", "Authentication is not implemented here; use POST /v1/auth/login");
}

const nothingHere = {
  open: true,
  response: errors(501),
  detail: {
    deprecated: true,
    description: "Kept for old clients: always answers 501. Sign in with `POST /v1/auth/login`.",
  },
} as const;

export const authRoutes = new Elysia({ prefix: "/v1/auth", tags: ["Authentication"] })
  .use(guard)
  .post("/register", ({ actor, body }) => register(actor, body), {
    open: { limit: registerLimit },
    body: RegisterInput,
    response: { 200: RegistrationPending, ...errors(409) },
    detail: {
      operationId: "register",
      summary: "Register",
      description:
        "Starts a registration: sends an email with a link, valid for 24 hours; only the token in it creates the account. The username and the address are held for 10 minutes; after that somebody else may register them, and whoever verifies first gets them. While one registration is pending, further ones hold the name and the address only against the client address that sent them, and the fourth for one email address does so for an hour. An email address receives at most 16 registration emails an hour. 400 when registration is off, for an unacceptable password or a failed bot-protection check; 409 when the username or the address is taken or held; 500 when the email could not be sent, which leaves nothing behind.",
    },
  })
  .post(
    "/register/verify",
    async ({ actor, body, set }) => {
      const session = await verifyRegistration(actor, body.token);
      set.status = 201;
      set.headers.location = `/v1/users/${session.user_id}`;
      return session;
    },
    {
      open: true,
      body: TokenInput,
      response: { 201: AuthResponse, ...errors(403, 409) },
      detail: {
        operationId: "completeRegistration",
        summary: "Complete a registration",
        description:
          "Creates the account with the token of the email and signs in. 400 for a token that is not valid, was used or has expired; 409 when the username or the address was taken meanwhile.",
      },
    },
  )
  .post("/verify-email", ({ actor, body }) => verifyEmail(actor, body.token), {
    open: true,
    body: TokenInput,
    response: { 200: VerifiedEmail, ...errors(403, 409) },
    detail: {
      operationId: "verifyEmailAddress",
      summary: "Verify an email address",
      description:
        "Applies whatever the token of an email proves: a registration, a change of address or a linked address. Opens no session. 400 for a token that is not valid, was used or has expired; 409 when the name or the address is in use.",
    },
  })
  .post("/login", ({ actor, body }) => login(actor, body), {
    open: { limit: loginLimit },
    body: LoginInput,
    response: { 200: AuthResponse, ...errors(401, 403) },
    detail: {
      operationId: "signInWithPassword",
      summary: "Sign in with password",
      description:
        "Signs in with username or email address and password and opens a session of 30 days. Send its token as `Authorization: Bearer <session_token>`. An unknown identifier and a wrong password get the same 401. With the right password, a banned user gets 403 `AccountBanned`, and any user gets 403 while sign-in by email is switched off. After too many wrong codes of the second factor, 403 `TwoFactorLocked` until the password is reset or an administrator helps. Attempts are limited per address, and failures per identifier: from the tenth within `rate_limit.login_failures` on, each is followed by a growing pause (429). Failures from elsewhere don't count for an address from which this user signed in during the last 30 days. A role or a platform that requires two-factor authentication does not shut out users who have not set it up yet: `GET /v1/users/me/2fa/requirement` says what they have to do.",
    },
  })
  .post(
    "/2fa/verify",
    ({ actor, body, set }) => {
      countSignInOf(body.temp_token, actor.client, set.headers);
      return verifyTwoFactorLogin(actor, body);
    },
    {
      open: { limit: signInCodeLimit },
      body: ChallengeInput,
      response: { 200: AuthResponse, ...errors(401, 403) },
      detail: {
        operationId: "completeSignInWithSecondFactor",
        summary: "Complete a sign-in with the second factor",
        description:
          "Takes the `temp_token` of the first step and a code of the authenticator app or a backup code, and opens the session. The token is valid for 10 minutes and for five wrong codes; a code counts once. 401 if either is wrong. Attempts are limited per address and per user; from the fifth wrong code in a row on, each is followed by a growing pause (429), and after a hundred every code gets 403 `TwoFactorLocked` until the password is reset or an administrator helps.",
      },
    },
  )
  .post("/2fa/check", ({ actor, body }) => checkTwoFactor(actor, body.user_id, body.oauth_provider), {
    access: "system",
    body: CheckInput,
    response: { 200: CheckResult },
    detail: {
      operationId: "checkWhetherSignInNeedsSecondFactor",
      summary: "Check whether a sign-in needs a second factor",
      description:
        "For the identity web app, after a sign-in through an external provider: answers the token for `/v1/auth/2fa/verify` when the user has two-factor authentication on. 400 for a user who is unknown or deleted and for an unknown platform, 403 for a banned user, and 403 `TwoFactorLocked` after too many wrong codes.",
    },
  })
  .post(
    "/logout",
    async ({ actor }) => {
      await logout(sessionActor(actor));
      return { message: "Signed out" };
    },
    {
      access: "session",
      response: { 200: Message },
      detail: {
        operationId: "signOut",
        summary: "Sign out",
        description:
          "Ends the session whose token makes the request, and no other. Its WebSocket connections are closed.",
      },
    },
  )
  .post(
    "/reset-password",
    async ({ actor, body }) => {
      await requestPasswordReset(actor, body);
      return { message: "If an account has this email address, a link to set a new password was sent to it" };
    },
    {
      open: { limit: resetLimit },
      body: ResetRequest,
      response: { 200: Message },
      detail: {
        operationId: "requestPasswordReset",
        summary: "Request a password reset",
        description:
          "Sends a link, valid for one hour, if an account has the address; the answer is the same either way. A link replaces the one before it. A request that follows too soon sends nothing, and the earlier link stays valid: the wait is a minute at first and grows to at most 45 minutes with further requests. Requests are limited per address of the client.",
      },
    },
  )
  .post(
    "/reset-password/complete",
    async ({ actor, body }) => {
      await completePasswordReset(actor, body);
      return { message: "The password was set; sign in with it" };
    },
    {
      // No limit: the token can't be guessed, and a wrong one costs next to nothing.
      open: true,
      body: ResetCompletion,
      response: { 200: Message },
      detail: {
        operationId: "setNewPassword",
        summary: "Set a new password",
        description:
          "Sets the password with the token of the email and ends all sessions of the user; with `revoke_api_keys` it also switches the user's API keys off, which the user can switch on again. An email tells the user. 400 for a token that is not valid, was used or has expired, and for an unacceptable password.",
      },
    },
  )
  .post("/signin", notImplemented, {
    ...nothingHere,
    detail: {
      ...nothingHere.detail,
      operationId: "signInNotImplemented",
      summary: "Sign in (not implemented)",
    },
  })
  .post("/validate", notImplemented, {
    ...nothingHere,
    detail: {
      ...nothingHere.detail,
      operationId: "validateNotImplemented",
      summary: "Validate (not implemented)",
    },
  });

export const ownPasswordRoutes = new Elysia({ prefix: "/v1/users/me/password", tags: ["Authentication"] })
  .use(guard)
  .post(
    "",
    async ({ actor, body }) => {
      await changePassword(sessionActor(actor), body);
      return { message: "The password was changed; the other sessions were ended" };
    },
    {
      access: { requires: "session", limit: passwordLimit },
      body: PasswordChange,
      response: { 200: Message, ...errors(403) },
      detail: {
        operationId: "changeOwnPassword",
        summary: "Change the caller's password",
        description:
          "Sets a new password and ends all other sessions of the caller; an email tells the user. An account without a password gets its first one without `current_password`, if it has an email address and its session has signed in within 10 minutes (403 `ReauthenticationRequired`). 400 for a wrong current password, for an unacceptable new one, and for an account without an email address.",
      },
    },
  );
