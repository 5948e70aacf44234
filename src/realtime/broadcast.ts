import {
  encode,
  type PayloadName,
  type Payloads,
  type Timestamp,
  toTimestamp,
} from "../../proto/fairlead/ws/v1/codec";
import { findWatch } from "../alerts/anchor/service";
import { COMMUNITY_PLATFORM, communityIdsOf } from "../identity/accounts/service";
import { userPermissions, userRoleList } from "../identity/users/roles";
import { subscribe } from "../kernel/db/events";
import { listeningServer } from "../kernel/http/client";
import { describeError, log } from "../kernel/logs/log";
import { iso, now } from "../kernel/time/clock";
import { COMMUNITY, mayHearAnchor } from "./channels";
import { extendedTopicOf, sockets, topicOf, unnumberedTopicOf } from "./connections";
import { published } from "./figures";
import { endDueShares } from "./share-ends";

/**
 * Sends business events to the channels that carry them. Each is encoded once for a format, and only if
 * somebody listens.
 */

/** Sends data (positions, zones and vessels), which is always JSON text (rule W3). */
function sendData(message: object, ...channels: string[]): void {
  publish(channels, () => JSON.stringify(message));
}

/** Sends a message that came after the first version to the extended subscriptions of channels. */
function sendExtended(message: object, ...channels: string[]): void {
  publish(channels.map(extendedTopicOf), () => JSON.stringify(message));
}

function publish(topics: string[], encoded: () => string | Uint8Array<ArrayBuffer>): void {
  endDueShares();
  const server = listeningServer();
  const heard = topics.filter((topic) => server && server.subscriberCount(topic) > 0);
  if (!server || heard.length === 0) return;
  const message = encoded();
  for (const topic of heard) server.publish(topic, message);
  published.add(heard.length);
}

/** Payloads about accounts and rights; their times are given in epoch milliseconds. */
type Telling = Extract<
  PayloadName,
  | "accountDeleted"
  | "accountBanned"
  | "sessionRevoked"
  | "forceLogout"
  | "oauthConsentRevoked"
  | "rolesUpdated"
  | "permissionsUpdated"
  | "rolePermissionsChanged"
  | "emailLinkVerified"
  | "emailChangeVerified"
>;
type WithTimes<T> = { [K in keyof T]: T[K] extends Timestamp | null | undefined ? number | null : T[K] };

/** Fields that the JSON form doesn't have. */
const NOT_IN_JSON: Partial<Record<Telling, string>> = {
  permissionsUpdated: "timestamp",
  rolePermissionsChanged: "timestamp",
};

const TIMES = new Set(["timestamp", "expiresAt"]);

/** Sends a message about an account or about rights, in each format to those who asked for it. */
function send<Name extends Telling>(
  name: Name,
  fields: Omit<WithTimes<Payloads[Name]>, "timestamp">,
  ...channels: string[]
): void {
  const payload = { ...fields, timestamp: now() };
  const withTimes = (convert: (time: number) => unknown) =>
    Object.entries(payload).map(([key, value]) => [
      key,
      TIMES.has(key) && typeof value === "number" ? convert(value) : value,
    ]);
  publish(channels, () => {
    const entries = withTimes(iso).filter(([key]) => key !== NOT_IN_JSON[name]);
    return JSON.stringify({ type: name, ...Object.fromEntries(entries) });
  });
  publish(
    channels.map((channel) => topicOf(channel, "protobuf")),
    () => encode(name, Object.fromEntries(withTimes(toTimestamp)) as Payloads[Name]),
  );
}

/** Its subscribers get every message about a user. */
const WATCHERS = "admin:accounts";
const channelsOf = (userId: string): [string, string] => [`user:${userId}`, WATCHERS];

/** Sends a message to community bots, which is always binary (rule W3). */
function sendToBots<Name extends "discordUserLinked" | "discordUserUnlinked" | "discordPermissionChanged">(
  name: Name,
  fields: Omit<Payloads[Name], "timestamp">,
): void {
  publish([COMMUNITY], () => encode(name, { ...fields, timestamp: toTimestamp(now()) } as Payloads[Name]));
}

/** True if anybody hears a channel, in either format. */
function isHeard(channel: string): boolean {
  const server = listeningServer();
  return (
    server !== null &&
    (server.subscriberCount(channel) > 0 || server.subscriberCount(topicOf(channel, "protobuf")) > 0)
  );
}

/** Users notified of a change in one turn of the event loop. */
const USERS_AT_ONCE = 200;

/**
 * Calls `tell` for each user, with pauses for other work. Composing a message costs a query: `tell` should do
 * it only if somebody listens.
 */
async function tellUsers(userIds: string[], tell: (userId: string) => void): Promise<void> {
  for (const [at, userId] of userIds.entries()) {
    if (at > 0 && at % USERS_AT_ONCE === 0) await new Promise(setImmediate);
    tell(userId);
  }
}

