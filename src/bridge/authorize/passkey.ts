import { secondFactorOptions, signInOptions } from "../../identity/passkeys/sign-in";
import { relyingParty } from "../../identity/webauthn/relying-party";
import type { RequestOptions } from "../../identity/webauthn/schema";
import { AppError, badRequest } from "../../kernel/errors/errors";
import { originOf } from "../../kernel/http/client";
import type { Fields } from "../../kernel/http/form";

/** Passkeys on these pages: a challenge stands in the page itself, so that its script asks nobody. */

export type Challenge = RequestOptions["public_key"];

/** True for a page that was opened by an address at which browsers let it use passkeys. */
const isPasskeyPage = (request: Request): boolean =>
  relyingParty()?.origins.includes(originOf(request)) === true;

/** A challenge for a sign-in; null where the page can use no passkeys. */
export const signInChallenge = (request: Request): Challenge | null =>
  isPasskeyPage(request) ? signInOptions().public_key : null;

/** The same for the second step of a sign-in; null also for a user without a passkey, and for a step that has ended. */
export function secondChallenge(request: Request, tempToken: string): Challenge | null {
  if (!isPasskeyPage(request)) return null;
  try {
    return secondFactorOptions(tempToken).public_key;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** The credential in a form, as the page's script has put it there. Throws 400. */
export function credentialIn({ values }: Fields): unknown {
  try {
    return JSON.parse(values.credential ?? "");
  } catch {
    throw badRequest("The form holds no passkey");
  }
}
