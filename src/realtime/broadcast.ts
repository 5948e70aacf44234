import { subscribe } from "../kernel/events";
import { listeningServer } from "../kernel/http";

/** Sends business events to the channels that carry them. Each is encoded once, and not at all for nobody. */
function send(message: object, ...channels: string[]): void {
  const server = listeningServer();
  const heard = channels.filter((channel) => server && server.subscriberCount(channel) > 0);
  if (!server || heard.length === 0) return;
  const encoded = JSON.stringify(message);
  for (const channel of heard) server.publish(channel, encoded);
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
}
