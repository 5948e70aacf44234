import { IDENTITY_SCOPES } from "../oauth-clients/scopes";
import { ONE_FACTOR, TWO_FACTORS } from "./id-token";
import type { ServerMetadata } from "./schema";

/** The facts about this server that clients read: OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2. */
export const metadataOf = (issuer: string): ServerMetadata => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  userinfo_endpoint: `${issuer}/oauth/userinfo`,
  jwks_uri: `${issuer}/oauth/jwks`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  end_session_endpoint: `${issuer}/oauth/logout`,
  scopes_supported: [...IDENTITY_SCOPES],
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256"],
  token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
  revocation_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
  code_challenge_methods_supported: ["S256"],
  claims_supported: [
    ...["sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sid", "amr", "acr"],
    ...["name", "preferred_username", "picture", "locale", "updated_at", "email", "email_verified"],
  ],
  acr_values_supported: [ONE_FACTOR, TWO_FACTORS],
  prompt_values_supported: ["none", "login", "consent", "select_account"],
  ui_locales_supported: ["en", "de"],
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  authorization_response_iss_parameter_supported: true,
});
