import { nullable, oneOf, out, queryBoolean, record, t } from "../../kernel/http/schema";
import { REJECTIONS } from "../ingest/fix";

const ImportRejection = record(
  "ImportRejection",
  {
    line: out.integer("The line of the file on which the point begins, from 1", 17),
    reason: oneOf(REJECTIONS, "Why it can't be stored", "no_time"),
  },
  "A point that was rejected",
);

export const ImportReport = record(
  "ImportReport",
  {
    positions: out.integer("Positions that were stored; in a dry run, that would be", 18_934),
    duplicates: out.integer("Points of a second that the device has a position for already", 0),
    rejected: out.integer("Points that can't be stored", 1),
    rejections: t.Array(ImportRejection, { description: "The first 20 of these" }),
    from: nullable(out.time("Time of the earliest point that isn't rejected; null without any")),
    to: nullable(out.time("Time of the latest one")),
    distance_km: out.number(
      "Length of the file's tracks in kilometres, without the gaps between their segments",
      38.07,
    ),
    tracks: out.integer("Tracks in the file; a CSV file is one", 1),
  },
  "The outcome of an import",
);
export type ImportReport = (typeof ImportReport)["static"];

export const ImportQuery = t.Object({
  dry_run: t.Optional(
    queryBoolean({
      description: "Tells what would come of the import, and stores nothing",
      examples: [true],
    }),
  ),
});
