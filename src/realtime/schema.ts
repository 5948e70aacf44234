import { Alert } from "../alerts/alerts/schema";
import { AnchorWatch } from "../alerts/anchor/schema";
import { Crossing, LateSpan, orGone, ZoneCorrection } from "../changes/schema";
import { nullable, oneOf, out, record, t } from "../kernel/http/schema";
import { Device } from "../tracking/devices/schema";
import { ToldPoint } from "../tracking/ingest/schema";
import { Trip } from "../tracking/trips/schema";

/**
 * The JSON messages of the WebSocket, as the documents show them. They check nothing at run time: the tests hold
 * every message that the server sends against them.
 */

const type = <const T extends string>(name: T) => t.Literal(name, { type: "string", description: "Kind" });
const channel = t.String({ description: "Name of the channel", examples: ["gps"] });
const user = out.uuid("The user whom it concerns");
const reason = t.Optional(nullable(out.string("Why, in words", "Signed out everywhere")));
const timestamp = out.time("When it happened");

const cursor = out.string("The cursor to go on from", "5f1c9a02b3d4e5f6-1204311");
const onFeed = t.Optional(
  out.string(
    "To subscriptions with `since`: whoever has it knows of this change and of all before",
    "5f1c9a02b3d4e5f6-1204311",
  ),
);

// --- From clients -----------------------------------------------------------------------------------------

const subscribe = record(
  "SocketSubscribe",
  {
    type: type("subscribe"),
    channel,
    since: t.Optional(
      out.string(
        "A cursor, or `now`: the messages after it follow in order, then those to come, each with its `cursor`; none is left out, and none comes twice. For `gps`, `geofence`, `trips`, `devices`, `alerts` and those of one device or zone",
        "5f1c9a02b3d4e5f6-1204311",
      ),
    ),
    extended: t.Optional(
      t.Boolean({
        description:
          "True for messages too that came after the first version, such as `gpsLate`; false if left out",
        examples: [true],
      }),
    ),
  },
  "Asks for the messages of a channel. Answered by `message`, or by `error` where the channel is not allowed. Subscribing again changes format and `extended`",
);
const unsubscribe = record(
  "SocketUnsubscribe",
  { type: type("unsubscribe"), channel },
  "Leaves a channel. Answered by `message`",
);
const ping = record("SocketPing", { type: type("ping") }, "Asks for a `pong`");

/** The messages of clients, by their type. */
export const CLIENT_MESSAGES = { subscribe, unsubscribe, ping };

// --- From the server --------------------------------------------------------------------------------------

const Vessel = record(
  "Vessel",
  {
    mmsi: out.integer("Maritime Mobile Service Identity", 211_331_640),
    name: out.string("Name; empty when it is not known", "VILM"),
    ship_type: nullable(out.integer("Code of the type, ITU-R M.1371", 60)),
    ship_type_label: out.string("The type in words", "Passenger"),
    nav_status: nullable(out.integer("Code of the navigational status, ITU-R M.1371", 0)),
    nav_status_label: out.string("The status in words", "Under way using engine"),
    length: nullable(out.number("Metres", 35)),
    beam: nullable(out.number("Metres", 8)),
    heading: nullable(out.number("Degrees, true", 212)),
    lat: out.number("Degrees, WGS 84", 54.1012),
    lng: out.number("Degrees, WGS 84", 13.4711),
    course: nullable(out.number("Course over ground in degrees", 211.4)),
    speed_kmh: out.number("Speed over ground in km/h; 0 when it is not known", 14.3),
  },
  "A vessel that was heard by AIS",
);

const account = "The client should close the socket and sign out";

const alertMessage = <T extends string>(title: string, name: T, description: string) =>
  record(title, { type: type(name), data: orGone(Alert), cursor: onFeed }, `${description}. To \`alerts\``);

/** The messages of the server, by their type. */
/** By a link a position has no identifier. */
const HeardPoint = record(
  "HeardPosition",
  { ...ToldPoint.properties, id: nullable(out.uuid("Identifier; null by a link")) },
  "A position that was stored, or that a link shows now",
);

