import { baseUrl } from "../../kernel/http/reachable-url";
import { change, name, nullable, optional, out, record, t } from "../../kernel/http/schema";

const shown = {
  id: out.uuid("Identifier"),
  name: out.string("Name", "Greif"),
  token_prefix: out.string("Leading characters of the token, to recognise it by", "flb_3q2-7w8x"),
  created_by: nullable(out.uuid("The user who made it; null for a key of the installation")),
  created_at: out.time("When it was created"),
  updated_at: out.time("When its name or its token was last changed"),
  last_contact_at: nullable(out.time("When it was last heard; null for never")),
  acknowledged: t.Record(t.String(), t.Integer(), {
    description: "For each lane the highest number of the box's feed up to which everything is here",
    examples: [{ alerts: 1_204, backlog: 88_120 }],
  }),
  backlog_estimate: nullable(
    out.integer("Rows that it has yet to send, as it said last; null before its first push", 1_440),
  ),
  bytes_today: out.integer(
    "Bytes of the batches that it has sent today (UTC), without the heads of requests",
    184_320,
  ),
  clock_offset_ms: nullable(
    out.integer("Milliseconds by which its clock was ahead of this one at the last push", -1_500),
  ),
  version: nullable(out.string("Its version of Fairlead", "1.0.0")),
  skipped_rows: out.integer(
    "Positions that it gave up before it could send them, since more waited than `sync.max_backlog_mb` aboard permits",
    0,
  ),
  refused_rows: out.integer(
    "Rows of it that were refused, as one whose identifier is this server's or another box's",
    0,
  ),
  assigned_version: out.integer(
    "Version of the zones and alert rules that are handed to it; rises with each change of them",
    3,
  ),
  applied_version: nullable(out.integer("The version that it holds; null before the first", 3)),
  error: nullable(
    out.string("The reason for which it doesn't hold the assigned version", "It has no device of this rule"),
  ),
};

export const Box = record("Box", shown, "A server aboard that sends what it keeps, without its token");
export type Box = (typeof Box)["static"];

const TOKEN = "flb_3q2-7w8xPZ0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE";

export const CreatedBox = record(
  "CreatedBox",
  {
    ...shown,
    token: out.string("The token itself; shown only once", TOKEN),
    setup: out.string(
      "The lines for the boat's configuration file, `fairlead.toml`",
      `[sync]\nurl = "https://shore.example.org"\ntoken = "${TOKEN}"\n`,
    ),
    qr_code: out.string(
      "These lines as a QR code: a data URI of a PNG",
      "data:image/png;base64,iVBORw0KGgo=",
    ),
  },
  "A box with a new token: the only time that this is shown",
);
export type CreatedBox = (typeof CreatedBox)["static"];

const boxName = name("Name", "Greif");

export const NewBox = t.Object({ name: boxName, base_url: optional(baseUrl()) }, { title: "NewBox" });
export type NewBox = (typeof NewBox)["static"];

export const BoxChange = change("BoxChange", { name: t.Optional(boxName) });
export type BoxChange = (typeof BoxChange)["static"];

export const NewBoxToken = t.Object({ base_url: optional(baseUrl()) }, { title: "NewBoxToken" });
export type NewBoxToken = (typeof NewBoxToken)["static"];
