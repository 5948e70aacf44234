import { config, publicUrl } from "../../configuration/config";
import { hashPassword } from "../../kernel/crypto/crypto";
import { transact } from "../../kernel/db/transactions";
import { AppError, badRequest, conflict, forbidden, isUniqueViolation } from "../../kernel/errors/errors";
import type { Client } from "../../kernel/http/client";
import { addressBlock } from "../../kernel/http/client";
import { iso, now } from "../../kernel/time/clock";
import { type AnyActor, transactAs } from "../access/actor";
import { userByEmail } from "../directory/accounts";
import { insertUser } from "../directory/new-user";
import { isUsernameTaken } from "../directory/users";
import { emailLocale } from "../email/locale";
import { noteSentEmail } from "../email/service";
import { composeEmail } from "../email/templates";
import { sendEmail } from "../email/transport";
import { applyEmailChange, applyEmailLink } from "../email-addresses/service";
import { checkPassword } from "../passwords/rules";
import { checkLoginEnabled, checkRegistrationEnabled } from "../platforms/service";
import {
  deleteVerification,
  dropStaleRegistrations,
  insertRegistration,
  isAddressHeld,
  isNameHeld,
  markSent,
  takeVerification,
  type VerificationRow,
} from "../verification/service";
import { checkBotProtection } from "./bot-protection";
import type { AuthResponse, RegisterInput, VerifiedEmail } from "./schema";
import { openSession } from "./service";

/**
 * Registers with email, username and password: stores a pending registration and sends the link that proves
 * the address. There is no account before that, and of several registrations for one name or address the
 * first to be confirmed wins (rule A3). Throws 400 when registration is off, 409 for a name or an address
 * that is taken, or held by a registration of the last minutes, and 500 when the email could not be sent;
 * then nothing is left of the registration.
 */
export async function register(actor: AnyActor, input: RegisterInput) {
  const { client } = actor;
  checkRegistrationEnabled("email");
  if (config["auth.password_login"] !== "all")
    throw badRequest("Registration with a password is switched off");
  const email = input.email.toLowerCase();
  const username = input.username.toLowerCase();
  checkPassword(input.password, username);
  await checkBotProtection(input.challenge_token, client);
  checkFree(email, username, client);
  const passwordHash = await hashPassword(input.password, addressBlock(client.address));
  const { id, token, expiresAt } = await transactAs(actor, () => {
    checkFree(email, username, client);
    dropStaleRegistrations(email, username);
    return insertRegistration({ email, username, passwordHash }, client);
  });
  const recipient = { address: email, username, locale: emailLocale(null, client.acceptLanguage) };
  try {
    await sendEmail(composeEmail(recipient, { kind: "registration", token, expiresAt }), id);
  } catch (cause) {
    await transact(() => deleteVerification(id));
    throw new AppError("InternalServerError", "The verification email could not be sent; try again later", {
      cause,
    });
  }
  await transact(() => markSent(id));
  return { message: "Use the link in the email that was sent to you", expires_at: iso(expiresAt) };
}

/**
 * Refuses a username or an address that is taken, or held by a registration of the last minutes; one that `isProved` is
 * held by nobody else. Throws 409.
 */
export function checkFree(email: string, username: string, client: Client, isProved = false): void {
  if (isUsernameTaken(username)) throw conflict("This username is taken");
  if (userByEmail(email)) throw conflict("This email address is in use");
  if ((!isProved && isAddressHeld(email, client)) || isNameHeld(username, client))
    throw conflict("A registration with this username or email address waits for its verification");
}

/** Creates the account of a proved registration, in the current transaction. Throws 403 and 409. */
function createAccount({ id, email, username, password_hash, sent_at }: VerificationRow) {
  checkLoginEnabled("email");
  if (config["auth.password_login"] !== "all") throw forbidden("Sign-in with a password is switched off");
  if (userByEmail(email)) throw conflict("This email address is in use");
  try {
    const user = insertUser({ email, username: username ?? "", passwordHash: password_hash ?? "" });
    noteSentEmail(id, "registration", user.id, sent_at ?? now());
    return user;
  } catch (error) {
    throw isUniqueViolation(error) ? conflict("This username or email address was taken meanwhile") : error;
  }
}

/** Creates the account of a registration with the token of its email, and signs in. Throws 400, 403, 409. */
export function verifyRegistration(actor: AnyActor, token: string): Promise<AuthResponse> {
  return transactAs(actor, () => {
    const user = createAccount(takeVerification(token, ["registration"]));
    return openSession({ ...user, locale: null }, "email", actor.client);
  });
}

const VERIFIED = {
  registration: "The account was created; sign in with your password",
  email_link: "The email address is linked; sign in with it and your password",
  email_change: "The email address was changed",
} as const;

/** Applies the change that an email's token proves, without signing anybody in. Throws 400 and 409. */
export function verifyEmail(actor: AnyActor, token: string): Promise<VerifiedEmail> {
  return transactAs(actor, () => {
    const row = takeVerification(token, ["registration", "email_link", "email_change"]);
    return {
      success: true,
      message: VERIFIED[row.kind],
      verification_type: row.kind,
      user_id: applyVerification(row, actor.client),
      redirect_url: `${config["email.link_base_url"] ?? publicUrl()}/`,
    };
  });
}

/** Applies a verification and returns the identifier of its user. */
function applyVerification(row: VerificationRow, client: Client): string {
  if (row.kind === "registration") return createAccount(row).id;
  if (row.kind === "email_change") applyEmailChange(row, client);
  else applyEmailLink(row, client);
  return row.user_id ?? "";
}
