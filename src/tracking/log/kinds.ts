/** Kinds of entries that people write, or programs for them. */
export const WRITTEN_KINDS = ["note", "weather", "engine", "sail", "crew", "watch", "position"] as const;

/** All kinds of entries: a `strike` strikes another entry out. */
export const ENTRY_KINDS = [...WRITTEN_KINDS, "strike"] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];
