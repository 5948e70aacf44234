import { characters, json, out, record, t } from "../../kernel/http/schema";

export const ConfigEntry = record(
  "SystemConfigEntry",
  {
    key: out.string("Key", "gps.current_cache_seconds"),
    value: json({ description: "Value", examples: [300] }),
    description: out.string("What it does", "How long a current position is kept in memory, in seconds"),
    updated_at: out.time("When it was last changed"),
  },
  "Something that can be changed while the server runs",
);
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
    description: "The key",
    examples: ["gps.current_cache_seconds"],
  }),
});

export const ConfigChange = t.Object(
  { value: json({ description: "The new value", examples: [120] }) },
  { title: "SystemConfigChange" },
);
