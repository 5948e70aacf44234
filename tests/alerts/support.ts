import { done, eventually, expectStatus } from "../support/expectations";
import { rows } from "../support/rows";
import type { TestServer } from "../support/server";
import { createZone, fix } from "../tracking/support";

/** Alert rules, alerts and devices in the tests. */

export const RULES = "/v1/alert-rules";
export const ALERTS = "/v1/alerts";

let made = 0;

/** A new rule of the admin's, as the answer shows it. */
export async function newRule(
  server: TestServer,
  condition: object,
  fields: object = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its shape
): Promise<any> {
  const body = { name: `Rule ${++made}`, severity: "alarm", condition, target_ids: [], ...fields };
  const answer = await server.post(RULES, { token: await server.admin(), body });
  return expectStatus(answer, 201).body.data;
}

/** Alerts, the oldest first. */
export async function alertsOf(
  server: TestServer,
  query = "",
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its shape
): Promise<any[]> {
  const answer = await server.get(`${ALERTS}?limit=100${query}`, { token: await server.admin() });
  return done(answer).data.reverse();
}

/** An alert in a few words: "open exit Depot", "cleared speed ×2". */
export const brief = (alert: {
  status: string;
  condition: string;
  event: string | null;
  geofence_name: string | null;
  subject: string | null;
  count: number;
}): string =>
  [
    alert.status,
    alert.event ?? alert.condition,
    alert.geofence_name ?? alert.subject,
    alert.count > 1 ? `×${alert.count}` : null,
  ]
    .filter(Boolean)
    .join(" ");

/** The alerts of a device in a few words each, the oldest first. */
export const briefOf = async (server: TestServer, deviceId: string): Promise<string[]> =>
  (await alertsOf(server, `&device_id=${deviceId}`)).map(brief);

export interface Sender {
  id: string;
  key: string;
}

/** Posts a position of a device, `age` seconds old. */
export async function send(server: TestServer, { key }: Sender, fields: object = {}, age = 0) {
  const timestamp = Math.floor(server.time / 1_000) - age;
  return expectStatus(
    await server.post("/v1/gps", { token: key, body: { ...fix(), timestamp, ...fields } }),
    201,
  ).body.data;
}

/** Waits until a server with a boat at anchor has written down once more that it runs, which it does every two seconds. */
export async function lifeWritten(server: TestServer): Promise<void> {
  const since = server.time;
  await eventually(async () => {
    await server.runJobs();
    const [life] = rows<{ alive_at: number }>(server, "SELECT alive_at FROM server_life");
    return life !== undefined && life.alive_at >= since;
  });
}

/** Lets the clock, which is watched each second, see what is due. */
export const clockWatched = (server: TestServer) => server.runJobs();

/** Changes a rule as the admin. */
export async function changeRule(server: TestServer, id: string, body: object) {
  return done(await server.patch(`${RULES}/${id}`, { token: await server.admin(), body })).data;
}

/** A zone, by default around the position of `fix`, with a rule on a crossing of it, and a device. */
export async function newZoneWatch(
  server: TestServer,
  event: string,
  fields: object = {},
  zoneFields: object = {},
) {
  const device = await server.device();
  const zone = await createZone(server, { name: "Depot", ...zoneFields });
  const condition = { type: "zone", event, geofence_ids: [zone.id] };
  const rule = await newRule(server, condition, { device_ids: [device.id], ...fields });
  return { device, zone, rule };
}

/** Waits until the crossings of a device are those of all its positions. */
export async function corrected(server: TestServer, { id }: Pick<Sender, "id">): Promise<void> {
  const token = await server.admin();
  await eventually(
    async () =>
      done(await server.get(`/v1/geofence-events?device_id=${id}`, { token })).recomputing_from === null,
  );
}
