import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectStatus } from "../../support/expectations";
import { randomFrom } from "../../support/random";
import { TestServer } from "../../support/server";
import { feature, newDevice, newTracker, ownTracks } from "../doors/support";
import { type Expected, expectedOf, type RecordedZone, type ReferenceZone, type TrackFix } from "./reference";
import {
  below,
  expectCrossings,
  insideOf,
  makeZones,
  type Random,
  type Row,
  recordedTracks,
  shuffle,
} from "./support";

/**
 * Three recorded tracks over 200 zones of all kinds, by the doors of a real server: in order by one, and shuffled, cut,
 * repeated and late by several. The crossings that hold are those of an orderly pass.
 */

const ZONES = 200;
/** Seconds between the positions of each track: the long one has 18,934, one a second. */
const PACES = [15, 6, 3];

/** A track with positions at a pace, gaps here and there that it passes zones in, and poor accuracy. */
function thin(track: TrackFix[], pace: number, random: Random): TrackFix[] {
  let next = 0;
  return track.flatMap((fix) => {
    if (fix.time < next) return [];
    next = fix.time + (random() < 0.1 ? 15 * pace * (1 + random()) : pace);
    return [{ ...fix, accuracy_m: random() < 0.2 ? 1 + Math.floor(100 * random()) : null }];
  });
}

let server: TestServer;
let token: string;
let tracks: TrackFix[][];
let zones: ReferenceZone[];
beforeAll(async () => {
  server = await TestServer.start({ settings: { "data.synchronous": "normal" } });
  token = await server.admin();
  const value = 1_000_000;
  expectStatus(
    await server.patch("/v1/system-config/ingest.positions_per_minute", { token, body: { value } }),
    200,
  );
  const random = randomFrom(77);
  tracks = (await recordedTracks()).map((track, n) => thin(track, PACES[n] as number, random));
  zones = await makeZones(random, tracks, ZONES, async (body) => {
    const answer = await server.post("/v1/geofences", { token, body });
    // A hole may stick out of its ring.
    return answer.status === 400 ? null : expectStatus(answer, 201).body.data;
  });
});
afterAll(() => server.stop());

const accuracy = (name: string, { accuracy_m }: TrackFix) =>
  accuracy_m == null ? {} : { [name]: accuracy_m };

/** A way to send positions of a device. */
type Door = (fixes: TrackFix[]) => Promise<void>;

const batch =
  (device_id: string): Door =>
  async (fixes) => {
    const positions = fixes.map(({ time, ...fix }) => ({ ...fix, timestamp: time }));
    expectStatus(await server.post("/v1/gps/batch", { token, body: { device_id, positions } }), 200);
  };

/** A batch, a file, and two apps: one that sends its buffer whole, one that sends each position by itself. */
async function doorsOf(deviceId: string): Promise<Door[]> {
  const [overland, own] = [
    await newTracker(server, "overland", { deviceId }),
    await newTracker(server, "owntracks", { deviceId }),
  ];
  return [
    batch(deviceId),
    async (fixes) => {
      const rows = fixes.map((fix) => [fix.latitude, fix.longitude, fix.time, fix.accuracy_m ?? ""].join());
      const raw = ["latitude,longitude,timestamp,accuracy_m", ...rows].join("\n");
      const headers = { "content-type": "text/csv" };
      expectStatus(await server.post(`/v1/devices/${deviceId}/import`, { token, raw, headers }), 200);
    },
    async (fixes) => {
      const locations = fixes.map((fix) => ({
        ...feature(fix.time, accuracy("horizontal_accuracy", fix)),
        geometry: { type: "Point", coordinates: [fix.longitude, fix.latitude] },
      }));
      const options = { token: overland.token, body: { locations } };
      expectStatus(await server.post("/v1/ingest/overland", options), 200);
    },
    async (fixes) => {
      for (const fix of fixes) {
        const { latitude: lat, longitude: lon } = fix;
        const body = ownTracks(fix.time, { lat, lon, acc: undefined, ...accuracy("acc", fix) });
        expectStatus(await server.post("/v1/ingest/owntracks", { token: own.token, body }), 200);
      }
    },
  ];
}

