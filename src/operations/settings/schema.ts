import { json, nullable, optional, out, record, t, text } from "../../kernel/http/schema";

const KEY_EXAMPLE = "harbour.opening_hours";

const key = t.String({
  pattern: "^[A-Za-z0-9._-]{1,128}$",
  maxLength: 128,
  "x-expected": "must be 1 to 128 letters, digits, dots, underscores or hyphens",
  description: "Key: 1 to 128 of letters, digits, `.`, `_`, `-`",
  examples: [KEY_EXAMPLE],
});

const value = (description: string) => json({ description, examples: [{ from: "08:00", to: "18:00" }] });

const shared = {
  key: out.string("Key", KEY_EXAMPLE),
  value: value("Any JSON value"),
  description: nullable(out.string("What it is for", "When the harbour office is open")),
};

export const PublicSetting = record("PublicSetting", shared, "A setting that anybody may read");
export type PublicSetting = (typeof PublicSetting)["static"];

export const Setting = record(
  "Setting",
  {
    ...shared,
    is_public: out.boolean("Whether anybody may read it", false),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "A system setting",
);
export type Setting = (typeof Setting)["static"];

const fields = {
  value: value("Any JSON value"),
  description: optional(text("What it is for", "When the harbour office is open")),
  is_public: optional(
    t.Boolean({ description: "Whether anybody may read it; default false", examples: [false] }),
  ),
};

export const NewSetting = t.Object({ key, ...fields }, { title: "NewSetting" });
export type NewSetting = (typeof NewSetting)["static"];

export const SettingReplacement = t.Object(fields, { title: "SettingReplacement" });
export type SettingReplacement = (typeof SettingReplacement)["static"];

export const KeyParams = t.Object({ key });
