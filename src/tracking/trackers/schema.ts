import { baseUrl } from "../../kernel/http/reachable-url";
import {
  change,
  dateTime,
  name,
  nullable,
  oneOf,
  optional,
  out,
  record,
  t,
  uuid,
} from "../../kernel/http/schema";
import { REJECTIONS } from "../ingest/fix";
import { TRACKER_FORMATS } from "./formats";

const LastRejection = record(
  "LastRejection",
  {
    at: out.time("When it came"),
    reason: oneOf(REJECTIONS, "The reason why it became no position", "no_fix"),
  },
  "The last message that became no position",
);

const format = oneOf(
  TRACKER_FORMATS,
  "The app that it is for; of `osmand` and `traccar_client`, which share a door, the speeds are metres a second and knots",
);

const shown = {
  id: out.uuid("Identifier"),
  device_id: out.uuid("The device whose positions it posts"),
  name: out.string("Name", "Anna's phone"),
  format,
  token_prefix: out.string("Leading characters of the token, to recognise it by", "flt_3q2-7w8x"),
  send_zones: out.boolean("Whether OwnTracks is told the zones", false),
  is_encrypted: out.boolean("Whether it opens messages that OwnTracks encrypted", false),
  expires_at: nullable(out.time("When it ends; null for never")),
  created_at: out.time("When it was created"),
  updated_at: out.time("When it was last changed"),
  last_used_at: nullable(out.time("When the app was last heard, to the minute; null for never")),
  is_active: out.boolean("Whether the token is accepted"),
  rejected_total: out.integer("Number of messages and positions of it that were not stored", 0),
  last_rejection: nullable(LastRejection),
};

export const Tracker = record("Tracker", shown, "A credential of an app, without its token");
export type Tracker = (typeof Tracker)["static"];

const SECRET = "flt_3q2-7w8xPZ0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE";

export const CreatedTracker = record(
  "CreatedTracker",
  {
    ...shown,
    token: out.string("The token itself; shown only once", SECRET),
    encryption_key: nullable(
      out.string(
        "The secret of OwnTracks' encryption, to enter in the app; shown only once, null unless asked for",
        "k3Jv0sQmX2b9LrT5yWc8NfZaHd1Ge7Ui",
      ),
    ),
    url: out.string("Address to enter in the app", "https://boat.example.org/v1/ingest/owntracks"),
    username: nullable(out.string("User name to enter, where the app has the field", "fairlead")),
    password: nullable(out.string("Password to enter, where the app has the field: the token", SECRET)),
    setup_link: nullable(
      out.string(
        "Link that sets the app up when it is opened on the phone; null for an app that has none",
        "owntracks:///config?inline=eyJfdHlwZSI6ImNvbmZpZ3VyYXRpb24ifQ%3D%3D",
      ),
    ),
    qr_code: out.string(
      "The link, or else the address, as a QR code: a data URI of a PNG",
      "data:image/png;base64,iVBORw0KGgo=",
    ),
    instructions: t.Array(t.String(), {
      description: "The steps to set the app up, in the caller's language",
      examples: [["Open the link on the phone, or scan the QR code with its camera."]],
    }),
  },
  "A tracker just created: the only time that its token is shown",
);
export type CreatedTracker = (typeof CreatedTracker)["static"];

const trackerName = name("Name", "Anna's phone");
const expiresAt = dateTime("When it ends; null for never", { examples: ["2099-12-31T23:00:00.000Z"] });

export const NewTracker = t.Object(
  {
    name: trackerName,
    format,
    expires_at: optional(expiresAt),
    send_zones: t.Optional(
      t.Boolean({
        description: "Tells OwnTracks the active zones; needs the permission `geofences:read`",
        examples: [false],
      }),
    ),
    with_encryption: t.Optional(
      t.Boolean({
        description: "Makes a secret for OwnTracks' own encryption, which also hides positions from a proxy",
        examples: [false],
      }),
    ),
    base_url: optional(baseUrl()),
  },
  { title: "NewTracker" },
);
export type NewTracker = (typeof NewTracker)["static"];

export const TrackerChange = change("TrackerChange", {
  name: t.Optional(trackerName),
  is_active: t.Optional(t.Boolean({ description: "false switches the token off", examples: [false] })),
  expires_at: optional(expiresAt),
  send_zones: t.Optional(
    t.Boolean({
      description: "Tells OwnTracks the active zones; needs the permission `geofences:read`",
      examples: [true],
    }),
  ),
});
export type TrackerChange = (typeof TrackerChange)["static"];

export const DeviceParams = t.Object({ id: uuid("Identifier of the device") });
export const TrackerParams = t.Object({
  id: uuid("Identifier of the device"),
  tracker_id: uuid("Identifier of the tracker"),
});
