import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { randomFrom } from "../../support/random";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { told } from "../../support/told";
import {
  asHeard,
  createZone,
  crossingsByPoint,
  fix,
  greatCircleKm,
  northOf,
  type Place,
  postPoint,
  randomPlace,
  ZoneScan,
} from "../support";

/** Each check of a client's messages costs a message. */
const settings = { "websocket.max_messages_per_second": "100000" };

const { latitude, longitude } = fix();
const HERE: Place = { latitude, longitude };
const FAR: Place = { latitude: -33.9, longitude: 18.4 };
const ANTIPODE: Place = { latitude: -latitude, longitude: longitude - 180 };

let server: TestServer;
let client: Client;
let token: string;
beforeAll(async () => {
  server = await TestServer.start({ settings });
  token = await server.admin();
  client = await listen(server, "gps", "geofence");
});
afterAll(() => server.stop());

/** Zones of the running test. */
let zones: { id: string }[] = [];
afterEach(async () => {
  for (const { id } of zones) await server.delete(`/v1/geofences/${id}`, { token });
  zones = [];
});

async function listen(where: TestServer, ...channels: string[]): Promise<Client> {
  return (await Client.open(where, { bearer: where.systemKey })).subscribe(...channels);
}

async function zone(name: string, fields: object = {}) {
  const created = await createZone(server, { name, ...HERE, ...fields });
  zones.push(created);
  return created;
}

const change = (id: string, body: object) => server.patch(`/v1/geofences/${id}`, { token, body });

/** The messages heard: "update" for a position, "enter harbour" or "exit harbour" for an event of a zone. */
const heard = async (by = client) =>
  (await by.heard()).map(({ type, data }) =>
    type === "geofenceEvent" ? `${data.event} ${data.geofence_name}` : type === "gpsUpdate" ? "update" : type,
  );

/** A device whose positions are one second apart. */
async function ship() {
  const device = await server.device();
  let timestamp = 1_000_000;
  return {
    ...device,
    /** Posts a position, at the next time or the given one, and returns the events that it causes. */
    async sail(place: Place, at = ++timestamp): Promise<string[]> {
      await postPoint(server, device.key, { ...place, timestamp: at });
      const [update, ...events] = await heard();
      expect(update).toBe("update");
      return events;
    },
  };
}

describe("geofenceEvent", () => {
  test("tells who entered which zone, how far from its centre, with the zone's metadata", async () => {
    const metadata = { berth: "N4", depth: [3.5, null], nested: { deep: true } };
    const harbour = await zone("harbour", { metadata });
    const { id, key } = await ship();
    const place = northOf(HERE, 0.7);
    const point = await postPoint(server, key, place);
    const [update, event, ...more] = await client.heard();
    expect(update).toEqual({ type: "gpsUpdate", data: told(point) });
    expect(event).toEqual({
      type: "geofenceEvent",
      data: {
        geofence_id: harbour.id,
        geofence_name: "harbour",
        event: "enter",
        device_id: id,
        distance_km: expect.closeTo(greatCircleKm(HERE, place), 9),
        metadata,
      },
    });
    expect(more).toEqual([]);
  });

  test("tells who left, with the zone's name and metadata as they are then; null where there is none", async () => {
    const harbour = await zone("harbour", { metadata: { a: 1 } });
    const { id, key } = await ship();
    await postPoint(server, key);
    await change(harbour.id, { name: "yard", metadata: null });
    await client.heard();
    await postPoint(server, key, FAR);
    expect((await client.heard())[1]).toEqual({
      type: "geofenceEvent",
      data: {
        geofence_id: harbour.id,
        geofence_name: "yard",
        event: "exit",
        device_id: id,
        distance_km: expect.closeTo(greatCircleKm(HERE, FAR), 6),
        metadata: null,
      },
    });
  });

  test("brings metadata of 16 KiB and of many levels whole", async () => {
    let metadata: object = { note: "x".repeat(15_000) };
    for (let level = 0; level < 55; level++) metadata = { in: metadata };
    await zone("harbour", { metadata });
    const { key } = await ship();
    await postPoint(server, key);
    expect((await client.heard())[1].data.metadata).toEqual(metadata);
  });

  test("reaches the channel of its zone, and no other zone's", async () => {
    const [one, two] = [await zone("one"), await zone("two")];
    const [ofOne, ofTwo] = [
      await listen(server, `geofence:${one.id}`),
      await listen(server, `geofence:${two.id}`),
    ];
    const { sail } = await ship();
    expect((await sail(HERE)).sort()).toEqual(["enter one", "enter two"]);
    expect(await heard(ofOne)).toEqual(["enter one"]);
    expect(await heard(ofTwo)).toEqual(["enter two"]);
    for (const listener of [ofOne, ofTwo]) await listener.close();
  });
});

