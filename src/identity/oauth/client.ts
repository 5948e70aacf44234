import { hashToken, sameSecret } from "../../kernel/crypto/crypto";
import type { Fields } from "../../kernel/http/form";
import { isUuid } from "../../kernel/http/schema";
import { type ClientRow, findActiveClient } from "../oauth-clients/find";
import { invalidClient, invalidRequest } from "./errors";

/**
 * The authentication of clients: `client_secret_basic`, `client_secret_post`, and `none` for those that keep no secret
 * (RFC 6749, sections 2.3.1 and 3.2.1).
 */

const BASIC = /^Basic +([A-Za-z0-9+/_-]+={0,2})$/i;

/** In place of the hash of a secret: an unknown client costs as much as a wrong secret. */
const NO_SECRET = hashToken("");

/** Identifier and secret in the Authorization header, each encoded as in a form before Basic; null for another header. */
function inHeader(header: string): { id: string; secret: string } | null {
  const encoded = BASIC.exec(header)?.[1];
  const text = encoded === undefined ? "" : Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  if (colon === -1) return null;
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll("+", " "));
    return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) };
  } catch {
    return null;
  }
}

/** The client of a request, authenticated. Throws 401 `invalid_client`, and 400 for more than one way at once. */
export function authenticatedClient(request: Request, { values }: Fields): ClientRow {
  const header = request.headers.get("authorization");
  const basic = header === null ? null : inHeader(header);
  if (header !== null && basic === null) throw invalidClient();
  if (basic && values.client_secret) throw invalidRequest("The client authenticates in two ways at once");
  if (basic && values.client_id && values.client_id !== basic.id)
    throw invalidRequest("client_id names another client than the Authorization header");
  const id = basic?.id ?? values.client_id;
  const secret = basic?.secret ?? (values.client_secret || null);
  if (!id) throw invalidClient();
  const client = isUuid(id) ? findActiveClient(id.toLowerCase()) : undefined;
  const isRight = sameSecret(hashToken(secret ?? ""), client?.secret_hash ?? NO_SECRET);
  if (!client) throw invalidClient();
  // One that became public has lost its secret, and one that became confidential has none yet.
  const isPublic = client.client_type === "public";
  if (isPublic ? secret !== null : secret === null || client.secret_hash === null || !isRight)
    throw invalidClient();
  return client;
}
