import { done, eventually, expectStatus } from "../../support/expectations";
import { rows } from "../../support/rows";
import type { TestServer } from "../../support/server";
import { DOORS, newTracker } from "../../tracking/doors/support";
import { gpxTrack, trkpt } from "../../tracking/import/support";
import { newLink } from "../../tracking/links/support";
import { strike, write } from "../../tracking/log/support";
import { createZone, fix, moveTrip } from "../../tracking/support";
import type { Installation } from "./installation";

/** Devices, their positions by each door, trips with their logs, zones, shares and links. */

export interface Fleet {
  /** The device that sails, and the key that posts for it. */
  device: { id: string; key: string; keyId: string };
  tracker: { id: string; deviceId: string };
  location: string;
  category: string;
  template: string;
  zone: string;
  trip: string;
  position: string;
  entry: string;
  link: string;
  /** By the server's clock, epoch milliseconds. */
  begunAt: number;
  endedAt: number;
}

export const HARBOUR = { latitude: 54.0967, longitude: 13.4553 };

/** Fixes of the device, so many that lists have several pages; seconds between them. */
const [FIXES, PACE] = [250, 30];
/** Fixes at rest before it sails, and at each end of it. */
const AT_REST = 40;

export async function sail({ home }: Installation): Promise<Fleet> {
  const begunAt = home.time;
  const device = await home.device("Greif");
  const places = await setOut(home, device.id);
  const positions = await voyage(home, device, places.trip);
  const entry = await logBook(home, places.trip);
  await secondTrip(home, device);
  await tripsByItself(home);
  const { id: link } = await newLink(home, { device_ids: [device.id], hide_zone_ids: [places.zone] });
  const tracker = await doors(home);
  await oldTrack(home);
  const position = positions[7] ?? "";
  return { device, tracker, entry, link, position, ...places, begunAt, endedAt: home.time };
}

/** Places, categories, templates and zones, and a trip that is under way. */
async function setOut(home: TestServer, device_id: string) {
  const token = await home.admin();
  const make = async (path: string, body: object): Promise<string> =>
    expectStatus(await home.post(path, { token, body }), 201).body.data.id;
  const location = await make("/v1/locations", {
    ...{ name: "Museum harbour", city: "Greifswald", country: "DE", ...HARBOUR },
    contacts: [{ name: "Inga Hansen", role: "Harbour master" }],
  });
  const category = await make("/v1/trip-categories", { name: "Transfers", color: "#0b4f8a" });
  const template = await make("/v1/trip-templates", {
    ...{ name: "Weekly supply run", category_id: category, device_id, tags: ["supply"] },
    ...{ origin_id: location, gps_logging_enabled: true },
  });
  const zone = await createZone(home, {
    ...{ name: "Harbour of Greifswald", ...HARBOUR, radius_km: 0.8 },
    metadata: { berth: "N4" },
  });
  const trip = await make(`/v1/trip-templates/${template}/create-trip`, { weight_kg: 1_250 });
  await moveTrip(home, trip, "active");
  return { location, category, template, zone: zone.id as string, trip };
}

/** Out of the harbour and back into it, up to now. Returns the identifiers of the positions. */
async function voyage(home: TestServer, { id, key }: { id: string; key: string }, trip: string) {
  await home.advance(FIXES * PACE * 1_000);
  const begin = Math.floor(home.time / 1_000) - FIXES * PACE;
  for (let at = 0; at < FIXES; at += 50) {
    const positions = Array.from({ length: 50 }, (_, n) => outAndBack(at + n, begin + (at + n) * PACE));
    done(await home.post("/v1/gps/batch", { token: key, body: { positions } }));
  }
  await moveTrip(home, trip, "completed");
  const { data } = done(await home.get(`/v1/gps?device_id=${id}&limit=100`, { token: key }));
  return (data as { id: string }[]).map((position) => position.id);
}