describe("a device", () => {
  test("enters a zone with its first point when that is inside", async () => {
    await zone("harbour");
    const { sail } = await ship();
    expect(await sail(HERE)).toEqual(["enter harbour"]);
  });

  test("enters and leaves once each time, whatever it does inside and outside", async () => {
    await zone("harbour");
    const { sail } = await ship();
    expect(await sail(FAR)).toEqual([]);
    for (let round = 0; round < 2; round++) {
      expect(await sail(HERE)).toEqual(["enter harbour"]);
      expect(await sail(northOf(HERE, 0.5))).toEqual([]);
      expect(await sail(northOf(HERE, -0.9))).toEqual([]);
      expect(await sail(northOf(HERE, 1.5))).toEqual(["exit harbour"]);
      expect(await sail(FAR)).toEqual([]);
    }
  });

  test("leaves once it is more than 10 m beyond the radius, and comes back within the radius", async () => {
    await zone("harbour", { radius_km: 1 });
    const { sail } = await ship();
    const away = (km: number) => sail(northOf(HERE, km));
    expect(await away(1.0001)).toEqual([]);
    expect(await away(0.9999)).toEqual(["enter harbour"]);
    expect(await away(1.0001)).toEqual([]);
    expect(await away(1.0099)).toEqual([]);
    expect(await away(1.0101)).toEqual(["exit harbour"]);
    expect(await away(1.0099)).toEqual([]);
    expect(await away(1.0001)).toEqual([]);
    expect(await away(0.9999)).toEqual(["enter harbour"]);
  });

  test("is inside of all zones that overlap, and leaves before it enters", async () => {
    await zone("one", { radius_km: 2 });
    await zone("two", { radius_km: 1 });
    await zone("next", { ...northOf(HERE, 3), radius_km: 1.5 });
    await zone("far", FAR);
    const { sail } = await ship();
    expect((await sail(HERE)).sort()).toEqual(["enter one", "enter two"]);
    expect(await sail(northOf(HERE, 1.6))).toEqual(["exit two", "enter next"]);
    expect(await sail(northOf(HERE, 3))).toEqual(["exit one"]);
    expect(await sail(FAR)).toEqual(["exit next", "enter far"]);
    const all = await sail(HERE);
    expect(all[0]).toBe("exit far");
    expect(all.slice(1).sort()).toEqual(["enter one", "enter two"]);
  });

  test("has nothing to do with another device", async () => {
    await zone("harbour");
    const [one, two] = [await ship(), await ship()];
    expect(await one.sail(HERE)).toEqual(["enter harbour"]);
    expect(await two.sail(FAR)).toEqual([]);
    expect(await two.sail(HERE)).toEqual(["enter harbour"]);
    expect(await one.sail(FAR)).toEqual(["exit harbour"]);
    expect(await two.sail(HERE)).toEqual([]);
  });

  test("enters anew as another device when its key is linked to that one", async () => {
    await zone("harbour");
    const [one, two] = [await ship(), await ship()];
    expect(await one.sail(HERE)).toEqual(["enter harbour"]);
    await server.patch(`/v1/devices/${two.id}`, { token, body: { api_key_id: one.keyId } });
    expect(await one.sail(HERE)).toEqual(["enter harbour"]);
  });

  test("that is deleted leaves silently", async () => {
    await zone("harbour");
    const { id, sail } = await ship();
    expect(await sail(HERE)).toEqual(["enter harbour"]);
    await server.delete(`/v1/devices/${id}`, { token });
    expect(await heard()).toEqual([]);
    expect(await sail(FAR)).toEqual([]);
  });

  test("enters once, however many of its points arrive at once", async () => {
    await zone("harbour");
    const { key } = await ship();
    await Promise.all(Array.from({ length: 30 }, () => postPoint(server, key)));
    const all = await heard();
    expect(all.filter((what) => what === "update")).toHaveLength(30);
    expect(all.filter((what) => what !== "update")).toEqual(["enter harbour"]);
  });
});

