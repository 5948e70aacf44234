import { unpack } from "../../personal-data/export/support";
import type { Document } from "../../support/contract";
import { expectStatus, UNKNOWN } from "../../support/expectations";
import type { TestServer } from "../../support/server";
import { DAY, SECOND } from "../../support/time";

/**
 * A device with one of everything that can tell of it, each with a mark that is found in no other record: whoever reads an
 * answer or a message for these marks knows of what it tells, whatever its fields are called.
 */

/** The level of a share that shows something; `never` for what no share shows. */
export type Class = "now" | "history" | "manage" | "never";

/** Marks of a device, by what shows them. */
export type Marks = Record<Class, string[]>;

export interface Subject {
  id: string;
  key: string;
  /** Identifiers to fill addresses with; the first `PARENTS` are of records that others lie below. */
  ids: string[];
  tripId: string;
  zoneId: string;
  marks: Marks;
}

/** Places of a device: of the past, and now. Their first digits are its own. */
interface Places {
  past: string;
  present: string;
}

const LONGITUDE = 13.4;

/** Makes a device of a name, with positions, a trip and its log, a zone, a rule and an alert, an anchor, a tracker, a link. */
export async function makeSubject(server: TestServer, name: string, places: Places): Promise<Subject> {
  const token = await server.admin();
  const made = async (path: string, body: object) =>
    expectStatus(await server.post(path, { token, body }), 201).body.data;
  const device = await server.device(name);
  const post = async (latitude: string, ago: number) => {
    const timestamp = Math.floor(server.time / SECOND) - ago;
    const fix = { latitude: Number(latitude), longitude: LONGITUDE, timestamp };
    const speeds = { speed_kmh: 20, speed_mps: 5.5, speed_mph: 12.4, speed_knots: 10.8 };
    return expectStatus(await server.post("/v1/gps", { token: device.key, body: { ...fix, ...speeds } }), 201)
      .body.data;
  };
  const zone = await made("/v1/geofences", {
    ...{ name: `${name} zone`, longitude: LONGITUDE, radius_km: 30 },
    latitude: Number(Number(places.past).toFixed(1)),
  });
  const rule = await made("/v1/alert-rules", {
    ...{ name: `${name} rule`, severity: "info", device_ids: [device.id], target_ids: [] },
    condition: { type: "speed", above_knots: 5 },
  });
  const trip = await made("/v1/trips", {
    ...{ name: `${name} trip`, device_id: device.id, gps_logging_enabled: true },
  });
  expectStatus(await server.patch(`/v1/trips/${trip.id}`, { token, body: { status: "active" } }), 200);
  const past = await post(places.past, 900);
  await post(places.past, 890);
  await post(places.past, 880);
  const present = await post(places.present, 5);
  const entry = await made(`/v1/trips/${trip.id}/log`, { kind: "note", text: `${name} entry` });
  const tracker = await made(`/v1/devices/${device.id}/trackers`, {
    ...{ name: `${name} tracker`, format: "generic", base_url: "https://boat.example.org" },
  });
  const anchor = { latitude: Number(places.present), longitude: LONGITUDE, radius_m: 5_000 };
  expectStatus(await server.put(`/v1/devices/${device.id}/anchor`, { token, body: anchor }), 200);
  const link = await made("/v1/share-links", {
    ...{ device_ids: [device.id], level: "live", label: `${name} link` },
    ...{ expires_at: new Date(server.time + DAY).toISOString() },
    base_url: "https://boat.example.org",
  });
  const template = await made("/v1/trip-templates", { name: `${name} template`, device_id: device.id });
  const list = async (path: string) =>
    expectStatus(await server.get(path, { token }), 200).body.data as { id: string }[];
  const [alert] = await list(`/v1/alerts?device_id=${device.id}`);
  const [crossing] = await list(`/v1/geofence-events?device_id=${device.id}`);
  if (!alert || !crossing) throw new Error("the device raised no alert, or crossed no zone");
  return {
    ...{ id: device.id, key: device.key, tripId: trip.id, zoneId: zone.id },
    ids: [
      ...[device.id, trip.id, zone.id, rule.id, entry.id, tracker.id, link.id, template.id],
      ...[alert.id, crossing.id, past.id, present.id],
    ],
    marks: {
      // A position names the trip that it belongs to.
      now: [device.id, `"${name}"`, places.present, present.id, trip.id],
      history: [places.past, past.id, `${name} trip`, `${name} entry`, entry.id, crossing.id],
      manage: [rule.id, `${name} rule`, tracker.id, `${name} tracker`],
      never: [alert.id, link.id, `${name} link`, template.id, `${name} template`],
    },
  };
}

