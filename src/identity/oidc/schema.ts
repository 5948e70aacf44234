import { characters, nullable, oneOf, optional, out, record, t } from "../../kernel/http/schema";
import { webAddress } from "../../kernel/http/web-address";
import { proofFields } from "../proof/schema";

export const ProviderParams = t.Object({
  name: t.String({
    pattern: "^[a-z][a-z0-9_]{0,31}$",
    maxLength: 32,
    "x-expected": "must be the name of a provider: letters in lower case, digits and _",
    description: "Name of the provider in the configuration",
    examples: ["authelia"],
  }),
});

const challenge = (description: string) =>
  t.String({
    pattern: "^[A-Za-z0-9_-]{43}$",
    maxLength: 43,
    "x-expected": "must be a challenge by S256: 43 characters of base64url",
    description,
    examples: ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"],
  });

const oneTimeCode = (description: string) =>
  characters({
    minLength: 1,
    maxLength: 128,
    description,
    examples: ["0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ"],
  });

const code_verifier = t.Optional(
  t.String({
    pattern: "^[A-Za-z0-9._~-]{43,128}$",
    maxLength: 128,
    "x-expected": "must be a verifier: 43 to 128 letters, digits and -._~",
    description:
      "The PKCE verifier (RFC 7636) whose challenge began it: of a client that named `redirect_uri`",
    examples: ["dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"],
  }),
);

export const WaysToSignIn = record(
  "WaysToSignIn",
  {
    password_login: oneOf(
      ["all", "local_admins", "none"],
      "Who may sign in with a password (`auth.password_login`): all, those alone who may change users, or nobody",
    ),
    registration: out.boolean("Whether strangers may register with a password"),
    providers: t.Array(
      t.Object({
        name: out.string("Name in the configuration", "authelia"),
        display_name: out.string("Name for people", "Authelia"),
        url: out.string("Where a browser begins, relative to this server", "/v1/auth/oidc/authelia"),
      }),
      { description: "OpenID providers, in the order of the configuration" },
    ),
  },
  "The ways in which users sign in here",
);

export const CodeInput = t.Object(
  { code: oneTimeCode("The code with which the browser came back"), code_verifier },
  { title: "OidcCode" },
);

export const Beginning = t.Object(
  {
    redirect_uri: optional(
      webAddress(
        "Where the browser goes in the end, of an origin in `integrations.allowed_redirects`; the page of this server by default",
        "https://app.example/linked",
      ),
    ),
    code_challenge: optional(challenge("PKCE challenge (RFC 7636, S256); required with `redirect_uri`")),
    ...proofFields,
  },
  { title: "OidcBeginning" },
);
export type Beginning = (typeof Beginning)["static"];

export const Begun = t.Object(
  {
    authorization_url: out.uri(
      "Address at the provider to send the user's browser to",
      "https://auth.example.org/api/oidc/authorization?client_id=fairlead",
    ),
    expires_at: out.time("When it ends: ten minutes from now"),
  },
  {
    title: "OidcBegun",
    description: "A way to a provider. A page of this server also gets the cookie by which it is known again",
    "x-headers": ["Set-Cookie"],
  },
);

export const Identity = record(
  "OidcIdentity",
  {
    id: out.uuid("Identifier"),
    provider: out.string("Name of the provider in the configuration", "authelia"),
    display_name: out.string("Its name for people", "Authelia"),
    issuer: out.string("Its issuer", "https://auth.example.org"),
    subject: out.string("Who the user is there", "5f0c6b1e-77c2-4c39-9a54-5a9d0a4c2c0e"),
    label: nullable(out.string("What the provider calls the user", "skipper")),
    created_at: out.time("When it was linked"),
    last_used_at: nullable(out.time("When it last served to sign in; null if it never did")),
  },
  "An identity at an OpenID provider, which lets its owner sign in",
);
export type Identity = (typeof Identity)["static"];

export const OwnWaysIn = record(
  "OwnWaysIn",
  {
    has_password: out.boolean("Whether the account has a password"),
    may_use_password: out.boolean("Whether `auth.password_login` lets its user sign in with one"),
    passkeys: t.Integer({ minimum: 0, description: "Passkeys of the account", examples: [1] }),
    identities: t.Integer({ minimum: 0, description: "Identities that let the user in now", examples: [1] }),
    platform_accounts: t.Integer({
      minimum: 0,
      description: "Accounts on other platforms that do",
      examples: [0],
    }),
  },
  "The ways in which the caller can sign in now",
);