/** All records of a list, once nothing is computed anew any more. */
// biome-ignore lint/suspicious/noExplicitAny: the rows of any list
async function all(path: string): Promise<any[]> {
  const rows: object[] = [];
  for (let page = 1; ; page++) {
    const separator = path.includes("?") ? "&" : "?";
    const { body } = expectStatus(
      await server.get(`${path}${separator}limit=100&page=${page}`, { token }),
      200,
    );
    if (body.recomputing_from) {
      await Bun.sleep(20);
      page--;
      continue;
    }
    rows.push(...body.data);
    if (page >= body.pagination.total_pages) return rows;
  }
}

async function expectDevice(deviceId: string, expected: Expected, context: object): Promise<void> {
  const events = await all(`/v1/geofence-events?device_id=${deviceId}`);
  const positions = await all(`/v1/gps?device_id=${deviceId}`);
  const times = new Map(positions.map(({ id, timestamp }) => [id, Date.parse(timestamp) / 1_000]));
  const rows = events.map(
    ({ geofence_id, event, occurred_at, gps_point_id, latitude, longitude }): Row => ({
      ...{ zone: geofence_id, event, at: Date.parse(occurred_at), latitude, longitude },
      fix: times.get(gps_point_id) ?? Number.NaN,
    }),
  );
  expectCrossings(rows, expected, context);
  const inside: string[] = [];
  for (const { zone } of zones)
    for (const { device_id, since } of await all(`/v1/geofences/${zone.id}/devices`))
      if (device_id === deviceId) inside.push(`${zone.id} ${Date.parse(since)}`);
  expect({ ...context, inside: inside.sort() }).toEqual({ ...context, inside: insideOf(expected) });
}

/** Requests of a track that comes in pieces, each of which is late by up to some minutes, hours or not at all. */
const cut = (track: TrackFix[], random: Random) => {
  const pieces: TrackFix[][] = [];
  for (let rest = track; rest.length > 0; ) {
    const size = 20 + below(random, 100);
    pieces.push(rest.slice(0, size));
    rest = rest.slice(size);
  }
  return pieces.flatMap((piece) => shuffle(piece, random)).toSorted((a, b) => a.at - b.at);
};

test("three recorded tracks end as an orderly pass, however they come", async () => {
  const random = randomFrom(5);
  const seen = { enter: 0, exit: 0, passed: 0, dwell: 0, late: 0, superseded: 0 };
  for (const [n, track] of tracks.entries()) {
    const expected = expectedOf(zones, track);
    for (const { event } of expected.crossings) seen[event]++;

    const orderly = await newDevice(server);
    const send = batch(orderly);
    for (let at = 0; at < track.length; at += 500) await send(track.slice(at, at + 500));
    await expectDevice(orderly, expected, { track: n, pass: "orderly" });

    const shuffled = await newDevice(server);
    const doors = await doorsOf(shuffled);
    for (const { fixes } of cut(track, random)) await (doors[below(random, doors.length)] as Door)(fixes);
    await expectDevice(shuffled, expected, { track: n, pass: "shuffled" });
    const told = await all(`/v1/geofence-events?device_id=${shuffled}&include_superseded=true`);
    seen.late += told.filter(({ is_late }) => is_late).length;
    seen.superseded += told.filter(({ superseded_at }) => superseded_at !== null).length;
  }
  // Tracks on which nothing happens prove nothing.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
});

test("its zones are of all kinds", () => {
  const kinds = zones.map(({ zone }: { zone: RecordedZone }) => zone.kind);
  for (const kind of ["circle", "polygon", "corridor"] as const)
    expect(kinds.filter((each) => each === kind).length).toBeGreaterThan(40);
});
