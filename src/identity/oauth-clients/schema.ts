import { characters, name, nullable, oneOf, optional, out, record, t, text } from "../../kernel/http/schema";
import { webAddress } from "../../kernel/http/web-address";
import { proofFields } from "../proof/schema";
import { CLIENT_TYPES } from "./client-types";

const address = (description: string, example: string) => optional(webAddress(description, example));

const post_logout_redirect_uris = t.Optional(
  t.Array(characters({ minLength: 1, maxLength: 2_048, description: "An address" }), {
    maxItems: 20,
    description:
      "Addresses to which a sign-out may lead (OpenID Connect RP-Initiated Logout 1.0): as `redirect_uris`",
    examples: [["https://app.example/goodbye"]],
  }),
);

const scope = t.String({
  pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,64}$",
  maxLength: 64,
  "x-expected": "must be a scope: up to 64 printable characters without blanks and quotes",
  description: "A scope",
});

const fields = {
  description: optional(text("What the application does", "Shows the crew where everybody is")),
  logo_url: address("Picture for the consent page", "https://app.example/logo.png"),
  homepage_url: address("Where the application is at home", "https://app.example"),
  privacy_policy_url: address("Its privacy policy", "https://app.example/privacy"),
  terms_of_service_url: address("Its terms of service", "https://app.example/terms"),
  allowed_scopes: t.Optional(
    t.Array(scope, {
      maxItems: 100,
      description:
        "Scopes that it may ask for (RFC 6749, section 3.3): `openid`, `profile`, `email`, `offline_access`, and permissions once they are approved",
      examples: [["openid", "profile", "email"]],
    }),
  ),
  approved_scopes: t.Optional(
    t.Array(scope, {
      maxItems: 100,
      description:
        "Permissions among `allowed_scopes` that its tokens may carry; set by administrators alone. Wildcards are none",
      examples: [["gps:read"]],
    }),
  ),
  post_logout_redirect_uris,
  client_type: t.Optional(
    oneOf(CLIENT_TYPES, "`confidential` keeps a secret; `public` has none (RFC 6749, 2.1)"),
  ),
  is_first_party: t.Optional(
    t.Boolean({
      description: "Whether it belongs to the installation; set by super admins alone",
      examples: [false],
    }),
  ),
};

const redirect_uris = t.Array(characters({ minLength: 1, maxLength: 2_048, description: "A redirect URI" }), {
  minItems: 1,
  maxItems: 20,
  description:
    "Addresses to which it may have users sent back: https, http on the device itself, or a private scheme",
  examples: [["https://app.example/callback"]],
});

export const NewOAuthClient = t.Object(
  { name: name("Name", "Crew app"), redirect_uris, ...fields, ...proofFields },
  { title: "NewOAuthClient" },
);
export type NewOAuthClient = (typeof NewOAuthClient)["static"];

export const OAuthClientChange = t.Object(
  {
    name: t.Optional(name("Name", "Crew app")),
    redirect_uris: t.Optional(redirect_uris),
    ...fields,
    is_active: t.Optional(t.Boolean({ description: "Whether it may be used", examples: [true] })),
    ...proofFields,
  },
  { title: "OAuthClientChange" },
);
export type OAuthClientChange = (typeof OAuthClientChange)["static"];

const url = (description: string, example: string) => nullable(out.uri(description, example));

export const OAuthClient = record(
  "OAuthClient",
  {
    id: out.uuid("Identifier; the `client_id`"),
    name: out.string("Name", "Crew app"),
    description: nullable(out.string("What the application does", "Shows the crew where everybody is")),
    logo_url: url("Picture for the consent page", "https://app.example/logo.png"),
    homepage_url: url("Where the application is at home", "https://app.example"),
    privacy_policy_url: url("Its privacy policy", "https://app.example/privacy"),
    terms_of_service_url: url("Its terms of service", "https://app.example/terms"),
    redirect_uris: t.Array(t.String(), {
      description: "Addresses to which it may have users sent back",
      examples: [["https://app.example/callback"]],
    }),
    allowed_scopes: t.Array(t.String(), {
      description: "Scopes that it may ask for",
      examples: [["openid", "profile", "email"]],
    }),
    approved_scopes: t.Array(t.String(), {
      description: "Permissions among them that an administrator has approved",
      examples: [["gps:read"]],
    }),
    post_logout_redirect_uris: t.Array(t.String(), {
      description: "Addresses to which a sign-out may lead",
      examples: [["https://app.example/goodbye"]],
    }),
    client_type: oneOf(CLIENT_TYPES, "Whether it keeps a secret"),
    is_active: out.boolean("Whether it may be used"),
    is_first_party: out.boolean("Whether it belongs to the installation", false),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "An application that signs users in through this installation",
);
export type OAuthClient = (typeof OAuthClient)["static"];

const EXAMPLE_SECRET = "fls_0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ";

export const CreatedOAuthClient = record(
  "CreatedOAuthClient",
  {
    client: t.Object(
      {
        id: out.uuid("Identifier; the `client_id`"),
        name: out.string("Name", "Crew app"),
        client_type: oneOf(CLIENT_TYPES, "Whether it keeps a secret"),
        is_active: out.boolean("Whether it may be used"),
      },
      { description: "The client" },
    ),
    client_secret: nullable(
      out.string("The secret, shown only once; null for a public client", EXAMPLE_SECRET),
    ),
  },
  "A new client and its secret",
);

export const RegeneratedSecret = record(
  "RegeneratedSecret",
  {
    client_id: out.uuid("The client"),
    client_secret: out.string("The new secret, shown only once", EXAMPLE_SECRET),
    message: out.string("What was done", "The former secret is invalid"),
  },
  "A client's new secret",
);
