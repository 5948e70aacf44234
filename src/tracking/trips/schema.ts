import {
  characters,
  fromTo,
  latitude,
  longitude,
  name,
  nullable,
  oneOf,
  optional,
  out,
  record,
  t,
  text,
  uuid,
} from "../../kernel/http/schema";
import { boxId } from "../../sync/owner/schema";
import { TRIP_STATUSES } from "./trip-state";

const Status = oneOf(TRIP_STATUSES, "Status of the trip");
export const tripTags = t.Array(characters({ minLength: 1, maxLength: 64 }), {
  maxItems: 50,
  description: "At most 50 tags of at most 64 characters",
  examples: [["ferry", "summer"]],
});

export const Trip = record(
  "Trip",
  {
    id: out.uuid("Identifier"),
    name: out.string("Name", "Lauterbach to Greifswald"),
    description: nullable(out.string("What the trip is", "Transfer across the Bodden")),
    status: Status,
    gps_logging_enabled: out.boolean(
      "Whether the device's positions join this trip while it is active. Without a `device_id` no position ever joins it",
    ),
    device_id: nullable(out.uuid("The device that tracks it; positions join a trip by its device alone")),
    category_id: nullable(out.uuid("Its category")),
    origin_id: nullable(out.uuid("The location where it begins")),
    destination_id: nullable(out.uuid("The location where it ends")),
    weight_kg: nullable(out.number("Weight of the cargo in kg", 1250)),
    notes: nullable(out.string("Notes", "Call the harbour master before arrival")),
    tags: t.Array(t.String(), { description: "Tags", examples: [["ferry", "summer"]] }),
    start_latitude: nullable(
      out.number("Latitude of the start: as it was set, else of the trip's first position", 54.3412),
    ),
    start_longitude: nullable(out.number("Longitude of the start, likewise", 13.5066)),
    end_latitude: nullable(
      out.number("Latitude of the end: as it was set, else of the trip's last position so far", 54.0967),
    ),
    end_longitude: nullable(out.number("Longitude of the end, likewise", 13.4553)),
    distance_km: out.number("Length of the way along the trip's positions so far, in km", 31.8),
    started_at: nullable(out.time("When it was first activated")),
    ended_at: nullable(out.time("When it was completed")),
    log_interval_minutes: out.integer(
      "Minutes between two positions that go into its log by themselves while it is active and logs; 0 for none",
      60,
    ),
    box_id: boxId("where alone it, its positions and its log can be changed"),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "A voyage with a status lifecycle",
);
export type Trip = (typeof Trip)["static"];

export const StatusChange = record(
  "TripStatusChange",
  {
    id: out.uuid("Identifier"),
    trip_id: out.uuid("The trip"),
    old_status: Status,
    new_status: Status,
    changed_by: nullable(out.uuid("The user who changed it, if a user did")),
    latitude: nullable(out.number("Latitude of the device at the change, when it is recent enough", 54.3412)),
    longitude: nullable(out.number("Longitude of the device at the change", 13.5066)),
    changed_at: out.time("When it was changed"),
  },
  "One change of a trip's status",
);
export type StatusChange = (typeof StatusChange)["static"];

const tripName = name("Name", "Lauterbach to Greifswald");
const fields = {
  description: optional(text("What the trip is", "Transfer across the Bodden")),
  gps_logging_enabled: optional(
    t.Boolean({
      description:
        "Whether the device's positions join this trip while it is active; default false. Needs a `device_id`: a trip without one never gets a position",
      examples: [true],
    }),
  ),
  device_id: optional(uuid("The device that tracks it")),
  category_id: optional(uuid("Its category")),
  origin_id: optional(uuid("The location where it begins")),
  destination_id: optional(uuid("The location where it ends")),
  weight_kg: optional(t.Number({ minimum: 0, description: "Weight of the cargo in kg", examples: [1250] })),
  notes: optional(text("Notes", "Call the harbour master before arrival")),
  tags: optional(tripTags),
  log_interval_minutes: optional(
    t.Integer({
      minimum: 0,
      maximum: 1_440,
      description:
        "Minutes between two positions that go into the log by themselves while the trip is active and logs: at most a day, 0 for none; default 60",
      examples: [60],
    }),
  ),
};

export const NewTrip = t.Object({ name: tripName, ...fields }, { title: "NewTrip" });
export type NewTrip = (typeof NewTrip)["static"];

export const TripChange = t.Object(
  {
    name: t.Optional(tripName),
    ...fields,
    status: t.Optional(oneOf(TRIP_STATUSES, "The status to change to", "active")),
    start_latitude: optional(latitude("Latitude of the start")),
    start_longitude: optional(longitude("Longitude of the start")),
    end_latitude: optional(latitude("Latitude of the end")),
    end_longitude: optional(longitude("Longitude of the end")),
  },
  { title: "TripChange" },
);
export type TripChange = (typeof TripChange)["static"];

export const TripFilter = t.Object({
  status: t.Optional(Status),
  device_id: t.Optional(uuid("Only the trips of this device")),
  category_id: t.Optional(uuid("Only the trips of this category, without those of its children")),
  ...fromTo("trips that began"),
});
export type TripFilter = (typeof TripFilter)["static"];
