import { lastingHash } from "../../kernel/crypto/encryption";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { AppError, conflict, invalid } from "../../kernel/errors/errors";
import { now } from "../../kernel/time/clock";
import { type SessionActor, transactAs } from "../access/actor";
import { recordAudit } from "../audit/service";
import { activeUser } from "../directory/users";
import { notify } from "../email/notify";
import { requireRecentSession } from "../reauthentication/service";
import { challengeEnd, descriptorOf, type PasskeyRow, passkeysOf } from "../webauthn/assertions";
import { authenticatorName } from "../webauthn/authenticators";
import { CHALLENGE_LIFETIME, newChallenge, type Purpose, takeChallenge } from "../webauthn/challenges";
import { requireRelyingParty } from "../webauthn/relying-party";
import type { CreationOptions, NewCredential } from "../webauthn/schema";
import {
  ALGORITHMS,
  challengeIn,
  type Registered,
  Unacceptable,
  verifyNewCredential,
} from "../webauthn/verify";
import type { NewPasskey, Passkey } from "./schema";
import { toPasskey } from "./service";
import { passkeys } from "./table";

/** New passkeys, of users who are signed in and of those who accept an invitation. */

/** Passkeys of one user: a list without pages, and more than anybody has devices for. */
const MOST = 20;

/** Ways to reach an authenticator (WebAuthn Level 3, section 5.8.4); others are left out. */
const TRANSPORTS = new Set(["usb", "nfc", "ble", "smart-card", "hybrid", "internal"]);

/**
 * An account's identifier in authenticators, in base64url: it tells nobody who its user is (WebAuthn Level 3, section
 * 14.6.1). `of` is the user or, while there is none, the invitation.
 */
export const newUserHandle = (of: string): string =>
  Buffer.from(lastingHash(of, "passkey user handle"), "base64").toString("base64url");

/** The handle that a user's passkeys have, else the one that they will have. */
const userHandleOf = (userId: string, present: PasskeyRow[]): string =>
  present[0]?.user_handle ?? newUserHandle(userId);

interface ForWhom {
  handle: string;
  username: string;
  present: PasskeyRow[];
}

/** Options by which a browser makes a passkey. Throws 409 where there can be none. */
export function creationOptions(
  purpose: Purpose,
  subject: string,
  { handle, username, present }: ForWhom,
): CreationOptions {
  const { id } = requireRelyingParty();
  return {
    public_key: {
      rp: { id, name: "Fairlead" },
      user: { id: handle, name: username, displayName: username },
      challenge: newChallenge(purpose, subject),
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
      timeout: CHALLENGE_LIFETIME,
      excludeCredentials: present.map(descriptorOf),
      authenticatorSelection: {
        residentKey: "required",
        requireResidentKey: true,
        userVerification: "required",
      },
      attestation: "none",
    },
    expires_at: challengeEnd(),
  };
}

/** The same for one more passkey of the caller's. Throws 403 for a session that was signed in too long ago, and 409. */
export function registrationOptions(actor: SessionActor): CreationOptions {
  requireRecentSession(actor);
  const { userId, id } = actor.caller;
  const present = passkeysOf(userId);
  if (present.length >= MOST) throw tooMany();
  const { username } = activeUser(userId);
  return creationOptions("registration", id, { handle: userHandleOf(userId, present), username, present });
}

const tooMany = () => conflict(`An account has at most ${MOST} passkeys; remove one first`);

/** A new credential whose form and signature are right. `path` is its place in the request. Throws 400 and 409. */
export async function readNewCredential(credential: NewCredential, path: string): Promise<Registered> {
  try {
    return await verifyNewCredential(credential, requireRelyingParty());
  } catch (error) {
    if (error instanceof Unacceptable) throw invalid(path, `can't be accepted: ${error.message}`);
    throw error;
  }
}

/** Adds a passkey to the caller's account, and tells by email. Throws 400, 403, and 409 for one that is there already. */
export async function addPasskey(actor: SessionActor, input: NewPasskey): Promise<Passkey> {
  requireRecentSession(actor);
  const registered = await readNewCredential(input.credential, "/credential");
  const { userId, id } = actor.caller;
  const added = await transactAs(actor, () => {
    requireRecentSession(actor);
    if (!takesChallenge(input.credential, "registration", id)) return wrongChallenge("/credential");
    const present = passkeysOf(userId);
    if (present.length >= MOST) return tooMany();
    const row = storePasskey(userId, userHandleOf(userId, present), input, registered);
    if (row instanceof AppError) return row;
    const content = { kind: "passkey_added", name: row.name, at: row.created_at } as const;
    notify(activeUser(userId), content, actor.client.acceptLanguage);
    return row;
  });
  // A refusal is thrown only after the commit, which must hold the used challenge.
  if (added instanceof AppError) throw added;
  return toPasskey(added);
}

/** Uses up the challenge of a new credential, in the current transaction. */
export function takesChallenge(credential: NewCredential, purpose: Purpose, subject: string): boolean {
  const challenge = challengeIn(credential);
  return challenge !== null && takeChallenge(purpose, subject, challenge);
}

export const wrongChallenge = (path: string) =>
  invalid(path, "can't be accepted: its challenge is wrong, was used, or has ended");

/**
 * Stores a passkey in the current transaction, with its audit event. Returns 409 for one that is there already: the
 * transaction must commit, since it holds the used challenge.
 */
export function storePasskey(
  userId: string,
  handle: string,
  { credential, name }: NewPasskey,
  registered: Registered,
): PasskeyRow | AppError {
  const { credentialId, publicKey, counter, aaguid, isMultiDevice, isBackedUp } = registered;
  const transports = [...new Set(credential.response.transports)].filter((each) => TRANSPORTS.has(each));
  const id = newId();
  const [row] = db
    .insert(passkeys)
    .values({
      ...{ id, user_id: userId, credential_id: credentialId, public_key: publicKey, user_handle: handle },
      ...{ counter, transports, aaguid, is_multi_device: isMultiDevice, is_backed_up: isBackedUp },
      ...{ name: name ?? authenticatorName(aaguid) ?? "Passkey", created_at: now(), last_used_at: null },
    })
    .onConflictDoNothing()
    .returning()
    .all();
  if (!row) return conflict("This passkey is registered already");
  recordAudit({
    event_type: "passkey_added",
    user_id: userId,
    resource_type: "passkey",
    resource_id: id,
    // The passkey is good for this host alone; the doctor looks at it.
    metadata: { aaguid, is_backed_up: isBackedUp, rp_id: requireRelyingParty().id },
  });
  return row;
}
