import type { Token } from "../support/api";
import { ADMIN, type TestServer } from "../support/server";
import { fix } from "../tracking/support";

/**
 * Writers of every kind against a server that may be killed at any moment. Each notes the acknowledged
 * changes.
 */

/** The changes that the server acknowledged, over all of its lives. */
export class Acknowledged {
  readonly points: string[] = [];
  readonly sessions: string[] = [];
  /** The newest acknowledged value of each setting; null once it was deleted. */
  readonly settings = new Map<string, number | null>();
  /** The status of each trip; null once it was deleted. */
  readonly trips = new Map<string, string | null>();
  /** The username of each user; null once the user was deleted. */
  readonly users = new Map<string, string | null>();
  /** The name of each zone; null once it was deleted. */
  readonly zones = new Map<string, string | null>();
  /** Addresses whose registration was acknowledged. */
  readonly registrations: string[] = [];
  resets = 0;
  /** Answers that no writer expects. */
  readonly unexpected: string[] = [];
  changes = 0;
}

/** The accounts and records that the writers act with. Made once; they outlive the server. */
export interface Cast {
  admin: Token;
  systemKey: Token;
  /** Keys that post for a device each. */
  trackers: Token[];
  acknowledged: Acknowledged;
}

/** Devices are either inside this zone or far away from it, never near its edge. */
export const HARBOUR = { latitude: 54.0967, longitude: 13.4553, radius_km: 1 };
const AT_SEA = { latitude: 54.5, longitude: 13.4553 };

export async function prepareCast(server: TestServer): Promise<Cast> {
  const admin = await server.admin();
  const trackers: Token[] = [];
  for (const name of ["one", "two", "three"]) {
    const device = await server.device(name);
    trackers.push(device.key);
    const trip = await server.post("/v1/trips", {
      token: admin,
      body: { name, device_id: device.id, gps_logging_enabled: true },
    });
    await server.patch(`/v1/trips/${trip.body.data.id}`, { token: admin, body: { status: "active" } });
  }
  await server.post("/v1/geofences", { token: admin, body: { name: "harbour", ...HARBOUR } });
  return { admin, systemKey: server.systemKey, trackers, acknowledged: new Acknowledged() };
}

class Gone extends Error {}

type Send = (
  method: string,
  path: string,
  token?: Token,
  body?: unknown,
) => Promise<{ status: number; body: Body }>;
// biome-ignore lint/suspicious/noExplicitAny: the body of any answer
type Body = any;

/** Starts all writers against a server. They end once it takes no more connections. */
export async function startWriters(url: string, cast: Cast): Promise<void> {
  const { acknowledged } = cast;
  const send: Send = async (method, path, token, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new Gone();
    });
    const text = await response.text().catch(() => {
      throw new Gone();
    });
    if (response.status >= 400) acknowledged.unexpected.push(`${method} ${path} ${response.status} ${text}`);
    else if (method !== "GET") acknowledged.changes++;
    const isJson = response.headers.get("content-type")?.includes("json");
    return { status: response.status, body: isJson && text !== "" ? JSON.parse(text) : null };
  };
  const forever = async (turn: (count: number) => Promise<void>) => {
    try {
      for (let count = 0; ; count++) await turn(count);
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
    }
  };
  await Promise.all(
    [
      ...cast.trackers.map((key) => sailing(send, key, acknowledged)),
      remembering(send, cast),
      signingIn(send, acknowledged),
      configuring(send, cast),
      travelling(send, cast),
      administering(send, cast),
      fencing(send, cast),
      registering(send, cast),
      forgetting(send, acknowledged),
      exporting(send, cast),
    ].map(forever),
  );
}

type Turn = (count: number) => Promise<void>;

/** Moves a device in and out of the harbour. */
const sailing =
  (send: Send, key: Token, { points }: Acknowledged): Turn =>
  async (count) => {
    const place = count % 3 === 0 ? HARBOUR : AT_SEA;
    const timestamp = Math.floor(Date.now() / 1_000);
    const { status, body } = await send("POST", "/v1/gps", key, fix({ ...place, timestamp }));
    if (status === 201) points.push(body.data.id);
  };

