import { Elysia } from "elysia";
import { errors } from "../../kernel/http/answers";
import { sessionActor } from "../access/actor";
import { guard } from "../access/guard";
import { passwordLimit } from "../passwords/limit";
import { countCodeOf } from "../two-factor-codes/tries";
import { RequestOptions } from "../webauthn/schema";
import { reauthenticateByPasskey, reauthenticationOptions } from "./passkey";
import { Reauthenticated, Reauthentication } from "./schema";
import { reauthenticate } from "./service";

export const reauthenticationRoutes = new Elysia({ prefix: "/v1/auth", tags: ["Authentication"] })
  .use(guard)
  .post(
    "/reauthenticate",
    ({ actor, body, set }) => {
      const session = sessionActor(actor);
      if (body.passkey) return reauthenticateByPasskey(session, body);
      if (body.code) countCodeOf(session.caller.userId, session.client, set.headers);
      return reauthenticate(session, body);
    },
    {
      access: { requires: "session", limit: passwordLimit },
      body: Reauthentication,
      response: { 200: Reauthenticated, ...errors(403, 409) },
      detail: {
        operationId: "proveAgainWhoYouAre",
        summary: "Prove again who you are",
        description:
          "Makes the session count as newly signed in, for operations that ask for a recent sign-in. Send the password if the account has one, and a code if two-factor authentication is on; or a passkey alone, which answers a challenge of `POST /v1/auth/reauthenticate/options`. 400 for what is missing or wrong; 403 `ReauthenticationRequired` for an account that has none of these, whose user signs in again through its platform. Wrong codes are counted as at the sign-in: 429 during the pause after one, 403 `TwoFactorLocked` after a hundred in a row.",
      },
    },
  )
  .post("/reauthenticate/options", ({ actor }) => reauthenticationOptions(sessionActor(actor)), {
    access: "session",
    response: { 200: RequestOptions, ...errors(409) },
    detail: {
      operationId: "askForPasskeyToProveAgainWhoYouAre",
      summary: "Ask for a passkey to prove again who you are",
      description:
        "A challenge that one of the caller's passkeys answers in `POST /v1/auth/reauthenticate`: once, within 5 minutes, in the same session. 409 for a user without a passkey, and `PasskeysUnavailable` where `server.public_url` permits none.",
    },
  });