export const SERVER_MESSAGES = {
  pong: record("SocketPong", { type: type("pong") }, "The answer to `ping`"),
  message: record(
    "SocketNotice",
    {
      type: type("message"),
      channel,
      data: out.string("What was done", "Subscribed to gps"),
      cursor: t.Optional(
        out.string("With `since`: the cursor at which the subscription begins", "5f1c9a02b3d4e5f6-1204311"),
      ),
    },
    "A subscription was made or ended",
  ),
  reset: record(
    "SocketReset",
    {
      type: type("reset"),
      channel,
      cursor,
      reason: oneOf(
        ["expired", "epoch"],
        "`expired`: they are not kept any more; `epoch`: a backup was restored",
      ),
    },
    "The messages after the cursor of a subscription are gone: read the state anew. Those after this cursor follow",
  ),
  error: record(
    "SocketError",
    { type: type("error"), message: out.string("What is wrong", "Access denied to channel: gps") },
    "A message could not be carried out, or a subscription is no longer allowed. The connection stays open",
  ),
  gpsUpdate: record(
    "SocketGpsUpdate",
    { type: type("gpsUpdate"), data: orGone(HeardPoint), cursor: onFeed },
    "A position was stored. To `gps`, and to `gps:<device id>` when a device posted it; by a link, to `gps` once it is shown",
  ),
  gpsLate: record(
    "SocketGpsLate",
    {
      type: type("gpsLate"),
      data: LateSpan,
      cursor: onFeed,
    },
    "Positions came that are older than the device's newest, all of one commit together: a request that takes long has several. To extended subscriptions of `gps` and `gps:<device id>`",
  ),
  geofenceEvent: record(
    "SocketGeofenceEvent",
    { type: type("geofenceEvent"), data: Crossing, cursor: onFeed },
    "A device entered or left a zone. To `geofence` and `geofence:<geofence id>`",
  ),
  geofenceCorrection: record(
    "SocketGeofenceCorrection",
    {
      type: type("geofenceCorrection"),
      data: ZoneCorrection,
      cursor: onFeed,
    },
    "Positions that came late, or were marked or deleted, have changed crossings of the past. To extended subscriptions of `geofence`",
  ),
  tripUpdate: record(
    "SocketTripUpdate",
    { type: type("tripUpdate"), data: orGone(Trip), cursor: onFeed },
    "A trip was created, changed or deleted. To `trips`",
  ),
  deviceUpdate: record(
    "SocketDeviceUpdate",
    { type: type("deviceUpdate"), data: orGone(Device), cursor: onFeed },
    "A device was created, changed or deleted. To `devices`",
  ),
  anchorUpdate: record(
    "SocketAnchorUpdate",
    { type: type("anchorUpdate"), data: orGone(AnchorWatch) },
    "The state of an anchor watch changed, it was set or ended, or the boat has moved (at most every 5 seconds). It carries no number. To extended subscriptions of `gps:<device id>`, and to those with `since`, whose caller holds `alerts:read`, or manages the device by a share",
  ),
  alertRaised: alertMessage("SocketAlertRaised", "alertRaised", "An alert was raised"),
  alertUpdated: alertMessage(
    "SocketAlertUpdated",
    "alertUpdated",
    "An open alert was seen again, returned, was overturned by late positions, or was told further targets",
  ),
  alertAcknowledged: alertMessage(
    "SocketAlertAcknowledged",
    "alertAcknowledged",
    "Somebody acknowledged an alert",
  ),
  alertCleared: alertMessage(
    "SocketAlertCleared",
    "alertCleared",
    "The condition of an alert ceased to hold",
  ),
  vesselsUpdate: record(
    "SocketVesselsUpdate",
    {
      type: type("vesselsUpdate"),
      data: t.Object(
        { vessels: t.Array(Vessel, { description: "All that are near, not only those that moved" }) },
        { description: "The vessels" },
      ),
    },
    "The vessels near the newest position. To `vessels`: soon after subscribing, then at most every `vessels.broadcast_seconds`",
  ),
  accountDeleted: record(
    "SocketAccountDeleted",
    { type: type("accountDeleted"), userId: user, reason, timestamp },
    `The account was deleted. ${account}`,
  ),
  accountBanned: record(
    "SocketAccountBanned",
    {
      type: type("accountBanned"),
      userId: user,
      reason,
      expiresAt: nullable(out.time("When the ban ends; null for a permanent one")),
      isPermanent: out.boolean("Whether the ban has no end", false),
      timestamp,
    },
    `The user was banned. ${account}`,
  ),
  sessionRevoked: record(
    "SocketSessionRevoked",
    { type: type("sessionRevoked"), userId: user, sessionId: out.uuid("The session"), reason, timestamp },
    "One session of the user was ended. The client whose session it is should close the socket and sign out",
  ),
  forceLogout: record(
    "SocketForceLogout",
    { type: type("forceLogout"), userId: user, reason, timestamp },
    `Sessions of the user were ended. ${account}, unless its own session goes on`,
  ),
  permissionsUpdated: record(
    "SocketPermissionsUpdated",
    {
      type: type("permissionsUpdated"),
      userId: user,
      permissions: t.Array(t.String(), {
        description: "All permissions and wildcards that the user holds now",
        examples: [["gps:read", "trips:read"]],
      }),
    },
    "The permissions of the user changed",
  ),
  rolesUpdated: record(
    "SocketRolesUpdated",
    {
      type: type("rolesUpdated"),
      userId: user,
      roles: t.Array(t.String(), { description: "Names of the roles, for people", examples: [["User"]] }),
      roleIds: t.Array(t.String(), {
        description: "Identifiers of the roles, for programs",
        examples: [["role_user"]],
      }),
      timestamp,
    },
    "The roles of the user changed",
  ),
  rolePermissionsChanged: record(
    "SocketRolePermissionsChanged",
    {
      type: type("rolePermissionsChanged"),
      roleId: out.string("The role", "role_user"),
      roleName: out.string("Its name", "User"),
    },
    "The permissions of a role that the user holds changed: read them again",
  ),
  emailLinkVerified: record(
    "SocketEmailLinkVerified",
    {
      type: type("emailLinkVerified"),
      userId: user,
      email: out.email("The address", "skipper@example.org"),
      platformAccountId: out.uuid("The platform account that it became"),
      timestamp,
    },
    "An address to sign in with was linked",
  ),
  emailChangeVerified: record(
    "SocketEmailChangeVerified",
    {
      type: type("emailChangeVerified"),
      userId: user,
      email: out.email("The new address", "skipper@example.org"),
      timestamp,
    },
    "The user's address was changed",
  ),
  oauthConsentRevoked: record(
    "SocketOAuthConsentRevoked",
    {
      type: type("oauthConsentRevoked"),
      userId: user,
      clientId: out.string(
        "The OAuth client; empty when the service named none",
        "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01",
      ),
      timestamp,
    },
    "The user no longer lets an application sign in for them",
  ),
};

