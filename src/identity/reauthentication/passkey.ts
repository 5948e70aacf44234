import { AppError, invalid } from "../../kernel/errors/errors";
import { now } from "../../kernel/time/clock";
import { type SessionActor, transactAs } from "../access/actor";
import { examine, methodsOf, RefusedPasskey, requestOptionsFor, settle } from "../webauthn/assertions";
import { noteRefused } from "../webauthn/refusals";
import type { Assertion, RequestOptions } from "../webauthn/schema";
import { audit, proved, renew } from "./service";

/** Proving again who one is, by a passkey. Its user was verified by the authenticator: it counts as both factors. */

/** Options by which a browser asks for a passkey of the caller's. Throws 409 for a user without one. */
export const reauthenticationOptions = ({ caller }: SessionActor): RequestOptions =>
  requestOptionsFor(caller.userId, "reauthentication", caller.id);

interface Proof {
  password?: string | null;
  code?: string | null;
  passkey?: Assertion | null;
}

/** Makes a session count as just signed in, by a passkey. Throws 400 for one that isn't accepted. */
export async function reauthenticateByPasskey(actor: SessionActor, { password, code, passkey }: Proof) {
  if (!passkey) throw invalid("/passkey", "is required");
  if (password || code) throw invalid("/passkey", "is enough by itself: leave out password and code");
  const examined = await examine(passkey);
  const outcome = await transactAs(actor, () => {
    const { userId, id } = actor.caller;
    const settled = settle(examined, "reauthentication", id, userId);
    if (settled instanceof RefusedPasskey) {
      noteRefused(settled, userId, "reauthentication");
      return invalid("/passkey", "was not accepted");
    }
    renew(id, methodsOf(settled));
    audit(actor, userId);
    return now();
  });
  // A refusal is thrown only after the commit, which must hold its audit event and the used challenge.
  if (outcome instanceof AppError) throw outcome;
  return proved(actor, outcome);
}
