import { userPermissions, userRoleList } from "../identity/users/roles";
import { listeningServer } from "../kernel/client";
import { iso, isoOrNull, now } from "../kernel/clock";
import { subscribe } from "../kernel/events";
import { describeError, log } from "../kernel/log";

/** Sends business events to the channels that carry them. Each is encoded once, and not at all for nobody. */
function send(message: object, ...channels: string[]): void {
  const server = listeningServer();
  const heard = channels.filter((channel) => server && server.subscriberCount(channel) > 0);
  if (!server || heard.length === 0) return;
  const encoded = JSON.stringify(message);
  for (const channel of heard) server.publish(channel, encoded);
}

/** Users told of a change in one turn of the event loop. */
const USERS_AT_ONCE = 200;

/**
 * Calls `tell` for each user, with pauses for other work. Composing a message costs a query: it is done only for whom
 * somebody hears.
 */
async function tellUsers(userIds: string[], tell: (userId: string) => void): Promise<void> {
  const server = listeningServer();
  const isWatched = () => (server?.subscriberCount("admin:accounts") ?? 0) > 0;
  for (const [at, userId] of userIds.entries()) {
    if (at > 0 && at % USERS_AT_ONCE === 0) await new Promise(setImmediate);
    if (isWatched() || (server?.subscriberCount(`user:${userId}`) ?? 0) > 0) tell(userId);
  }
}

/** Tells users who hold other roles than before, and then those who may do more or less. */
const tellOfRoles = (userIds: string[]): Promise<void> =>
  tellUsers(userIds, (userId) => {
    const { roles } = userRoleList(userId);
    sendToUser(userId, "rolesUpdated", {
      roles: roles.map(({ name }) => name),
      roleIds: roles.map(({ id }) => id),
    });
  });

const tellOfPermissions = (userIds: string[]): Promise<void> =>
  tellUsers(userIds, (userId) =>
    send(
      { type: "permissionsUpdated", userId, permissions: userPermissions(userId) },
      `user:${userId}`,
      "admin:accounts",
    ),
  );

/** What is told in slices may meet a closed database at the end of the server: then nobody listens any more. */
function inBackground(work: Promise<void>): void {
  work.catch((error) => log.warn("a change of rights could not be told to all", describeError(error)));
}

/** A message about an account: to the user's own connections, and to who watches all accounts. */
function sendToUser(userId: string, type: string, fields: object): void {
  send({ type, userId, ...fields, timestamp: iso(now()) }, `user:${userId}`, "admin:accounts");
}

export function startBroadcasts(): void {
  subscribe("gps.recorded", (point) => {
    const message = { type: "gpsUpdate", data: point };
    if (point.device_id === null) send(message, "gps");
    else send(message, "gps", `gps:${point.device_id}`);
  });
  subscribe("geofence.crossed", (crossing) =>
    send({ type: "geofenceEvent", data: crossing }, "geofence", `geofence:${crossing.geofence_id}`),
  );

  subscribe("session.revoked", ({ userId, ...fields }) => sendToUser(userId, "sessionRevoked", fields));
  subscribe("sessions.ended", ({ userId, reason }) => sendToUser(userId, "forceLogout", { reason }));
  subscribe("user.banned", ({ userId, reason, expiresAt }) =>
    sendToUser(userId, "accountBanned", {
      reason,
      expiresAt: isoOrNull(expiresAt),
      isPermanent: expiresAt === null,
    }),
  );
  subscribe("user.deleted", ({ userId, reason }) => sendToUser(userId, "accountDeleted", { reason }));
  subscribe("users.roles_changed", ({ userIds, affected }) =>
    inBackground(tellOfRoles(userIds).then(() => tellOfPermissions(affected))),
  );
  subscribe("role.permissions_changed", ({ roleId, roleName, holders, affected }) => {
    const message = { type: "rolePermissionsChanged", roleId, roleName };
    send(message, ...holders.map((userId) => `user:${userId}`), "admin:accounts");
    inBackground(tellOfPermissions(affected));
  });
  subscribe("email.changed", ({ userId, email }) => sendToUser(userId, "emailChangeVerified", { email }));
  subscribe("email.linked", ({ userId, ...fields }) => sendToUser(userId, "emailLinkVerified", fields));
}
