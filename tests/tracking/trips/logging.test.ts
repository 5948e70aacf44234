import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { expectRefused } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { createTrip, moveTrip, postPoint } from "../support";

/** At most one active trip with GPS logging on a device (rule T8). */
let server: TestServer;
let token: Token;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

interface Trip {
  id: string;
  device_id: string | null;
}

const newDevice = async () => (await server.device()).id;
const patch = (id: string, body: object) => server.patch(`/v1/trips/${id}`, { token, body });
const read = async (id: string) => (await server.get(`/v1/trips/${id}`, { token })).body.data;
const history = async (id: string) => (await server.get(`/v1/trips/${id}/history`, { token })).body;
const activeTotal = async () =>
  (await server.get("/v1/trips?status=active", { token })).body.pagination.total;

/** A trip that logs on this device unless the fields say otherwise, moved through the statuses. */
async function trip(device_id: string | null, way: string[] = [], fields: object = {}): Promise<Trip> {
  const { id } = await createTrip(server, { device_id, gps_logging_enabled: true, ...fields });
  await moveTrip(server, id, ...way);
  return await read(id);
}
const QUIET = { gps_logging_enabled: false };

/** The active logging trips of a device, by the list. */
async function loggersOf(device: string): Promise<string[]> {
  const { body } = await server.get("/v1/trips?status=active&limit=100", { token });
  return body.data
    .filter((row: Trip & typeof QUIET) => row.device_id === device && row.gps_logging_enabled)
    .map((row: Trip) => row.id);
}

describe("with an active logging trip on the device", () => {
  const cases: [string, (device: string) => Promise<Trip>, (device: string) => object][] = [
    ["activating another", (device) => trip(device), () => ({ status: "active" })],
    [
      "activating one that the request makes log",
      (device) => trip(device, [], QUIET),
      () => ({ status: "active", gps_logging_enabled: true }),
    ],
    [
      "activating one that the request puts on the device",
      () => trip(null),
      (device) => ({ status: "active", device_id: device }),
    ],
    [
      "switching logging on for an active one",
      (device) => trip(device, ["active"], QUIET),
      () => ({ gps_logging_enabled: true }),
    ],
    [
      "moving an active one from no device to it",
      () => trip(null, ["active"]),
      (device) => ({ device_id: device }),
    ],
    [
      "moving an active one from another device to it",
      async () => trip(await newDevice(), ["active"]),
      (device) => ({ device_id: device }),
    ],
  ];

  test.each(cases)("refuses %s, and changes nothing", async (_, prepare, change) => {
    const device = await newDevice();
    const running = await trip(device, ["active"]);
    const other = await prepare(device);
    const [entries, active] = [await history(other.id), await activeTotal()];

    expectRefused(await patch(other.id, { ...change(device), name: "other" }), 409, "Conflict");

    expect([await read(other.id), await history(other.id)]).toEqual([other, entries]);
    expect(await read(running.id)).toEqual(running);
    expect(await loggersOf(device)).toEqual([running.id]);
    expect(await activeTotal()).toBe(active);
  });

  test("refuses to resume a paused one, and changes nothing", async () => {
    const device = await newDevice();
    const paused = await trip(device, ["active", "paused"]);
    const running = await trip(device, ["active"]);
    const entries = await history(paused.id);
    expectRefused(await patch(paused.id, { status: "active" }), 409, "Conflict");
    expect([await read(paused.id), await history(paused.id)]).toEqual([paused, entries]);
    expect(await loggersOf(device)).toEqual([running.id]);
  });

  test("the points go on to that trip", async () => {
    const device = await server.device();
    const running = await trip(device.id, ["active"]);
    const other = await trip(device.id);
    await patch(other.id, { status: "active" });
    expect((await postPoint(server, device.key)).trip_id).toBe(running.id);
  });

  test.each([
    ["a trip that doesn't log is activated", QUIET, { status: "active" }],
    ["one is activated that the request keeps from logging", {}, { status: "active", ...QUIET }],
    ["a draft changes", {}, { name: "other", notes: "still a draft" }],
    ["a draft begins to log", QUIET, { gps_logging_enabled: true }],
  ])("is not in the way when %s", async (_, fields, change) => {
    const device = await newDevice();
    await trip(device, ["active"]);
    const other = await trip(device, [], fields);
    const { status, body } = await patch(other.id, change);
    expect(status).toBe(200);
    expect(body.data).toMatchObject(change);
  });

  test("another device is not affected, and neither is one that a request moves away", async () => {
    const [device, elsewhere] = [await newDevice(), await newDevice()];
    await trip(device, ["active"]);
    const other = await trip(device);
    expect((await patch(other.id, { status: "active", device_id: elsewhere })).status).toBe(200);
    expect(await loggersOf(elsewhere)).toEqual([other.id]);
  });

  test("that trip itself can be changed, paused, resumed and completed", async () => {
    const { id } = await trip(await newDevice(), ["active"]);
    const body = { notes: "going well", gps_logging_enabled: true };
    expect((await patch(id, body)).status).toBe(200);
    await moveTrip(server, id, "paused", "active", "completed");
  });
});

