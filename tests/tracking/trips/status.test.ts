import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { createKey } from "../../support/credentials";
import { expectRefused } from "../../support/expectations";
import { newUser } from "../../support/people";
import { TestServer } from "../../support/server";
import { createTrip, moveTrip, postPoint } from "../support";

/** Changes of a trip's status, and their history entries (rules T7 and T9). */
let server: TestServer;
let token: Token;
let adminId: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  token = await server.admin();
  adminId = (await server.login("admin", "correct horse battery")).user_id;
});
afterAll(() => server.stop());

const patch = (id: string, body: object, by = token) => server.patch(`/v1/trips/${id}`, { token: by, body });
const read = async (id: string) => (await server.get(`/v1/trips/${id}`, { token })).body.data;
const history = async (id: string) => (await server.get(`/v1/trips/${id}/history`, { token })).body;
const changes = async (id: string) =>
  (await history(id)).map((entry: { old_status: string; new_status: string }) => [
    entry.old_status,
    entry.new_status,
  ]);

/** The way of a new trip to each status. */
const WAYS = {
  draft: [],
  active: ["active"],
  paused: ["active", "paused"],
  completed: ["active", "completed"],
} as const;

describe("a change of status that the table has", () => {
  test("draft to active sets started_at", async () => {
    const { id } = await createTrip(server);
    const { status, body } = await patch(id, { status: "active" });
    expect([status, body.data.status, body.data.ended_at]).toEqual([200, "active", null]);
    expect(Math.abs(Date.parse(body.data.started_at) - Date.now())).toBeLessThan(60_000);
    expect(await read(id)).toEqual(body.data);
  });

  test("active to paused and back does nothing further", async () => {
    const { id } = await createTrip(server);
    const { started_at } = await moveTrip(server, id, "active");
    expect(await moveTrip(server, id, "paused")).toMatchObject({
      status: "paused",
      started_at,
      ended_at: null,
    });
    expect(await moveTrip(server, id, "active")).toMatchObject({
      status: "active",
      started_at,
      ended_at: null,
    });
  });

  test.each([[["active"]], [["active", "paused"]]])("%p to completed sets ended_at", async (way) => {
    const { id } = await createTrip(server);
    const { started_at } = await moveTrip(server, id, ...way);
    const trip = await moveTrip(server, id, "completed");
    expect(trip).toMatchObject({ status: "completed", started_at });
    expect(Date.parse(trip.ended_at)).toBeGreaterThanOrEqual(Date.parse(started_at));
    expect(Math.abs(Date.parse(trip.ended_at) - Date.now())).toBeLessThan(60_000);
  });

  test("goes together with other fields", async () => {
    const { id } = await createTrip(server);
    const fields = { status: "active", name: "under way", start_latitude: 54.3, start_longitude: 13.5 };
    expect((await patch(id, fields)).body.data).toMatchObject(fields);
  });
});