function outAndBack(at: number, timestamp: number) {
  const away = Math.max(0, Math.min(at - AT_REST, FIXES - AT_REST - at)) * 0.0005;
  return fix({
    ...{ latitude: HARBOUR.latitude + away, longitude: HARBOUR.longitude + away, timestamp },
    ...{ heading: (at * 7) % 360, hdop: 0.9, battery_percent: 90 - (at % 40) },
  });
}

/** A log of a trip with an entry that was struck out. Returns another one. */
async function logBook(home: TestServer, trip: string): Promise<string> {
  const { id } = await write(home, trip, { text: "Cast off", data: { wind: "SW 4" } });
  const wrong = await write(home, trip, { text: "Reefed" });
  await strike(home, trip, wrong.id);
  return id;
}

/** A trip that is under way, with a position that came twice and counts once. */
async function secondTrip(home: TestServer, { id, key }: { id: string; key: string }): Promise<void> {
  const token = await home.admin();
  const trip = expectStatus(
    await home.post("/v1/trips", { token, body: { name: "Back", device_id: id } }),
    201,
  );
  await moveTrip(home, trip.body.data.id, "active");
  const body = outAndBack(FIXES, Math.floor(home.time / 1_000));
  const headers = { "idempotency-key": "the first one" };
  for (const status of [201, 201])
    expectStatus(await home.post("/v1/gps", { token: key, body, headers }), status);
}

/** A device that makes trips by itself: ten minutes at rest, twenty northward, and half an hour at rest. */
async function tripsByItself(home: TestServer): Promise<void> {
  const { id, key } = await home.device("Ferry");
  const rules = { is_enabled: true, start_after_minutes: 3, end_after_minutes: 20, min_distance_km: 0.5 };
  const token = await home.admin();
  const body = { auto_trip: { ...rules, name_template: "{device}: {origin} {date} {time}" } };
  done(await home.patch(`/v1/devices/${id}`, { token, body }));
  const begin = Math.floor(home.time / 1_000) - 3_600;
  const positions = Array.from({ length: 60 }, (_, at) =>
    fix({
      ...{ timestamp: begin + at * 60, longitude: HARBOUR.longitude },
      latitude: HARBOUR.latitude + Math.min(20, Math.max(0, at - 9)) * 0.002,
    }),
  );
  const send = async (some: object[]) =>
    done(await home.post("/v1/gps/batch", { token: key, body: { positions: some } }));
  // A device makes trips of what comes after its rules have seen it: after the commit of a position.
  await send(positions.slice(0, 5));
  await eventually(() => rows(home, "SELECT 1 FROM auto_trips").length > 0);
  await send(positions.slice(5));
  const ended = "SELECT 1 FROM trips WHERE device_id = ? AND status = 'completed'";
  await eventually(() => rows(home, ended, id).length > 0);
}

/** A position by each door of apps. Returns the first tracker. */
async function doors(home: TestServer): Promise<Fleet["tracker"]> {
  const trackers = [];
  for (const [at, { path, format, send }] of DOORS.entries()) {
    const tracker = await newTracker(home, format);
    const { query = "", options } = send(Math.floor(home.time / 1_000) - 60 + at);
    const headers = { ...options.headers, authorization: `Bearer ${tracker.token}` };
    done(await home.post(path + query, { ...options, headers }));
    trackers.push({ id: tracker.id, deviceId: tracker.deviceId });
  }
  return trackers[0] as Fleet["tracker"];
}

/** A track of years ago from a file: zones that begin to watch now do so from where its device was last. */
async function oldTrack(home: TestServer): Promise<void> {
  const { id } = await home.device("Old boat");
  const points = Array.from({ length: 20 }, (_, at) => trkpt(1_372_578_069 + at * 60, 54.09 + at / 1_000));
  const headers = { "content-type": "application/gpx+xml" };
  const raw = gpxTrack(points.join("\n"));
  done(await home.post(`/v1/devices/${id}/import`, { token: await home.admin(), raw, headers }));
  await createZone(home, { name: "Bodden", ...HARBOUR, radius_km: 20 });
}
