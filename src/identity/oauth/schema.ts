import { ErrorBody } from "../../kernel/http/answers";
import { characters, out, record, t } from "../../kernel/http/schema";

/** Answers and forms of the OAuth endpoints: their names are those of the standards. */

const EXAMPLE_ISSUER = "https://boat.example.org";

const at = (description: string, path: string) => out.uri(description, `${EXAMPLE_ISSUER}${path}`);
const words = (description: string, ...examples: string[]) =>
  t.Array(t.String(), { description, examples: [examples] });

export const ServerMetadata = record(
  "ServerMetadata",
  {
    issuer: at("The issuer: what answers and ID tokens name", ""),
    authorization_endpoint: at("Where a browser is sent to sign in", "/oauth/authorize"),
    token_endpoint: at("Where a code is exchanged for tokens", "/oauth/token"),
    userinfo_endpoint: at("Where claims about the user are read", "/oauth/userinfo"),
    jwks_uri: at("The keys that ID tokens are signed with", "/oauth/jwks"),
    revocation_endpoint: at("Where a client ends its tokens", "/oauth/revoke"),
    end_session_endpoint: at("Where a browser is sent to sign out", "/oauth/logout"),
    scopes_supported: words("Scopes about the user; permissions are scopes too", "openid", "profile"),
    response_types_supported: words("Response types", "code"),
    response_modes_supported: words("Response modes", "query"),
    grant_types_supported: words("Grant types", "authorization_code", "refresh_token"),
    subject_types_supported: words("Kinds of `sub`: the same for all clients", "public"),
    id_token_signing_alg_values_supported: words("Algorithms that sign ID tokens", "ES256"),
    token_endpoint_auth_methods_supported: words("Ways in which clients authenticate", "none"),
    revocation_endpoint_auth_methods_supported: words("The same for revocation", "none"),
    code_challenge_methods_supported: words("Methods of PKCE, which is required", "S256"),
    claims_supported: words("Claims of ID tokens and of the user", "sub", "email"),
    acr_values_supported: words("Classes of sign-ins: one factor, two", "urn:fairlead:acr:1fa"),
    prompt_values_supported: words("Values of `prompt`", "none", "login"),
    ui_locales_supported: words("Languages of the pages", "en", "de"),
    claims_parameter_supported: out.boolean("false: `claims` is ignored", false),
    request_parameter_supported: out.boolean("false: `request` is refused", false),
    request_uri_parameter_supported: out.boolean("false: `request_uri` is refused", false),
    authorization_response_iss_parameter_supported: out.boolean("true: answers name the issuer (RFC 9207)"),
  },
  "The facts about this server that OAuth and OpenID Connect clients read",
);
export type ServerMetadata = (typeof ServerMetadata)["static"];

export const KeySet = record(
  "KeySet",
  {
    keys: t.Array(
      t.Object({
        kty: out.string("Key type", "EC"),
        crv: out.string("Curve", "P-256"),
        x: out.string("Coordinate", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
        y: out.string("Coordinate", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"),
        kid: out.uuid("Identifier: ID tokens name it"),
        alg: out.string("Algorithm", "ES256"),
        use: out.string("Use", "sig"),
      }),
      { description: "Public keys" },
    ),
  },
  "The keys that ID tokens are, were lately, or will soon be signed with (RFC 7517)",
);

const field = (description: string, example: string, maxLength = 2_048) =>
  t.Optional(characters({ maxLength, description, examples: [example] }));

const client = {
  client_id: field(
    "The client, unless the Authorization header names it",
    "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01",
  ),
  client_secret: field("Its secret, unless it comes in the Authorization header", "fls_…"),
};

export const TokenForm = t.Object(
  {
    grant_type: characters({
      maxLength: 64,
      description: "`authorization_code`, `refresh_token` or `client_credentials`",
      examples: ["authorization_code"],
    }),
    code: field("The code, once", "flc_0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ"),
    redirect_uri: field("The address that the code went to", "https://app.example/callback"),
    code_verifier: field("The verifier of PKCE", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", 128),
    refresh_token: field("The refresh token, once", "flr_0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ"),
    scope: field(
      "Some of the granted scopes; of a client that acts for itself, some of the approved ones",
      "gps:read",
    ),
    ...client,
  },
  { title: "TokenForm" },
);

export const RevocationForm = t.Object(
  {
    token: characters({
      maxLength: 2_048,
      description: "An access token or a refresh token",
      examples: ["flr_0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ"],
    }),
    token_type_hint: field("Ignored: the token shows it", "refresh_token", 64),
    ...client,
  },
  { title: "RevocationForm" },
);

export const TokenResponse = t.Object(
  {
    access_token: out.string(
      "Send it as `Authorization: Bearer`",
      "fla_0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ",
    ),
    token_type: out.string("Always Bearer", "Bearer"),
    expires_in: out.integer("Seconds until the access token ends", 900),
    scope: out.string("What was granted", "openid profile gps:read"),
    refresh_token: t.Optional(
      out.string(
        "With `offline_access`: gets the next tokens, once",
        "flr_0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ",
      ),
    ),
    id_token: t.Optional(out.string("With `openid`: who signed in, and how", "eyJhbGciOiJFUzI1NiIs…")),
  },
  { title: "TokenResponse", description: "Tokens (RFC 6749, section 5.1)", "x-headers": ["Pragma"] },
);
export type TokenResponse = (typeof TokenResponse)["static"];

export const OAuthErrorBody = record(
  "OAuthErrorBody",
  {
    error: out.string("The error of RFC 6749, section 5.2", "invalid_grant"),
    error_description: out.string("What went wrong, for a developer", "The code has expired"),
    message: out.string("The same, as all errors of this API have it", "The code has expired"),
  },
  "A refusal in the words of OAuth",
);

/** The same for a client that didn't authenticate: with the challenge of RFC 6749, section 5.2. */
export const ClientRefused = { ...OAuthErrorBody, "x-headers": ["WWW-Authenticate"] };

export const InsufficientScope = t.Object(ErrorBody.properties, {
  title: "InsufficientScope",
  description: "The access token lacks the scope (RFC 6750, section 3.1)",
  "x-headers": ["WWW-Authenticate"],
});

export const UserInfo = record(
  "UserInfo",
  {
    sub: out.uuid("The user: the same for ever, and for every client"),
    name: t.Optional(out.string("With `profile`: how the user is shown", "Skipper")),
    preferred_username: t.Optional(out.string("With `profile`: the username, which may change", "skipper")),
    picture: t.Optional(
      out.uri("With `profile`: the user's picture, if any", "https://cdn.example.org/s.png"),
    ),
    locale: t.Optional(out.string("With `profile`: the locale that the user chose, if any", "de")),
    updated_at: t.Optional(
      out.integer("With `profile`: when the account last changed, in Unix seconds", 1_777_887_000),
    ),
    email: t.Optional(out.email("With `email`: the user's address, if any", "skipper@example.org")),
    email_verified: t.Optional(out.boolean("With `email`: whether the user has proved it")),
  },
  "Claims about the user",
);
export type UserInfo = (typeof UserInfo)["static"];
