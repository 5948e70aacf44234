import { characters, optional, t } from "../../kernel/http/schema";

/**
 * Fields by which a signed-in user proves its identity again, in the body of an operation that needs it. They
 * count where `auth.reauthentication_minutes` is set.
 */
export const proofFields = {
  password: optional(
    characters({
      maxLength: 128,
      description:
        "The caller's password, in place of a recent sign-in where `auth.reauthentication_minutes` asks for one",
      examples: ["a long passphrase"],
    }),
  ),
  code: optional(
    characters({
      maxLength: 32,
      description:
        "A code of the caller's authenticator app or a backup code, in place of a recent sign-in: instead of the password where two-factor authentication is on",
      examples: ["492039"],
    }),
  ),
};

export const Proof = t.Object(proofFields, { title: "Proof" });

export type Proof = (typeof Proof)["static"];

/** Sentence for the descriptions of operations that need a recent sign-in. */
export const NEEDS_RECENT_SIGN_IN =
  "Where `auth.reauthentication_minutes` is set, a session must have signed in within that time or send a proof in the body, and a user's key must send the proof when it acts on its own user, on a key, on an OAuth client, on rights or on an address; otherwise 403 `ReauthenticationRequired`. A code gets 403 `TwoFactorLocked` after a hundred wrong ones in a row.";
