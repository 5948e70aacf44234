import type { ClientRow } from "../oauth-clients/find";
import { IDENTITY_SCOPES, isPermissionScope } from "../oauth-clients/scopes";
import { invalidScope } from "./errors";

/** The scopes of requests: what a client may ask for, and what of it an administrator has approved (rule C13). */

const isIdentity = (scope: string): boolean => (IDENTITY_SCOPES as readonly string[]).includes(scope);

/** The scopes in a parameter (RFC 6749, section 3.3), each once. */
export const scopesIn = (text: string): string[] => [...new Set(text.split(" ").filter(Boolean))];

/**
 * The scopes of a request that a client may ask for. What this server doesn't know is left out, as OpenID Connect wants it
 * (Core 1.0, section 3.1.2.1). Throws `invalid_scope` for what this client may not ask for, and where nothing is left.
 */
export function permittedScopes(client: ClientRow, asked: readonly string[]): string[] {
  const scopes = asked.filter(
    (scope) => isIdentity(scope) || scope.includes("*") || isPermissionScope(scope),
  );
  for (const scope of scopes) {
    if (scope.includes("*")) throw invalidScope("Wildcards are no scopes: name each permission");
    if (!client.allowed_scopes.includes(scope))
      throw invalidScope(`The allowed_scopes of this client don't name ${scope}`);
    if (!isIdentity(scope) && !client.approved_scopes.includes(scope))
      throw invalidScope(`No administrator has approved ${scope} for this client`);
  }
  if (scopes.length === 0) throw invalidScope("The request names no scope that this server knows");
  return scopes;
}

/** The scopes among some that a client may still ask for. */
export const stillPermitted = (client: ClientRow, scopes: readonly string[]): string[] =>
  scopes.filter(
    (scope) =>
      client.allowed_scopes.includes(scope) && (isIdentity(scope) || client.approved_scopes.includes(scope)),
  );

/** The scopes of a client that acts for itself: permissions alone. Throws `invalid_scope`. */
export function ownScopes(client: ClientRow, asked: string | undefined): string[] {
  if (asked === undefined) {
    const approved = client.approved_scopes.filter((scope) => client.allowed_scopes.includes(scope));
    if (approved.length === 0) throw invalidScope("No administrator has approved a scope for this client");
    return approved;
  }
  const scopes = permittedScopes(client, scopesIn(asked));
  const identity = scopes.find(isIdentity);
  if (identity !== undefined) throw invalidScope(`${identity} is for a user's sign-in, which this is not`);
  return scopes;
}
