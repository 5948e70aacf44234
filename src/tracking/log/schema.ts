import { localeQuery } from "../../kernel/http/accept";
import { Page } from "../../kernel/http/answers";
import { pageQuery } from "../../kernel/http/envelopes";
import {
  characters,
  dateTime,
  jsonObjectOrNull,
  nullable,
  oneOf,
  optional,
  out,
  record,
  t,
  text,
  uuid,
} from "../../kernel/http/schema";
import { ENTRY_KINDS, WRITTEN_KINDS } from "./kinds";

const HASH = "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab";
const DATA = { engine_hours: 1204.5, wind_bft: 5, barometer_hpa: 1013 };

export const LogEntry = record(
  "LogEntry",
  {
    id: out.uuid("Identifier"),
    trip_id: out.uuid("The trip"),
    number: out.integer(
      "Its number in the log, from 1 on, in the order in which the entries were written",
      7,
    ),
    kind: oneOf(ENTRY_KINDS, "What it is about; a `strike` strikes another entry out"),
    occurred_at: out.time("When it happened; of a `position` that came by itself the time of the fix"),
    recorded_at: out.time("When it was written"),
    user_id: nullable(out.uuid("The user who wrote it, whose key wrote it, or null")),
    api_key_id: nullable(out.uuid("The API key that wrote it, if a key did")),
    is_automatic: out.boolean("True for a `position` that the server wrote by itself", false),
    text: nullable(out.string("The words; of a `strike` the reason", "Reefed the main, wind freshening")),
    data: jsonObjectOrNull({
      description:
        "Further values, as they were sent. A `position` that came by itself has `latitude` and `longitude` (degrees), `heading` (course over ground, degrees true, or null), `speed_knots` and `speed_kmh` (or null), `distance_km` since the last one of these and `total_distance_km` of the trip",
      examples: [DATA],
    }),
    strikes_id: nullable(out.uuid("The entry that a `strike` strikes out")),
    previous_hash: nullable(out.string("`hash` of the entry before; null for the first", HASH)),
    hash: out.string("SHA-256 of the entry without this field, in hex: see docs/log.md", HASH),
  },
  "An entry of a trip's log, which never changes",
);
export type LogEntry = (typeof LogEntry)["static"];

const Strike = record(
  "LogStrike",
  {
    entry_id: out.uuid("The entry that was struck out"),
    strike_id: out.uuid("The entry that strikes it out"),
    strike_number: out.integer("Its number in the log", 9),
    struck_at: out.time("When it was struck out"),
    reason: out.string("The reason", "Wrong reading"),
  },
  "That an entry was struck out",
);
export type Strike = (typeof Strike)["static"];

const { properties: pageProperties, ...pageOptions } = Page("LogPage", LogEntry);
const LogPage = t.Object(
  {
    ...pageProperties,
    strikes: t.Array(Strike, { description: "The entries of this page that are struck out" }),
  },
  pageOptions as { title: string; description: string },
);

/** The file of `format=json`. */
export const LogFile = record(
  "LogFile",
  {
    trip_id: out.uuid("The trip"),
    exported_at: out.time("When the file was made"),
    head: nullable(out.string("`hash` of the last entry; null without entries", HASH)),
    data: t.Array(LogEntry, { description: "All entries, oldest first, exactly as they were hashed" }),
  },
  "A trip's whole log",
);

/** The answer of the log: a page, or a file. */
export const LogPageOrFile = t.Union([LogPage, LogFile], {
  "x-content-types": ["application/json", "text/csv", "application/pdf"],
  "x-headers": ["Content-Disposition"],
});

export const FORMATS = ["pdf", "csv", "json"] as const;
export const DEFAULT_LIMIT = 20;

export const LogQuery = t.Object({
  ...pageQuery(DEFAULT_LIMIT),
  format: t.Optional(
    oneOf(FORMATS, "The whole log as a file: a sheet to sign, a table, or the entries as they were hashed"),
  ),
  locale: localeQuery("the sheet"),
});

export const NewLogEntry = t.Object(
  {
    kind: t.Optional(oneOf(WRITTEN_KINDS, "What it is about; default `note`")),
    text: optional(text("The words; needed where there is no `data`", "Reefed the main, wind freshening")),
    occurred_at: optional(
      dateTime(
        "When it happened; default now, and at most `ingest.max_future_seconds` (300) ahead of the server's clock",
      ),
    ),
    data: t.Optional(
      jsonObjectOrNull({
        description: "Further values: any object of at most 16 KiB of JSON and 16 levels",
        examples: [DATA],
      }),
    ),
  },
  { title: "NewLogEntry" },
);
export type NewLogEntry = (typeof NewLogEntry)["static"];

export const NewStrike = t.Object(
  {
    reason: characters({
      minLength: 1,
      maxLength: 1_000,
      description: "Why the entry is wrong",
      examples: ["Wrong reading"],
    }),
  },
  { title: "NewLogStrike" },
);

export const EntryParams = t.Object({
  id: uuid("Identifier of the trip"),
  entry_id: uuid("Identifier of the entry"),
});

export const Verification = record(
  "LogVerification",
  {
    is_intact: out.boolean("True if each entry has the hash that it should, and names the one before"),
    entries: out.integer("Number of entries that were checked", 42),
    head: nullable(out.string("`hash` of the last entry; null without entries", HASH)),
    first_break: nullable(out.uuid("The first entry that was changed, or before which one is missing")),
  },
  "Whether the chain of a log holds",
);
export type Verification = (typeof Verification)["static"];