describe("a point", () => {
  test("without a device is in no zone", async () => {
    await zone("harbour");
    for (const credential of [token, await server.key("gps:write"), server.systemKey]) {
      await postPoint(server, credential);
      expect(await heard()).toEqual(["update"]);
    }
  });

  test("older than the device's newest is broadcast, but moves the device out of no zone and into none", async () => {
    await zone("harbour");
    await zone("far", FAR);
    const { sail } = await ship();
    expect(await sail(HERE, 2_000)).toEqual(["enter harbour"]);
    expect(await sail(FAR, 1_999)).toEqual([]);
    expect(await sail(HERE, 2_001)).toEqual([]);
    expect(await sail(FAR, 2_002)).toEqual(["exit harbour", "enter far"]);
    expect(await sail(HERE, 2_001)).toEqual([]);
  });

  test("as old as the device's newest counts", async () => {
    await zone("harbour");
    const { sail } = await ship();
    expect(await sail(HERE, 2_000)).toEqual(["enter harbour"]);
    expect(await sail(FAR, 2_000)).toEqual(["exit harbour"]);
  });

  test("that is refused moves nobody", async () => {
    await zone("harbour");
    const { key, sail } = await ship();
    expect(await sail(HERE)).toEqual(["enter harbour"]);
    await server.post("/v1/gps", { token: key, body: fix({ ...FAR, speed_kmh: -1 }) });
    await server.post("/v1/gps", { token: key, body: fix({ ...FAR, timestamp: 4_000_000_000 }) });
    expect(await heard()).toEqual([]);
    expect(await sail(HERE)).toEqual([]);
  });
});

describe("a zone", () => {
  const CASES: [string, { zone: Place & { radius_km: number }; inside: Place[]; outside: Place[] }][] = [
    [
      "across the 180th meridian",
      {
        zone: { latitude: -17.8, longitude: 179.95, radius_km: 30 },
        inside: [
          { latitude: -17.8, longitude: -179.9 },
          { latitude: -17.8, longitude: 179.7 },
          { latitude: -17.7, longitude: 180 },
          { latitude: -17.7, longitude: -180 },
        ],
        outside: [
          { latitude: -17.8, longitude: -179.7 },
          { latitude: -17.8, longitude: 179.6 },
          { latitude: -17.8, longitude: 0 },
        ],
      },
    ],
    [
      "over the North Pole",
      {
        zone: { latitude: 89.8, longitude: 20, radius_km: 50 },
        inside: [
          { latitude: 90, longitude: 0 },
          { latitude: 90, longitude: -123 },
          { latitude: 89.8, longitude: -160 },
          { latitude: 89.4, longitude: 20 },
        ],
        outside: [
          { latitude: 89.7, longitude: -160 },
          { latitude: 89.3, longitude: 20 },
          { latitude: -89.8, longitude: 20 },
        ],
      },
    ],
    [
      "around the South Pole",
      {
        zone: { latitude: -90, longitude: 0, radius_km: 100 },
        inside: [
          { latitude: -90, longitude: 77 },
          { latitude: -89.2, longitude: 180 },
          { latitude: -89.2, longitude: -90 },
        ],
        outside: [
          { latitude: -89, longitude: 0 },
          { latitude: 90, longitude: 0 },
        ],
      },
    ],
    [
      "of one metre",
      {
        zone: { ...HERE, radius_km: 0.001 },
        inside: [HERE, northOf(HERE, 0.00099)],
        outside: [northOf(HERE, 0.0111), northOf(HERE, -0.0111)],
      },
    ],
    [
      "of 20,000 km, which leaves out 15 km around the other end of the world,",
      {
        zone: { ...HERE, radius_km: 20_000 },
        inside: [HERE, { latitude: 0, longitude: 0 }, northOf(ANTIPODE, 15.2), northOf(ANTIPODE, -15.2)],
        outside: [ANTIPODE, northOf(ANTIPODE, 15), northOf(ANTIPODE, -15)],
      },
    ],
  ];

  test.each(CASES)("%s is entered and left at its border", async (_, { zone: fields, inside, outside }) => {
    await zone("zone", fields);
    for (const start of outside) {
      const { sail } = await ship();
      expect(await sail(start)).toEqual([]);
      for (const place of inside) {
        expect(await sail(place)).toEqual(["enter zone"]);
        for (const other of inside) expect(await sail(other)).toEqual([]);
        expect(await sail(start)).toEqual(["exit zone"]);
      }
    }
  });

  test("of half the Earth's circumference is never left", async () => {
    await zone("world", { radius_km: 20_038 });
    const { sail } = await ship();
    expect(await sail(ANTIPODE)).toEqual(["enter world"]);
    for (const place of [
      HERE,
      FAR,
      { latitude: 90, longitude: 0 },
      { latitude: -90, longitude: 180 },
      ANTIPODE,
    ])
      expect(await sail(place)).toEqual([]);
  });

  test("that is created around a device holds it from the beginning, and is left with an event", async () => {
    const { sail } = await ship();
    expect(await sail(HERE)).toEqual([]);
    await zone("harbour");
    expect(await heard()).toEqual([]);
    expect(await sail(HERE)).toEqual([]);
    expect(await sail(FAR)).toEqual(["exit harbour"]);
    expect(await sail(HERE)).toEqual(["enter harbour"]);
  });

  test("that is switched off is forgotten silently, and begins anew when it is switched on", async () => {
    const harbour = await zone("harbour");
    const { sail } = await ship();
    expect(await sail(HERE)).toEqual(["enter harbour"]);
    await change(harbour.id, { is_active: false });
    expect(await heard()).toEqual([]);
    expect(await sail(FAR)).toEqual([]);
    await change(harbour.id, { is_active: true });
    expect(await heard()).toEqual([]);
    expect(await sail(HERE)).toEqual(["enter harbour"]);
    // Around the device.
    await change(harbour.id, { is_active: false });
    await change(harbour.id, { is_active: true });
    expect(await sail(HERE)).toEqual([]);
    expect(await sail(FAR)).toEqual(["exit harbour"]);
  });

  test("that is off stays off while it is moved, and is then where it was moved to", async () => {
    const harbour = await zone("harbour");
    const { sail } = await ship();
    await change(harbour.id, { is_active: false });
    await change(harbour.id, { ...FAR, name: "far" });
    expect(await sail(FAR)).toEqual([]);
    expect(await sail(HERE)).toEqual([]);
    await change(harbour.id, { is_active: true });
    expect(await sail(HERE)).toEqual([]);
    expect(await sail(FAR)).toEqual(["enter far"]);
  });

  test("that is deleted is forgotten silently", async () => {
    const harbour = await zone("harbour");
    const { sail } = await ship();
    expect(await sail(HERE)).toEqual(["enter harbour"]);
    await server.delete(`/v1/geofences/${harbour.id}`, { token });
    expect(await heard()).toEqual([]);
    expect(await sail(FAR)).toEqual([]);
    expect(await sail(HERE)).toEqual([]);
  });

  test("that is moved or resized begins anew where it is then, silently", async () => {
    const harbour = await zone("harbour");
    const { sail } = await ship();
    const place = northOf(HERE, 0.5);
    expect(await sail(place)).toEqual(["enter harbour"]);
    const changes = [
      [FAR, "enter harbour", FAR],
      [HERE, "enter harbour", HERE],
      [{ radius_km: 0.4 }, "exit harbour", FAR],
    ] as const;
    for (const [fields, event, next] of changes) {
      expect((await change(harbour.id, fields)).status).toBe(200);
      expect(await heard()).toEqual([]);
      expect(await sail(next)).toEqual([event]);
      expect(await sail(next)).toEqual([]);
    }
    expect(await sail(place)).toEqual([]);
    // From now on around the device.
    await change(harbour.id, { radius_km: 0.6 });
    expect(await sail(place)).toEqual([]);
    await change(harbour.id, { ...northOf(HERE, 0.2), name: "yard", is_active: true });
    expect(await sail(place)).toEqual([]);
    expect(await sail(FAR)).toEqual(["exit yard"]);
  });
});

