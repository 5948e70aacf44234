import { transact, type Work } from "../../kernel/db/transactions";
import { forbidden, unauthorized } from "../../kernel/errors/errors";
import { type Client, clientOf } from "../../kernel/http/client";
import { APP_ID, type Caller, reloadCaller, type SessionCaller } from "./caller";
import { type AdmittedBy, requireStillShared } from "./visible-devices";

/** Whoever does something, and from where: the audit log names it. */
export interface Actor<C extends Caller | null = Caller> {
  /** The session or key; null at an operation that is open to strangers. */
  readonly caller: C;
  readonly client: Client;
  /** Set where no permission but a share has admitted the request. */
  readonly admittedBy?: AdmittedBy | undefined;
  /** True for the session of a page: it is in a cookie, which whoever sits before the browser uses too. */
  readonly isOfPage?: boolean;
}

export type SessionActor = Actor<SessionCaller>;

/** The actor of an operation that is open to strangers, or of any other. */
export type AnyActor = Actor<Caller | null>;

/** The actor of a route whose mark lets sessions alone pass. */
export function sessionActor(actor: Actor): SessionActor {
  if (actor.caller.kind !== "session") throw new Error("a route for sessions was passed by a key");
  return actor as SessionActor;
}

/** The actor of a request. The client is looked up only where it is asked for: most requests change nothing. */
export function actorOf<C extends Caller | null>(
  caller: C,
  request: Request,
  admittedBy?: AdmittedBy,
): Actor<C> {
  let client: Client | undefined;
  return {
    caller,
    admittedBy,
    isOfPage: caller?.kind === "session" && !request.headers.has("authorization"),
    get client() {
      client ??= clientOf(request);
      return client;
    },
  };
}

/**
 * The actor of a change that is the user's own, in a session that may have ended meanwhile: the caller is
 * neither checked again nor named.
 */
export const withoutCaller = ({ client }: AnyActor): AnyActor => ({ caller: null, client });

/** The actor on whose behalf the current transaction runs. */
let acting: AnyActor | null = null;

/** The actor of the current transaction; null for a job or a command. */
export const currentActor = (): AnyActor | null => acting;

/**
 * `transact` on behalf of a request. It was admitted a while ago: since then a body was read, a password hashed,
 * and other changes may be waiting for the same commit. A caller who lost the credential meanwhile gets 401, one
 * who lost rights 403 (rule R6): a session that was just revoked could make itself a key otherwise. Audit events
 * written inside name the actor.
 */
export const transactAs = <T>(actor: AnyActor, work: Work<T>): Promise<T> => transactBy(actor, work, actor);

/** `transactAs` for what a user does at the service that tells of it: audit events don't name the service. */
export const transactFor = <T>(actor: Actor, work: Work<T>): Promise<T> =>
  transactBy(actor, work, withoutCaller(actor));

/** `transactAs` that names another actor in audit events, or none: an event from outside says itself who acted. */
function transactBy<T>({ caller, admittedBy }: AnyActor, work: Work<T>, named: AnyActor): Promise<T> {
  return transact((() => {
    if (caller !== null) requireStillAdmitted(caller);
    if (caller !== null && admittedBy) requireStillShared(caller, admittedBy);
    acting = named;
    try {
      return work();
    } finally {
      acting = null;
    }
  }) as Work<T>);
}

/**
 * Throws 401 if a caller has lost the credential since it was admitted, and 403 if it has lost rights. For the steps of
 * what takes long and is no single transaction.
 */
export function requireStillAdmitted(caller: Caller): void {
  // The key of the installation's own services is no record that could end.
  if (caller.id === APP_ID) return;
  const fresh = reloadCaller(caller);
  if (!fresh) throw unauthorized("The credential has ended");
  if (!hasKeptRights(fresh, caller)) throw forbidden("You lost permissions while this was under way");
}

/** True if the caller may still do all that it could when it was admitted. */
const hasKeptRights = (fresh: Caller, admitted: Caller): boolean =>
  (fresh.isSuperAdmin || !admitted.isSuperAdmin) && fresh.permissions.hasAll(admitted.permissions.list());
