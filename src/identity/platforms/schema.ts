import { characters, out, record, t } from "../../kernel/http/schema";

const fields = {
  id: out.uuid("Identifier"),
  name: out.string("Name", "Discord"),
  slug: out.string("Short name, which never changes", "discord"),
  is_oauth: out.boolean("Whether sign-in goes through an external provider"),
  enabled: out.boolean("Whether users can sign in through it"),
  two_factor_supported: out.boolean("Whether two-factor authentication can be set up from it"),
  two_factor_required: out.boolean("Whether two-factor authentication is required to use it", false),
  registration_enabled: out.boolean("Whether new users can register through it"),
  created_at: out.time("When it was added"),
  updated_at: out.time("When it was last changed"),
};
const { id, name, slug, enabled, two_factor_required, registration_enabled } = fields;

export const Platform = record("Platform", fields, "What users sign in with");
export type Platform = (typeof Platform)["static"];

export const PlatformParams = t.Object({
  id_or_slug: characters({
    minLength: 1,
    maxLength: 128,
    description: "Identifier or slug of the platform",
    examples: ["discord"],
  }),
});

const switches = {
  enabled: t.Boolean({ description: "Whether users can sign in through it", examples: [false] }),
  two_factor_required: t.Boolean({
    description: "Whether two-factor authentication is required",
    examples: [true],
  }),
  registration_enabled: t.Boolean({
    description: "Whether new users can register through it",
    examples: [false],
  }),
};

export const PlatformSwitch = t.Object({ enabled: switches.enabled }, { title: "PlatformSwitch" });

export const PlatformSettings = t.Partial(t.Object(switches), { title: "PlatformSettings" });
export type PlatformSettings = (typeof PlatformSettings)["static"];

export const SwitchedPlatform = record(
  "SwitchedPlatform",
  { id, name, slug, enabled },
  "Whether a platform is in use",
);

export const ChangedPlatform = record(
  "ChangedPlatform",
  {
    success: out.boolean("true"),
    message: out.string("What was done", "The settings were changed"),
    platform: t.Object(
      { id, name, slug, enabled, two_factor_required, registration_enabled },
      { description: "The platform as it is now" },
    ),
  },
  "A platform's settings after a change",
);
