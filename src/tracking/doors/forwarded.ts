import { sqlite, statement } from "../../kernel/db/connection";

// Raw SQL: each position that a server forwards is looked up by the name of its device.
const byName = statement(() =>
  sqlite.prepare<{ id: string }, [string]>(
    "SELECT id FROM devices WHERE external_id = ? AND box_id IS NULL AND is_active = 1",
  ),
);

/** The active device that other systems know by a name; null if there is none. */
export const deviceNamed = (externalId: string): string | null => byName().get(externalId)?.id ?? null;
