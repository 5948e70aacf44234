import { characters, json, out, t } from "../../kernel/http/schema";
import { CATALOGUE } from "../../runtime-settings/catalogue";

const KEYS = Object.keys(CATALOGUE);

const fields = {
  key: out.string("Key", "gps.current_cache_seconds"),
  value: json({ description: "Value", examples: [300] }),
  description: out.string("What it does", "How long a current position is kept in memory, in seconds"),
  updated_at: out.time("When it was last changed"),
};

/** One entry for each key, with the values that it takes. */
const entries = Object.entries(CATALOGUE).map(([key, { default: example, description, schema }]) =>
  t.Object({
    key: t.Literal(key, { type: "string", description: "Key" }),
    value: t.Unsafe({ ...schema, description, examples: [example] }),
    description: t.String({ description: "What it does", examples: [description] }),
    updated_at: fields.updated_at,
  }),
);

export const ConfigEntry = t.Object(fields, {
  title: "SystemConfigEntry",
  description: "Something that can be changed while the server runs; `key` tells which values it takes",
  "x-shown": { anyOf: entries, type: null, properties: null, required: null },
});
export type ConfigEntry = (typeof ConfigEntry)["static"];

export const PrefixQuery = t.Object({
  prefix: t.Optional(
    characters({ maxLength: 128, description: "Only keys that begin with this", examples: ["gps."] }),
  ),
});

export const ConfigKeyParams = t.Object({
  key: characters({
    minLength: 1,
    maxLength: 128,
    "x-shown": { enum: KEYS, minLength: null, maxLength: null },
    description: "The key",
    examples: ["gps.current_cache_seconds"],
  }),
});

export const ConfigChange = t.Object(
  {
    value: json({
      "x-shown": { type: "number" },
      description: "The new value: one that `SystemConfigEntry` shows for the key",
      examples: [120],
    }),
  },
  { title: "SystemConfigChange" },
);