/** The device, its trip and its zone. */
const PARENTS = 3;

/** Marks that are in a text. */
export const found = (text: string, marks: readonly string[]): string[] =>
  marks.filter((mark) => text.includes(mark));

// --- Addresses --------------------------------------------------------------------------------------------

export interface Address {
  /** The operation: `GET /v1/devices/{id}`. */
  operation: string;
  permission: string | undefined;
  further: string | undefined;
  share: Class | undefined;
  path: string;
}

/** Values of parameters of the query that lists of a device's records take. */
export type Wanted = Record<string, string>;

/**
 * All addresses to read in a document: each with every identifier in the place of `{id}`, plain and with each of the wanted
 * parameters that it declares.
 */
export function addressesOf(
  document: Document,
  groups: readonly (readonly string[])[],
  wanted: Wanted,
): Address[] {
  return Object.entries(document.paths).flatMap(([path, { get: operation }]) => {
    if (!operation) return [];
    const declared = new Set(
      (operation.parameters ?? []).filter((each) => each.in === "query").map((each) => each.name),
    );
    const always = ["limit", "from", "latitude", "longitude"].filter((name) => declared.has(name));
    const queries = [
      [],
      ...["device_id", "device_ids", "trip_id", "geofence_id", "format", "since"].map((name) => [name]),
    ]
      .filter((names) => names.every((name) => declared.has(name)))
      .map((names) =>
        [...always, ...names].map((name) => `${name}=${encodeURIComponent(wanted[name] ?? "")}`),
      );
    return filled(path, groups).flatMap((address) =>
      queries.map((parameters) => ({
        operation: `GET ${path}`,
        permission: operation["x-permission"],
        further: operation["x-further-permission"],
        share: (operation as { "x-share"?: Class })["x-share"],
        path: parameters.length === 0 ? address : `${address}?${parameters.join("&")}`,
      })),
    );
  });
}

/** Addresses with each identifier of each device in the gap; of two gaps, the first has one of those that records lie below. */
const filled = (path: string, groups: readonly (readonly string[])[]): string[] => {
  const [first = "", second, third, ...more] = path.split(/\{\w+\}/);
  if (second === undefined) return [path];
  // Guilds, charts: nothing of a device.
  if (more.length > 0) return [path.replaceAll(/\{\w+\}/g, UNKNOWN)];
  return groups.flatMap((ids) =>
    third === undefined
      ? ids.map((id) => first + id + second)
      : ids.slice(0, PARENTS).flatMap((above) => ids.map((id) => first + above + second + id + third)),
  );
};

/** Milliseconds of silence after which a stream has told what it has. */
const PATIENCE = 500;

/** The text of a good answer, without the links in it, which repeat the question; "" for a refusal. */
export async function readAt(server: TestServer, path: string, token: string): Promise<string> {
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
  if (response.status === 500) throw new Error(`${path} answered ${response.status}`);
  if (!response.ok) {
    await response.body?.cancel();
    return "";
  }
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) return beginning(response);
  if (type === "application/zip")
    return JSON.stringify((await unpack(Buffer.from(await response.arrayBuffer()))).data);
  const text = await response.text();
  return text.replaceAll(/"_links":\{(?:[^{}]|\{[^{}]*\})*\}/g, "");
}

/** The begin of a stream. */
async function beginning(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const patience = setTimeout(() => reader.cancel(), PATIENCE);
    const { value, done } = await reader.read();
    clearTimeout(patience);
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
}