// --- Channels ---------------------------------------------------------------------------------------------

/** The forms of channel names, and who may hear them. */
const CHANNELS: [name: string, right: string][] = [
  ["gps", "`gps:read`"],
  ["gps:<device id>", "`gps:read`, or a session with a share of the device"],
  ["geofence", "`geofences:read`"],
  ["geofence:<geofence id>", "`geofences:read`"],
  ["trips", "`trips:read`"],
  ["devices", "`devices:read`"],
  ["alerts", "`alerts:read`"],
  ["vessels", "`gps:read`"],
  ["public", "any credential"],
  ["public:<name>", "any credential"],
  ["user:<own id>", "a session of that user, which is subscribed automatically"],
  ["admin:<name>", "`admin:read`; `admin:accounts` carries every message about a user"],
  ["community", "an API key with `community:sync`: the connection becomes a community bot"],
];

/** Codes with which the server closes a connection. */
const CLOSE_CODES: [code: number, meaning: string, remedy: string][] = [
  [1001, "the server stops", "reconnect"],
  [1008, "too many messages on this connection, or too many bytes of its user on all of them", "send less"],
  [1009, "a message is too large", "send smaller ones"],
  [1013, "the client cannot keep up", "read faster, or subscribe to less; then reconnect"],
  [4401, "the credential ended", "sign in again; then reconnect"],
  [4408, "no pong in time", "reconnect"],
];

const bullets = (lines: string[]): string => lines.map((line) => `- ${line}`).join("\n");

/** The forms of channels, as Markdown. */
export const channelList = (): string => bullets(CHANNELS.map(([name, right]) => `\`${name}\`: ${right}`));

/** The close codes, as Markdown. */
export const closeCodeList = (): string =>
  bullets(CLOSE_CODES.map(([code, meaning, remedy]) => `${code}: ${meaning} (${remedy})`));