describe("what a device is inside of", () => {
  test.each(["SIGTERM", "SIGKILL"] as const)(
    "survives a stop by %s, so that no event is repeated",
    async (signal) => {
      const first = await TestServer.start({ settings });
      const { key } = await first.device();
      await createZone(first, { name: "harbour" });
      await createZone(first, { name: "far", ...FAR });
      const before = await listen(first, "geofence");
      await postPoint(first, key);
      expect(await heard(before)).toEqual(["enter harbour"]);
      await first.stop(signal);

      const second = await TestServer.start({ settings, dataDir: first.dataDir });
      const after = await listen(second, "geofence");
      expect(await heard(after)).toEqual([]);
      await postPoint(second, key);
      expect(await heard(after)).toEqual([]);
      await postPoint(second, key, FAR);
      expect(await heard(after)).toEqual(["exit harbour", "enter far"]);
      await second.stop();
    },
  );
});

test("agrees with a plain scan over 150 zones of all sizes for a device that wanders over the Earth", async () => {
  const random = randomFrom(5);
  const own = await TestServer.start({ settings });
  const { key } = await own.device();
  const created = [];
  for (let number = 0; number < 150; number++) {
    const radius_km = 20_000 ** random();
    created.push(await createZone(own, { ...randomPlace(random), radius_km }));
  }
  const scan = new ZoneScan(created);
  const listener = await listen(own, "gps", "geofence");
  const expected = [];
  let timestamp = 1_000_000;
  for (let number = 0; number < 300; number++) {
    // Half of the positions are near a zone's centre, the others anywhere.
    const { latitude, longitude } = created[number % created.length];
    const place = number % 2 === 0 ? randomPlace(random) : { latitude, longitude };
    await postPoint(own, key, { ...place, timestamp: ++timestamp });
    expected.push(scan.next(place));
  }
  expect(crossingsByPoint(await listener.heard())).toEqual(
    expected.map((crossings) => crossings.map(asHeard)),
  );
  expect(expected.flat().length).toBeGreaterThan(1_000);
  await own.stop();
});