test("trips without a device don't stand in each other's way", async () => {
  const trips = [await trip(null, ["active"]), await trip(null, ["active"])];
  for (const { id } of trips) expect((await read(id)).status).toBe("active");
});

describe("the device is free again once the running trip", () => {
  test.each([
    ["is paused", (running: Trip) => patch(running.id, { status: "paused" })],
    ["is completed", (running: Trip) => patch(running.id, { status: "completed" })],
    ["logs no more", (running: Trip) => patch(running.id, QUIET)],
    ["has another device", async (running: Trip) => patch(running.id, { device_id: await newDevice() })],
    ["has no device", (running: Trip) => patch(running.id, { device_id: null })],
  ])("%s", async (_, change) => {
    const device = await newDevice();
    const [running, next] = [await trip(device, ["active"]), await trip(device)];
    expect((await patch(next.id, { status: "active" })).status).toBe(409);
    expect((await change(running)).status).toBe(200);
    expect((await patch(next.id, { status: "active" })).status).toBe(200);
    expect(await loggersOf(device)).toEqual([next.id]);
  });
});

describe("of many requests at once", () => {
  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

  test("exactly one activation on a device succeeds", async () => {
    const device = await newDevice();
    const trips = await Promise.all(Array.from({ length: 20 }, () => trip(device)));
    const before = await activeTotal();
    const answers = await Promise.all(trips.map(({ id }) => patch(id, { status: "active" })));
    expect(statuses(answers)).toEqual([200, ...Array(19).fill(409)]);
    const winner = trips[answers.findIndex(({ status }) => status === 200)]?.id as string;
    expect(await loggersOf(device)).toEqual([winner]);
    expect(await activeTotal()).toBe(before + 1);
    const after = await Promise.all(trips.map(({ id }) => read(id)));
    expect(after.filter((row) => row.id !== winner)).toEqual(trips.filter((row) => row.id !== winner));
    expect(await history(winner)).toHaveLength(1);
  });

  test("exactly one succeeds whichever way the trips become the device's logging one", async () => {
    const device = await newDevice();
    const five = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: 5 }, make));
    const paused = [];
    for (let made = 0; made < 5; made++) paused.push(await trip(device, ["active", "paused"]));
    const [drafts, quiet, deviceless] = await Promise.all([
      five(() => trip(device)),
      five(() => trip(device, ["active"], QUIET)),
      five(() => trip(null, ["active"])),
    ]);
    const requests = paused.flatMap((resumed, at) => [
      [resumed, { status: "active" }] as const,
      [drafts[at] as Trip, { status: "active" }] as const,
      [quiet[at] as Trip, { gps_logging_enabled: true }] as const,
      [deviceless[at] as Trip, { device_id: device }] as const,
    ]);
    const answers = await Promise.all(requests.map(([{ id }, body]) => patch(id, body)));
    expect(statuses(answers)).toEqual([200, ...Array(19).fill(409)]);
    const winner = requests[answers.findIndex(({ status }) => status === 200)]?.[0].id as string;
    expect(await loggersOf(device)).toEqual([winner]);
    for (const [before] of requests) if (before.id !== winner) expect(await read(before.id)).toEqual(before);
  });

  test("all succeed on devices of their own", async () => {
    const trips = await Promise.all(Array.from({ length: 20 }, async () => trip(await newDevice())));
    const answers = await Promise.all(trips.map(({ id }) => patch(id, { status: "active" })));
    expect(statuses(answers)).toEqual(Array(20).fill(200));
  });
});
