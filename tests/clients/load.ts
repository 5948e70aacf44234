import { done } from "../support/expectations";
import type { TestServer } from "../support/server";
import { createTrip, createZone, fix, northOf, postPoint } from "../tracking/support";
import type { Line } from "./reader";

/** Changes of all channels, and what each channel must tell of them. */

export interface Load {
  /** The cursor before all changes. */
  since: string;
  /** The channels: of everything, and of one device and one zone. */
  channels: string[];
  /** Makes a few changes. */
  step: () => Promise<void>;
  /** All changes of a channel since the beginning, as the server lists them. */
  expected: (channel: string) => Promise<Told[]>;
}

type Told = Pick<Extract<Line, { cursor: string }>, "cursor" | "type" | "id">;

/** Makes two devices, a zone that one of them crosses again and again, and a trip. */
export async function prepareLoad(server: TestServer): Promise<Load> {
  const token = await server.admin();
  const [first, second] = [await server.device("first"), await server.device("second")];
  const here = { latitude: fix().latitude, longitude: fix().longitude };
  const zone = await createZone(server, { name: "harbour", ...here, radius_km: 0.5 });
  const trip = await createTrip(server);
  const since = done(await server.get("/v1/changes?since=now", { token })).next;
  let steps = 0;
  return {
    since,
    channels: ["gps", `gps:${first.id}`, "geofence", `geofence:${zone.id}`, "trips", "devices"],
    async step() {
      const at = ++steps;
      const place = at % 4 < 2 ? here : northOf(here, 5);
      await Promise.all([
        postPoint(server, first.key, { ...place, timestamp: fix().timestamp + at }),
        postPoint(server, second.key, { timestamp: fix().timestamp + at }),
      ]);
      const name = `step ${at}`;
      if (at % 5 === 0) done(await server.patch(`/v1/trips/${trip.id}`, { token, body: { name } }));
      if (at % 7 === 0) done(await server.patch(`/v1/devices/${first.id}`, { token, body: { name } }));
    },
    async expected(channel) {
      const [family = "", id = ""] = channel.split(":");
      const told: Told[] = [];
      for (let next = since; ; ) {
        const page = done(await server.get(`/v1/changes?since=${next}&limit=5000`, { token }));
        for (const { cursor, type, data } of page.changes)
          if (
            TYPES[family]?.includes(type) &&
            (id === "" || id === data.device_id || id === data.geofence_id)
          )
            told.push({ cursor, type, id: data.id ?? null });
        if (page.is_complete) return told;
        next = page.next;
      }
    },
  };
}

const TYPES: Record<string, string[]> = {
  gps: ["gpsUpdate", "gpsLate"],
  geofence: ["geofenceEvent"],
  trips: ["tripUpdate"],
  devices: ["deviceUpdate"],
};

/** The changes that a reader was told of on a channel. */
export const toldOn = (lines: Line[], channel: string): Told[] =>
  lines.flatMap((line) =>
    "cursor" in line && line.channel === channel
      ? [{ cursor: line.cursor, type: line.type, id: line.id }]
      : [],
  );
