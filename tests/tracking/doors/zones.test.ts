import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { done, expectStatus } from "../../support/expectations";
import { staff } from "../../support/people";
import { TestServer } from "../../support/server";
import { createZone } from "../support";
import { DOORS, type Made, newTracker, ownTracks, readTracker } from "./support";

/** The zones that OwnTracks is told with an answer. */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

let time = Math.floor(Date.now() / 1000) - 50_000;
const say = async ({ token }: Made, message: object = ownTracks(++time)) =>
  expectStatus(await server.post("/v1/ingest/owntracks", { token, body: message }), 200).body;

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is asserted
const namesIn = (answer: any): string[] =>
  answer.flatMap((message: { waypoints: { waypoints: { desc: string }[] } }) =>
    message.waypoints.waypoints.map(({ desc }) => desc),
  );

beforeEach(async () => {
  const { body } = await server.get("/v1/geofences?limit=100", { token: await server.admin() });
  for (const { id } of body.data) await server.delete(`/v1/geofences/${id}`, { token: await server.admin() });
});

const change = async (id: string, body: object) =>
  done(await server.patch(`/v1/geofences/${id}`, { token: await server.admin(), body }));

test("are not sent unless the tracker says so", async () => {
  await createZone(server);
  expect(await say(await newTracker(server, "owntracks"))).toEqual([]);
});

test("come as waypoints of the active zones, each with a time of its own", async () => {
  const zone = await createZone(server, { name: "Harbour", radius_km: 0.85 });
  await createZone(server, { name: "Yard" });
  await createZone(server, { name: "Old" }).then(({ id }) => change(id, { is_active: false }));
  const tracker = await newTracker(server, "owntracks", { send_zones: true });
  const answer = await say(tracker);
  expect(answer).toEqual([
    {
      _type: "cmd",
      action: "setWaypoints",
      waypoints: { _type: "waypoints", waypoints: expect.any(Array) },
    },
  ]);
  const { waypoints } = answer[0].waypoints;
  expect(waypoints[0]).toEqual({
    _type: "waypoint",
    desc: "Harbour",
    lat: zone.latitude,
    lon: zone.longitude,
    rad: 850,
    tst: expect.any(Number),
    rid: zone.id,
  });
  expect(namesIn(answer)).toEqual(["Harbour", "Yard"]);
  expect(waypoints[0].tst).not.toBe(waypoints[1].tst);
});

test("come again when they have changed, and after an hour, and not in between", async () => {
  const { id } = await createZone(server, { name: "Harbour" });
  const tracker = await newTracker(server, "owntracks", { send_zones: true });
  expect(namesIn(await say(tracker))).toEqual(["Harbour"]);
  expect(await say(tracker)).toEqual([]);
  await change(id, { name: "Port" });
  expect(namesIn(await say(tracker))).toEqual(["Port"]);
  expect(await say(tracker)).toEqual([]);
  await createZone(server, { name: "Yard" });
  expect(namesIn(await say(tracker))).toEqual(["Port", "Yard"]);
  await change(id, { is_active: false });
  expect(namesIn(await say(tracker))).toEqual(["Yard"]);
  await server.delete(`/v1/geofences/${id}`, { token: await server.admin() });
  expect(namesIn(await say(tracker))).toEqual(["Yard"]);
  await server.advance(3_601_000);
  expect(namesIn(await say(tracker))).toEqual(["Yard"]);
});

test("are the nearest hundred where there are more", async () => {
  const places = Array.from({ length: 105 }, (_, at) => ({ name: `zone ${at}`, latitude: 54 + at / 10 }));
  await Promise.all(places.map((place) => createZone(server, place)));
  const tracker = await newTracker(server, "owntracks", { send_zones: true });
  const names = namesIn(await say(tracker, ownTracks(++time, { lat: 64.4 })));
  expect(names).toHaveLength(100);
  expect(names[0]).toBe("zone 104");
  expect(names).not.toContain("zone 0");
});

test("stay with those who may see them: the maker needs geofences:read, when it is made and later", async () => {
  await createZone(server, { name: "Harbour" });
  const blind = await staff(server, "devices:write", "gps:write");
  const device = (await newTracker(server, "owntracks")).deviceId;
  const body = { name: "x", format: "owntracks", base_url: "https://boat.example.org", send_zones: true };
  const refused = await server.post(`/v1/devices/${device}/trackers`, { token: blind.token, body });
  expect(refused.status).toBe(403);
  const tracker = await newTracker(server, "owntracks", { token: blind.token, deviceId: device });
  const path = `/v1/devices/${device}/trackers/${tracker.id}`;
  expect((await server.patch(path, { token: blind.token, body: { send_zones: true } })).status).toBe(403);
  done(await server.patch(path, { token: await server.admin(), body: { send_zones: true } }));
  expect(await say(tracker)).toEqual([]);
});

test("can be switched on and off later, for OwnTracks alone", async () => {
  await createZone(server, { name: "Harbour" });
  const tracker = await newTracker(server, "owntracks");
  const path = `/v1/devices/${tracker.deviceId}/trackers/${tracker.id}`;
  done(await server.patch(path, { token: await server.admin(), body: { send_zones: true } }));
  expect((await readTracker(server, tracker)).send_zones).toBe(true);
  expect(namesIn(await say(tracker))).toEqual(["Harbour"]);
  done(await server.patch(path, { token: await server.admin(), body: { send_zones: false } }));
  await createZone(server, { name: "Yard" });
  expect(await say(tracker)).toEqual([]);
});

describe.each(DOORS.filter(({ format }) => format !== "owntracks"))("$format", ({ format }) => {
  test("can't be told zones, nor encrypt", async () => {
    const { deviceId } = await newTracker(server, format);
    for (const field of ["send_zones", "with_encryption"]) {
      const body = { name: "x", format, base_url: "https://boat.example.org", [field]: true };
      const answer = await server.post(`/v1/devices/${deviceId}/trackers`, {
        token: await server.admin(),
        body,
      });
      expect([answer.status, answer.body.details[0].path]).toEqual([400, `/${field}`]);
    }
  });
});
