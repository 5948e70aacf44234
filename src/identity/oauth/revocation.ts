import { and, eq } from "drizzle-orm";
import { hashToken } from "../../kernel/crypto/crypto";
import { db } from "../../kernel/db/connection";
import type { Fields } from "../../kernel/http/form";
import { type AnyActor, transactAs } from "../access/actor";
import { accessChanged } from "../access/caller";
import { endGrant } from "../grants/service";
import { oauthAccessTokens, oauthGrants, oauthRefreshTokens } from "../grants/table";
import { authenticatedClient } from "./client";
import { invalidGrant, invalidRequest } from "./errors";

/**
 * Ends a token of a client (RFC 7009): a refresh token with its whole grant, an access token alone. One that is unknown has
 * ended already, which is no error. Throws OAuthError, for another client's token too.
 */
export async function revokeToken(actor: AnyActor, request: Request, form: Fields): Promise<void> {
  if (form.repeated.size > 0) throw invalidRequest("A parameter stands there twice");
  const client = authenticatedClient(request, form);
  const { token } = form.values;
  if (!token) throw invalidRequest("token is missing");
  const hash = hashToken(token);
  await transactAs(actor, () => {
    const grant = grantOf(oauthRefreshTokens, hash) ?? grantOf(oauthAccessTokens, hash);
    if (!grant) return;
    if (grant.clientId !== client.id) throw invalidGrant("The token was issued to another client");
    if (token.startsWith("flr_")) endGrant(grant.id, "revoked by the application");
    else {
      db.delete(oauthAccessTokens).where(eq(oauthAccessTokens.token_hash, hash)).run();
      accessChanged((caller) => caller.kind === "token" && caller.tokenHash === hash);
    }
  });
}

const grantOf = (table: typeof oauthRefreshTokens | typeof oauthAccessTokens, hash: string) =>
  db
    .select({ id: oauthGrants.id, clientId: oauthGrants.client_id })
    .from(table)
    .innerJoin(oauthGrants, and(eq(oauthGrants.id, table.grant_id)))
    .where(eq(table.token_hash, hash))
    .get();
