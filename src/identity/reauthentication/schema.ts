import { characters, nullable, optional, out, record, t } from "../../kernel/http/schema";
import { Assertion } from "../webauthn/schema";

export const Reauthentication = t.Object(
  {
    password: optional(
      characters({
        maxLength: 128,
        description: "The password: required of an account that has one",
        examples: ["a long passphrase"],
      }),
    ),
    code: optional(
      characters({
        maxLength: 32,
        description: "A code of the app or a backup code: required where two-factor authentication is on",
        examples: ["492039"],
      }),
    ),
    passkey: optional(Assertion),
  },
  { title: "Reauthentication", examples: [{ password: "a long passphrase", code: "492039" }] },
);

export const Reauthenticated = record(
  "Reauthenticated",
  {
    message: out.string("What was done", "You have proved who you are"),
    authenticated_at: out.time("When the session began to count as newly signed in"),
    expires_at: nullable(
      out.time("When that expires; null while `auth.reauthentication_minutes` sets no bound"),
    ),
  },
  "A session whose holder has proved again who it is",
);
