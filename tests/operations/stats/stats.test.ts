import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { publicStats } from "../../../src/operations/stats/service";
import type { Token } from "../../support/api";
import { done } from "../../support/expectations";
import { planOf, preparedBy } from "../../support/in-process";
import { newUser } from "../../support/people";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import { newDevice, openTracking, record } from "../../tracking/in-process";
import { createLocation, createTemplate } from "../../tracking/records-support";
import { createTrip, createZone, moveTrip, northOf, postPoint } from "../../tracking/support";

/** Public statistics (rules O5 and H1). The distance: tests/tracking/trips/distance.test.ts. */
const PATH = "/v1/stats/public";
const NOTHING = {
  users_total: 0,
  devices_total: 0,
  trips_total: 0,
  trips_active: 0,
  trips_completed: 0,
  gps_points_total: 0,
  distance_km_total: 0,
  locations_total: 0,
  geofences_total: 0,
};

describe("GET /v1/stats/public", () => {
  let server: TestServer;
  let token: Token;
  beforeAll(async () => {
    server = await TestServer.start({ clock: "movable" });
    token = await server.admin();
  });
  afterAll(() => server.stop());

  const stats = async () => (await server.get(PATH)).body;
  const remove = async (path: string) => done(await server.delete(path, { token }));

  test("answers anybody with bare figures, the first time when there is nothing but the admin", async () => {
    const before = Date.now();
    const { status, body } = await server.get(PATH);
    const { generated_at, ...figures } = body;
    expect(status).toBe(200);
    expect(figures).toEqual({ ...NOTHING, users_total: 1 });
    expect(Date.parse(generated_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(generated_at)).toBeLessThanOrEqual(Date.now());
    expect((await server.get(PATH, { token })).body).toEqual(body);
  });

  test("follows every change, a minute later and not before", async () => {
    await server.advance(MINUTE);
    let figures = await stats();
    /** Identifiers of the records made, by name. */
    const made: Record<string, string> = {};
    const device = await server.device();
    const { id } = await createTemplate(server);
    const HERE = { latitude: 54, longitude: 13 };

    const steps: [what: string, act: () => Promise<unknown>, change: Partial<typeof NOTHING>][] = [
      ["a device that was made before", async () => {}, { devices_total: 1 }],
      ["a user", async () => (made.user = (await newUser(server)).id), { users_total: 1 }],
      [
        "two more",
        async () => {
          made.other = (await newUser(server)).id;
          await newUser(server);
        },
        { users_total: 2 },
      ],
      ["a user who is deleted", () => remove(`/v1/users/${made.user}`), { users_total: -1 }],
      [
        "a user who is scrubbed",
        async () =>
          done(await server.post(`/v1/admin/users/${made.other}/force-delete`, { token, body: {} })),
        { users_total: -1 },
      ],
      [
        "the deleted user, scrubbed",
        async () => done(await server.post(`/v1/admin/users/${made.user}/force-delete`, { token, body: {} })),
        {},
      ],
      ["a device", async () => (made.device = (await server.device()).id), { devices_total: 1 }],
      ["a device that is deleted", () => remove(`/v1/devices/${made.device}`), { devices_total: -1 }],
      [
        "a location, with contacts",
        async () => (made.location = (await createLocation(server, { contacts: [{ name: "x" }] })).id),
        { locations_total: 1 },
      ],
      [
        "two more",
        () => Promise.all([createLocation(server), createLocation(server)]),
        { locations_total: 2 },
      ],
      ["a location that is deleted", () => remove(`/v1/locations/${made.location}`), { locations_total: -1 }],
      ["a zone", async () => (made.zone = (await createZone(server)).id), { geofences_total: 1 }],
      ["a zone that is deleted", () => remove(`/v1/geofences/${made.zone}`), { geofences_total: -1 }],
      ["a draft", async () => (made.draft = (await createTrip(server)).id), { trips_total: 1 }],
      [
        "a trip from a template",
        async () =>
          done(await server.post(`/v1/trip-templates/${id}/create-trip`, { token, body: { weight_kg: 1 } })),
        { trips_total: 1 },
      ],
      ["a draft that is deleted", () => remove(`/v1/trips/${made.draft}`), { trips_total: -1 }],
      [
        "an active trip",
        async () => {
          made.trip = (await createTrip(server, { device_id: device.id, gps_logging_enabled: true })).id;
          await moveTrip(server, made.trip as string, "active");
        },
        { trips_total: 1, trips_active: 1 },
      ],
      [
        "its positions",
        async () => {
          for (const [timestamp, km] of [
            [1_100, 2],
            [1_000, 0],
            [1_200, 1.5],
          ] as const)
            await postPoint(server, device.key, { timestamp, ...northOf(HERE, km) });
        },
        { gps_points_total: 3 },
      ],
      [
        "a position of no trip",
        async () => (made.point = (await postPoint(server, token)).id),
        { gps_points_total: 1 },
      ],
      ["a position that is deleted", () => remove(`/v1/gps/${made.point}`), { gps_points_total: -1 }],
      ["the trip paused", () => moveTrip(server, made.trip as string, "paused"), { trips_active: -1 }],
      [
        "the trip completed",
        () => moveTrip(server, made.trip as string, "completed"),
        { trips_completed: 1, distance_km_total: 2.5 },
      ],
      [
        "the trip deleted, whose positions stay",
        () => remove(`/v1/trips/${made.trip}`),
        { trips_total: -1, trips_completed: -1, distance_km_total: -2.5 },
      ],
      ["requests that are refused", () => server.post("/v1/locations", { token, body: {} }), {}],
    ];
    for (const [what, act, change] of steps) {
      await act();
      expect({ what, figures: await stats() }).toEqual({ what, figures });
      await server.advance(MINUTE);
      const { generated_at, ...next } = await stats();
      const expected: Record<string, number> = { ...figures };
      delete expected.generated_at;
      for (const [field, by] of Object.entries(change)) expected[field] = (expected[field] ?? 0) + by;
      expect({ what, figures: next }).toEqual({ what, figures: expected });
      expect(Date.parse(generated_at)).toBeGreaterThanOrEqual(Date.parse(figures.generated_at) + MINUTE);
      figures = { ...next, generated_at };
    }
  });
});

describe("the figures", () => {
  const START = Date.UTC(2026, 4, 4);
  let time = START;
  beforeAll(async () => {
    setClock(() => time);
    await openTracking();
  });
  afterAll(() => {
    closeDatabase();
    setClock();
  });

  test("are read by a few statements, none of which touches positions or trips, or scans anything but users", async () => {
    const statements = await preparedBy(publicStats);
    expect(statements.length).toBeGreaterThanOrEqual(2);
    const plans = statements.flatMap(planOf);
    const others = plans.filter(
      (step) => !/^SEARCH counters USING (COVERING )?INDEX \S+ \(name=\?\)$|^SCAN users/.test(step),
    );
    expect(others).toEqual([]);
    expect(plans.some((step) => step.startsWith("SEARCH counters"))).toBe(true);
  });

  test("are read anew once they are 60 seconds old, to the millisecond, or the clock was set back", async () => {
    time = START + 10 * MINUTE;
    const first = publicStats();
    const device = newDevice();
    await record(device, 1_000);
    time += MINUTE - 1;
    expect(publicStats()).toBe(first);
    time += 1;
    const second = publicStats();
    expect(second.gps_points_total).toBe(first.gps_points_total + 1);
    expect(second.generated_at).toBe(new Date(time).toISOString());
    await record(device, 1_001);
    time -= 1;
    expect(publicStats().gps_points_total).toBe(first.gps_points_total + 2);
  });
});
