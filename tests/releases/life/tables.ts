import { countsOf } from "../contents";

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

/** Names of the tables that hold no row; of virtual tables, what SQLite keeps for them doesn't count. */
export const emptyTables = (file: string): string[] =>
  Object.entries(countsOf(file))
    .filter(
      ([name, count]) => count === 0 && !/^sqlite_|_(data|idx|docsize|config|node|parent|rowid)$/.test(name),
    )
    .map(([name]) => name);