/** Posts positions of long ago that belong to no trip: the retention of the next start deletes them. */
const remembering =
  (send: Send, { systemKey }: Cast): Turn =>
  async () => {
    await send("POST", "/v1/gps", systemKey, fix());
  };

const signingIn =
  (send: Send, { sessions }: Acknowledged): Turn =>
  async (count) => {
    const { status, body } = await send("POST", "/v1/auth/login", undefined, {
      identifier: ADMIN.username,
      password: ADMIN.password,
    });
    if (status !== 200) return;
    if (count % 3 === 2) await send("POST", "/v1/auth/logout", body.session_token);
    else sessions.push(body.session_id);
  };

/** Each setting is created with 1 and counts up, so that its value tells how often it was changed. */
const configuring =
  (send: Send, { admin, acknowledged: { settings } }: Cast): Turn =>
  async (count) => {
    const key = `setting-${crypto.randomUUID()}`;
    await send("POST", "/v1/settings", admin, { key, value: 1 });
    settings.set(key, 1);
    for (let value = 2; value <= 4; value++) {
      await send("PUT", `/v1/settings/${key}`, admin, { value });
      settings.set(key, value);
    }
    if (count % 2 === 0) return;
    await send("DELETE", `/v1/settings/${key}`, admin);
    settings.set(key, null);
  };

const travelling =
  (send: Send, { admin, acknowledged: { trips } }: Cast): Turn =>
  async (count) => {
    const { body } = await send("POST", "/v1/trips", admin, { name: "trip" });
    const id: string = body.data.id;
    trips.set(id, "draft");
    for (const status of ["active", "paused", "active", "completed"]) {
      await send("PATCH", `/v1/trips/${id}`, admin, { status });
      trips.set(id, status);
    }
    if (count % 2 === 0) return;
    await send("DELETE", `/v1/trips/${id}`, admin);
    trips.set(id, null);
  };

const administering =
  (send: Send, { admin, systemKey, acknowledged: { users } }: Cast): Turn =>
  async (count) => {
    const name = crypto.randomUUID();
    const made = await send("POST", "/v1/users/oauth", systemKey, {
      name,
      oauthProvider: "discord",
      oauthProviderId: name,
    });
    const { id, username }: { id: string; username: string } = made.body.data;
    users.set(id, username);
    const renamed = `u_${name.replaceAll("-", "").slice(0, 20)}`;
    await send("PATCH", `/v1/users/${id}/username`, admin, { username: renamed });
    users.set(id, renamed);
    await send("POST", `/v1/users/${id}/roles`, admin, { role_id: "role_moderator" });
    if (count % 2 === 0) return;
    await send("DELETE", `/v1/users/${id}`, admin);
    users.set(id, null);
  };

/** Zones far from the devices: only the harbour contains any. */
const fencing =
  (send: Send, { admin, acknowledged: { zones } }: Cast): Turn =>
  async (count) => {
    const zone = { name: "first", latitude: -30, longitude: -140, radius_km: 5 };
    const { body } = await send("POST", "/v1/geofences", admin, zone);
    const id: string = body.data.id;
    zones.set(id, "first");
    await send("PATCH", `/v1/geofences/${id}`, admin, { name: "second", radius_km: 6 });
    zones.set(id, "second");
    if (count % 2 === 0) return;
    await send("DELETE", `/v1/geofences/${id}`, admin);
    zones.set(id, null);
  };

const registering =
  (send: Send, { acknowledged: { registrations } }: Cast): Turn =>
  async () => {
    const username = `r_${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;
    const email = `${username}@example.org`;
    await send("POST", "/v1/auth/register", undefined, { username, email, password: ADMIN.password });
    registrations.push(email);
  };

const forgetting =
  (send: Send, acknowledged: Acknowledged): Turn =>
  async () => {
    await send("POST", "/v1/auth/reset-password", undefined, { email: ADMIN.email });
    acknowledged.resets++;
  };

const exporting =
  (send: Send, { admin }: Cast): Turn =>
  async () => {
    // An export takes a core for a while: this leaves time for the others, and lets the kill hit any moment
    // of it.
    await Bun.sleep(2_000 * Math.random());
    await send("GET", "/v1/user/export", admin);
  };
