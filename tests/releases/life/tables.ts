import { Database } from "bun:sqlite";

/** Tables of a database that a life leaves empty, with the reason. */
export const UNFILLED: Record<string, string> = {
  gps_detachments: "the positions of a deleted trip or device, while they are let go",
  scrub_names: "the names of a deleted account, while its audit events are scrubbed",
  log_removals: "the logs of deleted trips with more than 500 entries, while these are removed",
  geofence_spans: "stretches of tracks with late positions, while their crossings are computed anew",
  timeline_spans: "stretches of tracks with late positions, while their timelines are computed anew",
  feed_thinned:
    "positions that were given up for the shore: there would have to be more than a megabyte of them",
};

/** The tables of a database, by whether they hold a row; without what SQLite keeps for itself and for virtual tables. */
export function tablesOf(file: string): { filled: string[]; empty: string[] } {
  const database = new Database(file, { readonly: true });
  try {
    const names = database
      .query<{ name: string }, []>(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name",
      )
      .all()
      .map(({ name }) => name);
    const isFilled = (name: string) => database.query(`SELECT 1 FROM "${name}" LIMIT 1`).get() !== null;
    const { filled = [], empty = [] } = Object.groupBy(names, (name) =>
      isFilled(name) ? "filled" : "empty",
    );
    return { filled, empty };
  } finally {
    database.close();
  }
}