describe("a change of status that the table lacks", () => {
  test.each([
    ["draft", "draft"],
    ["draft", "paused"],
    ["draft", "completed"],
    ["active", "active"],
    ["active", "draft"],
    ["paused", "paused"],
    ["paused", "draft"],
    ["completed", "completed"],
    ["completed", "draft"],
    ["completed", "active"],
    ["completed", "paused"],
  ] as const)("refuses %s to %s and changes nothing", async (from, to) => {
    const { id } = await createTrip(server);
    await moveTrip(server, id, ...WAYS[from]);
    const [before, entries] = [await read(id), await history(id)];
    expectRefused(await patch(id, { status: to, name: "other" }), 400, "InvalidStatusTransition");
    expect([await read(id), await history(id)]).toEqual([before, entries]);
  });

  test("is what all but one of many equal requests at once are", async () => {
    const { id } = await createTrip(server);
    const answers = await Promise.all(Array.from({ length: 10 }, () => patch(id, { status: "active" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)]);
    expect(await changes(id)).toEqual([["draft", "active"]]);
  });
});

describe("GET /v1/trips/{id}/history", () => {
  test("is empty for a new trip, and stays so whatever else changes", async () => {
    const { id } = await createTrip(server);
    await patch(id, { name: "other" });
    expect(await history(id)).toEqual([]);
  });

  test("lists every change, the oldest first, as a bare array", async () => {
    const { id } = await createTrip(server);
    await moveTrip(server, id, "active", "paused", "active", "paused", "completed");
    const entries = await history(id);
    expect(await changes(id)).toEqual([
      ["draft", "active"],
      ["active", "paused"],
      ["paused", "active"],
      ["active", "paused"],
      ["paused", "completed"],
    ]);
    expect(new Set(entries.map((entry: { id: string }) => entry.id)).size).toBe(5);
    const times = entries.map((entry: { changed_at: string }) => entry.changed_at);
    expect(times).toEqual([...times].sort());
    const { started_at, ended_at } = await read(id);
    expect([times[0], times[4]]).toEqual([started_at, ended_at]);
    expect(Object.keys(entries[0]).sort()).toEqual(
      "changed_at changed_by id latitude longitude new_status old_status trip_id".split(" "),
    );
    expect(entries[0]).toMatchObject({ trip_id: id, latitude: null, longitude: null });
  });

  test("holds only the trip's own changes", async () => {
    const [one, other] = [await createTrip(server), await createTrip(server)];
    await moveTrip(server, one.id, "active");
    expect(await history(other.id)).toEqual([]);
  });

  test("says who it was: the user of a session, the owner of a key, nobody for a system key", async () => {
    const user = await newUser(server, "role_admin");
    const { key } = await createKey(server, user.token, ["trips:write"]);
    const { id } = await createTrip(server);
    await patch(id, { status: "active" }, user.token);
    await patch(id, { status: "paused" }, key);
    await patch(id, { status: "active" }, token);
    await patch(id, { status: "completed" }, server.systemKey);
    const by = (await history(id)).map((entry: { changed_by: string | null }) => entry.changed_by);
    expect(by).toEqual([user.id, user.id, adminId, null]);
  });
});

describe("the position in the history", () => {
  /** The trip's last entry's position. */
  const position = async (id: string) => {
    const { latitude, longitude } = (await history(id)).at(-1);
    return [latitude, longitude];
  };
  const seconds = () => Math.floor(Date.now() / 1000);

  test("is the device's newest by the receiver's time, not that of another device", async () => {
    const [device, other] = [await server.device(), await server.device()];
    const { id } = await createTrip(server, { device_id: device.id });
    await postPoint(server, device.key, { timestamp: seconds() - 10, latitude: 1, longitude: 2 });
    await postPoint(server, device.key, { timestamp: seconds() - 20, latitude: 3, longitude: 4 });
    await postPoint(server, other.key, { timestamp: seconds(), latitude: 5, longitude: 6 });
    await moveTrip(server, id, "active");
    expect(await position(id)).toEqual([1, 2]);
    await postPoint(server, device.key, { timestamp: seconds() - 5, latitude: 7, longitude: 8 });
    await moveTrip(server, id, "paused");
    expect(await position(id)).toEqual([7, 8]);
  });

  test("is null without a device and without a point", async () => {
    const { id } = await createTrip(server);
    await postPoint(server, token, { timestamp: seconds() });
    await moveTrip(server, id, "active");
    expect(await position(id)).toEqual([null, null]);
    const { id: other } = await createTrip(server, { device_id: (await server.device()).id });
    await moveTrip(server, other, "active");
    expect(await position(other)).toEqual([null, null]);
  });

  test("is that of the device which the same request gives to the trip", async () => {
    const device = await server.device();
    await postPoint(server, device.key, { timestamp: seconds(), latitude: 1, longitude: 2 });
    const { id } = await createTrip(server);
    await patch(id, { status: "active", device_id: device.id });
    expect(await position(id)).toEqual([1, 2]);
  });

  test("is null when the newest point is older than 15 minutes", async () => {
    const device = await server.device();
    await postPoint(server, device.key, { timestamp: seconds() - 960 });
    const { id } = await createTrip(server, { device_id: device.id });
    await moveTrip(server, id, "active");
    expect(await position(id)).toEqual([null, null]);
  });

  test("lasts for 15 minutes of the server's clock", async () => {
    const device = await server.device();
    const { id } = await createTrip(server, { device_id: device.id });
    await postPoint(server, device.key, { timestamp: seconds(), latitude: 1, longitude: 2 });
    await server.advance(840_000);
    await moveTrip(server, id, "active");
    expect(await position(id)).toEqual([1, 2]);
    await server.advance(61_000);
    await moveTrip(server, id, "paused");
    expect(await position(id)).toEqual([null, null]);
    const entries = await history(id);
    expect(Date.parse(entries[1].changed_at) - Date.parse(entries[0].changed_at)).toBeGreaterThanOrEqual(
      61_000,
    );
  });
});
