import { AppError, type ErrorName } from "../../kernel/errors/errors";

/** Refusals in the words of OAuth: RFC 6749, sections 4.1.2.1 and 5.2; OpenID Connect Core 1.0, section 3.1.2.6. */

type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "access_denied"
  | "login_required"
  | "consent_required"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "registration_not_supported";

/** RFC 6749, section 5.2, permits printable ASCII without quotes and backslashes. */
const NOT_PERMITTED = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

/** A refusal of an OAuth endpoint: its body has `error` and `error_description`. */
export class OAuthError extends AppError {
  readonly code: OAuthErrorCode;

  constructor(
    code: OAuthErrorCode,
    description: string,
    { name = "BadRequest", headers }: { name?: ErrorName; headers?: Record<string, string> } = {},
  ) {
    super(name, description.replace(NOT_PERMITTED, "'"), headers && { headers });
    this.code = code;
  }

  override body() {
    return { error: this.code, message: this.message, error_description: this.message };
  }
}

export const invalidRequest = (description: string) => new OAuthError("invalid_request", description);
export const invalidGrant = (description: string) => new OAuthError("invalid_grant", description);
export const invalidScope = (description: string) => new OAuthError("invalid_scope", description);

/** 401 for a client that is unknown or didn't authenticate, whichever: RFC 6749, section 5.2. */
export const invalidClient = () =>
  new OAuthError("invalid_client", "The client is unknown, or its authentication failed", {
    name: "Unauthorized",
    headers: { "www-authenticate": 'Basic realm="Fairlead", charset="UTF-8"' },
  });
