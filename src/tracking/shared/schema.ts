import { moment, nullable, out, query, record, t, uuid } from "../../kernel/http/schema";
import { GpsPoint } from "../ingest/schema";
import { LinkLevel } from "../links/schema";
import { TrackQuery } from "../tracks/schema";

const { latitude, longitude, timestamp, heading, speed_kmh, speed_mps, speed_mph, speed_knots } =
  GpsPoint.properties;

const SharedPosition = record(
  "SharedPosition",
  { latitude, longitude, timestamp, heading, speed_kmh, speed_mps, speed_mph, speed_knots },
  "A position as a link shows it",
);
export type SharedPosition = (typeof SharedPosition)["static"];

export const Shared = record(
  "Shared",
  {
    label: nullable(out.string("Title of the link", "Our summer in the archipelago")),
    level: LinkLevel,
    expires_at: out.time("When the link ends"),
    devices: t.Array(
      record(
        "SharedDevice",
        {
          device_id: nullable(
            out.uuid("The device, as messages of the socket name it; null for a trip without one"),
          ),
          name: out.string("Name of the device; of the trip where that has none", "Anna"),
          position: nullable(SharedPosition),
        },
        "A device, and the newest position that the link shows of it; null where there is none",
      ),
      { description: "The devices that the link shows" },
    ),
  },
  "All that a link shows now",
);
export type Shared = (typeof Shared)["static"];

const { format: _, from: _from, to: _to, ...drawing } = TrackQuery.properties;

export const SharedTrackQuery = query(
  t.Object({
    device_id: t.Optional(uuid("The device, of a link to several")),
    from: t.Optional(moment("Only positions at or after this time, or from this day (UTC) on")),
    to: t.Optional(moment("Only positions at or before this time, or up to the end of this day (UTC)")),
    ...drawing,
  }),
);
export type SharedTrackQuery = (typeof SharedTrackQuery)["query"]["static"];
