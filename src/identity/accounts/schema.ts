import { characters, nullable, optional, out, record, t, uuid } from "../../kernel/http/schema";
import { webAddress } from "../../kernel/http/web-address";
import { emailField } from "../directory/schema";

const PROFILE_PICTURE = "https://cdn.example.org/skipper.png";

export const PlatformAccount = record(
  "PlatformAccount",
  {
    id: out.uuid("Identifier"),
    platform_id: out.uuid("The platform"),
    platform_name: out.string("Its name", "Discord"),
    platform_slug: out.string("Its slug; `email` for sign-in with a password", "discord"),
    platform_user_id: out.string("Who the user is there; on `email` the address", "80351110224678912"),
    is_oauth: out.boolean("Whether sign-in goes through an external provider"),
    is_primary: out.boolean("Whether this account stands for the user", false),
    username: nullable(out.string("Name on the platform", "Skipper")),
    email: nullable(out.email("Email address on the platform", "skipper@example.org")),
    avatar_url: nullable(out.uri("Picture on the platform", PROFILE_PICTURE)),
    created_at: out.time("When it was linked"),
    updated_at: out.time("When it was last changed"),
  },
  "A way in which a user signs in",
);
export type PlatformAccount = (typeof PlatformAccount)["static"];

export const AccountParams = t.Object({
  id: uuid("The user"),
  account_id: uuid("The platform account"),
});

export const ExternalLogin = t.Object(
  {
    email: optional(emailField),
    name: characters({
      minLength: 1,
      maxLength: 200,
      description: "Name on the platform",
      examples: ["Skipper"],
    }),
    oauthProvider: characters({
      minLength: 1,
      maxLength: 128,
      description: "Slug of the platform; not `email`",
      examples: ["discord"],
    }),
    oauthProviderId: characters({
      minLength: 1,
      maxLength: 255,
      description: "Who the user is on the platform",
      examples: ["80351110224678912"],
    }),
    image: optional(webAddress("Picture on the platform", PROFILE_PICTURE)),
    email_verified: t.Optional(
      t.Boolean({
        default: true,
        description: "Whether the platform vouches for the address",
        examples: [true],
      }),
    ),
  },
  { title: "ExternalLogin" },
);
export type ExternalLogin = (typeof ExternalLogin)["static"];

export const EmailParams = t.Object({ email: emailField });

export const PlatformIdentity = t.Object({
  platform_slug: characters({
    minLength: 1,
    maxLength: 128,
    description: "Slug of the platform",
    examples: ["discord"],
  }),
  platform_user_id: characters({
    minLength: 1,
    maxLength: 255,
    description: "Who the user is on the platform",
    examples: ["80351110224678912"],
  }),
});
