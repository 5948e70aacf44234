import type { TSchema } from "@sinclair/typebox";
import { Alert } from "../alerts/alerts/schema";
import { CHANGE_TYPES, type ChangeType } from "../feed/kinds";
import { ErrorBody } from "../kernel/http/answers";
import { characters, nullable, oneOf, out, queryInteger, record, t, uuid } from "../kernel/http/schema";
import { Device } from "../tracking/devices/schema";
import { ToldPoint } from "../tracking/ingest/schema";
import { Trip } from "../tracking/trips/schema";

const EXAMPLE_CURSOR = "5f1c9a02b3d4e5f6-1204311";

export const DEFAULT_LIMIT = 500;
const MOST = 5_000;
const LONGEST_WAIT = 60;

const selection = {
  types: t.Optional(
    characters({
      minLength: 1,
      maxLength: 200,
      description: `Only these types, separated by commas: ${CHANGE_TYPES.join(", ")}. Those that the caller may not see are left out`,
      examples: ["gpsUpdate,tripUpdate"],
    }),
  ),
  device_id: t.Optional(uuid("Only changes of this device")),
};

const since = (description: string) =>
  characters({ minLength: 1, maxLength: 64, description, examples: [EXAMPLE_CURSOR] });

export const ChangesQuery = t.Object({
  since: since("The cursor up to which everything is known, or `now`"),
  ...selection,
  limit: t.Optional(
    queryInteger({
      minimum: 1,
      maximum: MOST,
      default: DEFAULT_LIMIT,
      description: "Most changes of an answer",
      examples: [DEFAULT_LIMIT],
    }),
  ),
  wait_seconds: t.Optional(
    queryInteger({
      minimum: 0,
      maximum: LONGEST_WAIT,
      default: 0,
      description: "Waits so long for a first change, where there is none yet",
      examples: [30],
    }),
  ),
});

export const StreamQuery = t.Object({
  since: t.Optional(
    since(
      "The cursor up to which everything is known, or `now`, which it is if left out. `Last-Event-ID` comes first",
    ),
  ),
  ...selection,
});

const cursor = (description: string) => out.string(description, EXAMPLE_CURSOR);

// --- What is told -----------------------------------------------------------------------------------------

const Gone = record(
  "GoneRecord",
  {
    id: out.uuid("The record that was there"),
    device_id: nullable(out.uuid("The device that it belonged to, if any")),
    is_deleted: t.Literal(true, { type: "boolean", description: "Always true" }),
  },
  "A record that is gone by now",
);

/** A record, or the word that it is gone, which only the feed tells. */
export const orGone = <T extends TSchema>(schema: T) =>
  t.Union([schema, Gone], { description: "The record as it is now" });

export const Crossing = record(
  "GeofenceCrossing",
  {
    geofence_id: out.uuid("The zone"),
    geofence_name: out.string("Its name", "Harbour of Greifswald"),
    event: oneOf(["enter", "exit"], "The direction in which the border was crossed"),
    device_id: out.uuid("The device that crossed it"),
    distance_km: out.number("Distance of the device from the zone's centre in km", 0.42),
    metadata: nullable(
      t.Record(t.String(), t.Unknown(), {
        description: "The zone's own metadata",
        examples: [{ berth: "N4", pilotage: true }],
      }),
    ),
  },
  "A zone's border that a device crossed",
);

export const LateSpan = record(
  "LateSpan",
  {
    device_id: out.uuid("The device"),
    count: out.integer("Positions that were stored", 412),
    from: out.time("Time of the oldest one"),
    to: out.time("Time of the newest one"),
    trip_ids: t.Array(out.uuid("A trip"), { description: "The trips that they joined" }),
  },
  "The span that a map has to load anew",
);

export const ZoneCorrection = record(
  "ZoneCorrection",
  {
    device_id: out.uuid("The device"),
    geofence_ids: t.Array(out.uuid("A zone"), { description: "The zones whose crossings have changed" }),
    from: out.time("Time of the first crossing that came or went"),
    to: out.time("Time of the last one"),
  },
  "What a list of crossings has to load anew",
);

/** The data of each type. */
const DATA = {
  gpsUpdate: orGone(ToldPoint),
  gpsLate: LateSpan,
  geofenceEvent: Crossing,
  geofenceCorrection: ZoneCorrection,
  tripUpdate: orGone(Trip),
  deviceUpdate: orGone(Device),
  alertRaised: orGone(Alert),
  alertUpdated: orGone(Alert),
  alertAcknowledged: orGone(Alert),
  alertCleared: orGone(Alert),
} satisfies Record<ChangeType, TSchema>;

const changeOf = (type: ChangeType) =>
  record(
    `Change_${type}`,
    {
      cursor: cursor("Whoever has this cursor knows of this change and of all before"),
      type: t.Literal(type, { type: "string", description: "The message that tells of it" }),
      data: DATA[type],
    },
    `A numbered change, with the data of the message \`${type}\``,
  );

const ToldChange = t.Union(CHANGE_TYPES.map(changeOf), { description: "A numbered change" });

export const ChangePage = record(
  "Changes",
  {
    changes: t.Array(ToldChange, { description: "The changes, in order" }),
    next: cursor("The cursor to go on from"),
    is_complete: out.boolean("True if `next` is the newest change"),
  },
  "Changes after a cursor",
);

export const Expired = t.Object(
  { ...ErrorBody.properties, next: cursor("The cursor to go on from, once the state was read") },
  { title: "CursorExpiredBody", description: "The changes after the cursor are gone" },
);
