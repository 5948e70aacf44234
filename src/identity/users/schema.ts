import { characters, nullable, optional, out, record, t } from "../../kernel/http/schema";
import { webAddress } from "../../kernel/http/web-address";
import { LOCALES } from "../../kernel/values/bilingual";
import { emailField, usernameField } from "../directory/schema";
import { proofFields } from "../proof/schema";

const PLATFORM_ACCOUNT = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a02";

/** A locale that was checked when it was chosen. */
export const locale = (description: string) =>
  t.String({ "x-shown": { enum: LOCALES }, description, examples: ["de"] });

const userFields = {
  id: out.uuid("Identifier"),
  username: out.string("Username, in lower case", "skipper"),
  primary_platform_account_id: nullable(
    out.uuid("Platform account that stands for the user; null for a deleted account", {
      examples: [PLATFORM_ACCOUNT],
    }),
  ),
  created_at: out.time("When the account was created"),
  updated_at: out.time("When the account was last changed"),
  last_login_at: nullable(out.time("When the user last signed in")),
  deleted_at: nullable(out.time("When the account was deleted")),
  privacy_mode: out.boolean("Whether the user asked to be shown to others as little as possible", false),
  preferred_locale: nullable(locale("Locale that the user chose")),
  avatars_enabled: out.boolean("Whether avatars are kept; false removes them"),
};

export const User = record("User", userFields, "A user");
export type User = (typeof User)["static"];

export const OwnUser = record(
  "OwnUser",
  {
    ...userFields,
    email: nullable(
      out.string(
        "Address that the user signs in with, else one that a platform vouches for; null without either",
        "skipper@example.org",
      ),
    ),
    roles: t.Array(t.String(), {
      description: "Identifiers of the roles that the user holds",
      examples: [["role_user"]],
    }),
    permissions: t.Array(t.String(), {
      description:
        "What the credential may do, wildcards unexpanded: of a session all that the user may, of an API key its own part of it",
      examples: [["two_factor:read", "two_factor:write"]],
    }),
  },
  "The user behind a credential",
);
export type OwnUser = (typeof OwnUser)["static"];

export const ExtendedUser = record(
  "ExtendedUser",
  {
    id: userFields.id,
    primary_platform_account_id: userFields.primary_platform_account_id,
    username: userFields.username,
    email: nullable(
      out.email(
        "Address that a platform vouches for, the primary one first; null when none does",
        "skipper@example.org",
      ),
    ),
    avatar_url: nullable(
      out.uri("Picture of the primary platform account", "https://cdn.example.org/skipper.png"),
    ),
    platform: nullable(out.string("Slug of the primary platform", "discord")),
    created_at: userFields.created_at,
    updated_at: userFields.updated_at,
    last_login_at: userFields.last_login_at,
    privacy_mode: userFields.privacy_mode,
    is_banned: out.boolean("Whether the user is banned now", false),
  },
  "A user with address, picture and platform",
);
export type ExtendedUser = (typeof ExtendedUser)["static"];

export const Profile = record(
  "Profile",
  {
    name: out.string("Username", "skipper"),
    display_name: out.string("Name on the primary platform, else the username", "Skipper"),
    picture: nullable(
      out.uri("Picture of the primary platform account", "https://cdn.example.org/skipper.png"),
    ),
    provider: nullable(out.string("Slug of the platform signed in with last", "email")),
    primary_provider: nullable(out.string("Slug of the primary platform", "email")),
    last_login_at: userFields.last_login_at,
    created_at: userFields.created_at,
    privacy_mode: userFields.privacy_mode,
    avatars_enabled: userFields.avatars_enabled,
  },
  "How a user is shown",
);
export type Profile = (typeof Profile)["static"];

export const UserChange = t.Object(
  {
    username: t.Optional(usernameField),
    email: t.Optional(emailField),
    avatar_url: optional(
      webAddress("Picture of the primary platform account", "https://cdn.example.org/skipper.png"),
    ),
    privacy_mode: t.Optional(
      t.Boolean({ description: "Whether the user wants to be shown to others as little as possible" }),
    ),
    avatars_enabled: t.Optional(t.Boolean({ description: "Whether avatars are kept; false removes them" })),
    ...proofFields,
  },
  { title: "UserChange" },
);
export type UserChange = (typeof UserChange)["static"];

export const LocaleChange = t.Object(
  {
    locale: nullable(
      characters({
        maxLength: 16,
        "x-shown": { enum: LOCALES, maxLength: null },
        description: "One of `email.supported_locales`; null clears the choice",
        examples: ["de"],
      }),
    ),
  },
  { title: "LocaleChange" },
);

export const UsernameChange = t.Object({ username: usernameField }, { title: "UsernameChange" });

export const PermissionList = record(
  "PermissionList",
  {
    permissions: t.Array(t.String(), {
      description: "Permissions and wildcards, by all roles held",
      examples: [["two_factor:read", "two_factor:write"]],
    }),
  },
  "What a user may do",
);

export const RoleList = record(
  "RoleList",
  {
    roles: t.Array(
      t.Object({
        id: out.string("Identifier", "role_user"),
        name: out.string("Name", "User"),
        description: nullable(out.string("What the role is for", "Every registered user")),
      }),
      { description: "Roles held" },
    ),
  },
  "The roles of a user",
);
export type RoleList = (typeof RoleList)["static"];
