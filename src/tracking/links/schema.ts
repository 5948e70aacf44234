import { baseUrl } from "../../kernel/http/reachable-url";
import { dateTime, name, nullable, oneOf, optional, out, record, t, uuid } from "../../kernel/http/schema";
import { LINK_LEVELS } from "./kinds";

export const LinkLevel = oneOf(
  LINK_LEVELS,
  "`live` shows the newest position and tells of each new one; `history` the track between `from` and `to` too",
);

const DAY_SECONDS = 86_400;

const delay_seconds = t.Integer({
  minimum: 0,
  maximum: 30 * DAY_SECONDS,
  default: 0,
  description: "Seconds: nothing is shown that was fixed, or came in, less than so long ago",
  examples: [900],
});

const precision_m = t.Number({
  minimum: 1,
  maximum: 100_000,
  description:
    "Metres: positions are rounded to a grid that is so wide, and altitudes left out; null for exact positions",
  examples: [500],
});

const idsOf = (description: string) => t.Array(t.String(), { description, examples: [[]] });

const shown = {
  id: out.uuid("Identifier"),
  label: nullable(out.string("Title that whoever opens it reads", "Our summer in the archipelago")),
  level: LinkLevel,
  device_ids: idsOf("The devices that it shows; empty for a link to a trip"),
  trip_id: nullable(out.uuid("The trip that it shows; null for a link to devices")),
  from: nullable(out.time("Nothing is shown that was fixed before; null for no bound")),
  to: nullable(out.time("Nothing is shown that was fixed after; null for no bound")),
  expires_at: out.time("When it ends"),
  delay_seconds: out.integer("Seconds by which positions are shown later", 900),
  precision_m: nullable(out.number("Metres between the places that positions are rounded to", 500)),
  hide_zone_ids: idsOf("Zones in which nothing is shown"),
  made_by: nullable(out.uuid("The user who made it; null for a key of the installation")),
  is_silent: out.boolean(
    "Whether it shows nothing, because whoever made it may not see or share so much any more",
    false,
  ),
  opened_count: out.integer("How often it was opened", 12),
  last_opened_at: nullable(out.time("When it was last opened; null for never")),
  created_at: out.time("When it was created"),
};

export const ShareLink = record("ShareLink", shown, "A link that shows devices or a trip, without its token");
export type ShareLink = (typeof ShareLink)["static"];

export const CreatedShareLink = record(
  "CreatedShareLink",
  {
    ...shown,
    url: out.uri(
      "The link; shown only once. What follows the # is sent to no server, and reaches no log",
      "https://boat.example.org/s/#0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2-7w8xPZ",
    ),
  },
  "A link just created: the only time that it is shown",
);
export type CreatedShareLink = (typeof CreatedShareLink)["static"];

export const NewShareLink = t.Object(
  {
    device_ids: t.Optional(
      t.Array(uuid("A device"), {
        minItems: 1,
        maxItems: 100,
        description: "The devices to show, each once; either these or a trip",
      }),
    ),
    trip_id: optional(uuid("The trip to show: the positions that belong to it alone")),
    level: LinkLevel,
    from: optional(dateTime("For `history`: nothing is shown that was fixed before. Required for devices")),
    to: optional(dateTime("For `history`: nothing is shown that was fixed after; null for no bound")),
    expires_at: dateTime("When it ends: in the future, and at most a year ahead", {
      examples: ["2026-08-31T22:00:00Z"],
    }),
    delay_seconds: t.Optional(delay_seconds),
    precision_m: optional(precision_m),
    hide_zone_ids: t.Optional(
      t.Array(uuid("A zone"), {
        maxItems: 50,
        description:
          "Zones in which nothing is shown, active or not, each once: the last position outside is shown in place of one inside",
      }),
    ),
    label: optional(name("Title that whoever opens it reads", "Our summer in the archipelago")),
    base_url: optional(baseUrl()),
  },
  {
    title: "NewShareLink",
    examples: [
      {
        device_ids: ["0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01"],
        level: "live",
        expires_at: "2026-08-31T22:00:00Z",
        delay_seconds: 900,
        label: "Our summer in the archipelago",
      },
    ],
  },
);
export type NewShareLink = (typeof NewShareLink)["static"];
