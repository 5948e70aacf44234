import { listeningServer } from "../kernel/client";
import { iso, isoOrNull, now } from "../kernel/clock";
import { subscribe } from "../kernel/events";

/** Sends business events to the channels that carry them. Each is encoded once, and not at all for nobody. */
function send(message: object, ...channels: string[]): void {
  const server = listeningServer();
  const heard = channels.filter((channel) => server && server.subscriberCount(channel) > 0);
  if (!server || heard.length === 0) return;
  const encoded = JSON.stringify(message);
  for (const channel of heard) server.publish(channel, encoded);
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
  subscribe("email.changed", ({ userId, email }) => sendToUser(userId, "emailChangeVerified", { email }));
  subscribe("email.linked", ({ userId, ...fields }) => sendToUser(userId, "emailLinkVerified", fields));
}
