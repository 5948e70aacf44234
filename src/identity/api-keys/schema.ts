import { dateTime, name, nullable, optional, out, record, t, text, uuid } from "../../kernel/http/schema";
import { PERMISSION_FORM } from "../access/permissions";
import { proofFields } from "../proof/schema";
import { roleParameter } from "../roles/schema";

const Scope = t.String({
  pattern: PERMISSION_FORM.source,
  maxLength: 130,
  "x-expected": "must be <resource>:<action>, <resource>:* or *:*",
});
const Scopes = t.Array(Scope, {
  maxItems: 100,
  description: "Permissions that the key may use, `*` as a wildcard; its owner's permissions narrow them",
  examples: [["gps:write", "gps:read"]],
});
const HeldScopes = t.Array(t.String(), {
  description: "Permissions that the key may use, as far as its owner holds them",
  examples: [["gps:write", "gps:read"]],
});
const ExpiresAt = dateTime("When the key ends; null for never", { examples: ["2099-12-31T23:00:00.000Z"] });

export const ApiKey = record(
  "ApiKey",
  {
    id: out.uuid("Identifier"),
    key_prefix: out.string("Leading characters of the key, to recognise it by", "flk_3q2-7w8x"),
    name: out.string("Name", "Pilot boat tracker"),
    description: nullable(out.string("What the key is for", "Posts positions of the pilot boat")),
    scopes: HeldScopes,
    is_active: out.boolean("Whether the key is accepted"),
    is_system: out.boolean("Whether it is a system key, which holds *:*", false),
    expires_at: nullable(out.time("When the key ends; null for never")),
    last_used_at: nullable(out.time("When it was last used, to the minute")),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "An API key, without its value",
);
export type ApiKey = (typeof ApiKey)["static"];

export const NewApiKey = t.Object(
  {
    name: name("Name", "Pilot boat tracker"),
    description: optional(text("What the key is for", "Posts positions of the pilot boat")),
    scopes: optional(Scopes),
    expires_at: optional(ExpiresAt),
    ...proofFields,
  },
  { title: "NewApiKey" },
);
export type NewApiKey = (typeof NewApiKey)["static"];

export const ApiKeyChange = t.Object(
  {
    name: t.Optional(name("Name", "Pilot boat tracker")),
    description: optional(text("What the key is for", "Posts positions of the pilot boat")),
    scopes: optional(Scopes),
    expires_at: optional(ExpiresAt),
    is_active: t.Optional(t.Boolean({ description: "false switches the key off", examples: [false] })),
    ...proofFields,
  },
  { title: "ApiKeyChange" },
);
export type ApiKeyChange = (typeof ApiKeyChange)["static"];

const secretKey = out.string(
  "The key itself; shown only once",
  "flk_3q2-7w8xPZ0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE",
);

export const CreatedApiKey = record(
  "CreatedApiKey",
  {
    id: out.uuid("Identifier"),
    key: secretKey,
    name: out.string("Name", "Pilot boat tracker"),
    scopes: HeldScopes,
    expires_at: nullable(out.time("When the key ends; null for never")),
  },
  "A key just created: the only time that its value is shown",
);

export const RegeneratedApiKey = record(
  "RegeneratedApiKey",
  {
    id: out.uuid("Identifier"),
    key: secretKey,
    key_prefix: out.string("Leading characters of the key", "flk_3q2-7w8x"),
    name: out.string("Name", "Pilot boat tracker"),
    scopes: HeldScopes,
    is_active: out.boolean("Whether the key is accepted"),
    expires_at: nullable(out.time("When the key ends; null for never")),
  },
  "A key with its new value; the old one is invalid at once",
);

export const KeyRoleParams = t.Object({
  id: uuid("Identifier of the key"),
  role_id: roleParameter(),
});