/** Notifies users whose roles changed, and then those whose permissions changed. */
const tellOfRoles = (userIds: string[]): Promise<void> =>
  tellUsers(userIds, (userId) => {
    const channels = channelsOf(userId);
    if (!channels.some(isHeard)) return;
    const held = userRoleList(userId).roles;
    const roles = held.map(({ name }) => name);
    send("rolesUpdated", { userId, roles, roleIds: held.map(({ id }) => id) }, ...channels);
  });

/** Notifies users whose permissions changed, and the community bots that know them. */
const tellOfPermissions = (userIds: string[]): Promise<void> =>
  tellUsers(userIds, (userId) => {
    const channels = channelsOf(userId);
    const communityIds = isHeard(COMMUNITY) ? communityIdsOf(userId) : [];
    if (communityIds.length === 0 && !channels.some(isHeard)) return;
    const permissions = userPermissions(userId);
    send("permissionsUpdated", { userId, permissions }, ...channels);
    for (const discordId of communityIds)
      sendToBots("discordPermissionChanged", { discordId, userId, permissions });
  });

/** Notifying in slices may meet a closed database when the server ends: then nobody listens any more. */
function inBackground(work: Promise<void>): void {
  work.catch((error) => log.warn("a change of rights could not be told to all", describeError(error)));
}

export function startBroadcasts(): void {
  subscribe("gps.recorded", (recorded) => {
    const { device_id } = recorded.point;
    const channels = device_id === null ? ["gps"] : ["gps", `gps:${device_id}`];
    publish(channels, () => `{"type":"gpsUpdate","data":${recorded.toldJson}}`);
  });
  subscribe("gps.late", (data) => sendExtended({ type: "gpsLate", data }, "gps", `gps:${data.device_id}`));
  subscribe("geofences.corrected", (data) => sendExtended({ type: "geofenceCorrection", data }, "geofence"));
  subscribe("geofence.crossed", (crossing) =>
    sendData({ type: "geofenceEvent", data: crossing }, "geofence", `geofence:${crossing.geofence_id}`),
  );

  subscribe("anchor.moved", ({ device_id }) => {
    const channel = `gps:${device_id}`;
    if (!isHeard(unnumberedTopicOf(channel))) return;
    const data = findWatch(device_id) ?? { id: device_id, device_id, is_deleted: true };
    const text = JSON.stringify({ type: "anchorUpdate", data });
    // Whoever hears where a device is may not read its anchor watch: that takes another right.
    for (const socket of sockets) {
      const { caller, channels } = socket.data;
      const subscription = channels.get(channel);
      const hearsIt = subscription?.isExtended || subscription?.isFollowing;
      if (!hearsIt || !mayHearAnchor(caller, device_id)) continue;
      socket.send(text);
      published.add(1);
    }
  });

  subscribe("vessels.seen", (data) => sendData({ type: "vesselsUpdate", data }, "vessels"));

  subscribe("session.revoked", (fields) => send("sessionRevoked", fields, ...channelsOf(fields.userId)));
  subscribe("sessions.ended", (fields) => send("forceLogout", fields, ...channelsOf(fields.userId)));
  subscribe("user.banned", ({ userId, reason, expiresAt }) =>
    send(
      "accountBanned",
      { userId, reason, expiresAt, isPermanent: expiresAt === null },
      ...channelsOf(userId),
    ),
  );
  subscribe("user.deleted", (fields) => send("accountDeleted", fields, ...channelsOf(fields.userId)));
  subscribe("users.roles_changed", ({ userIds, affected }) =>
    inBackground(tellOfRoles(userIds).then(() => tellOfPermissions(affected))),
  );
  subscribe("role.permissions_changed", ({ roleId, roleName, holders, affected }) => {
    send("rolePermissionsChanged", { roleId, roleName }, ...holders.map((id) => `user:${id}`), WATCHERS);
    inBackground(tellOfPermissions(affected));
  });
  subscribe("account.linked", ({ userId, platform, platformUserId: discordId, username, avatarUrl }) => {
    if (platform === COMMUNITY_PLATFORM)
      sendToBots("discordUserLinked", { discordId, userId, discordUsername: username, avatarUrl });
  });
  subscribe("account.unlinked", ({ userId, platform, platformUserId: discordId }) => {
    if (platform === COMMUNITY_PLATFORM) sendToBots("discordUserUnlinked", { discordId, userId });
  });
  subscribe("email.changed", (fields) => send("emailChangeVerified", fields, ...channelsOf(fields.userId)));
  subscribe("email.linked", (fields) => send("emailLinkVerified", fields, ...channelsOf(fields.userId)));
  subscribe("consent.revoked", (fields) => send("oauthConsentRevoked", fields, ...channelsOf(fields.userId)));
}
