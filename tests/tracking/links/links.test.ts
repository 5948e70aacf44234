import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { auditRows } from "../../support/events";
import {
  done,
  eventually,
  expectInvalid,
  expectKept,
  expectPermission,
  expectRefused,
  expectStatus,
  UNKNOWN,
} from "../../support/expectations";
import { newUser, staff } from "../../support/people";
import { grant, newRole, revoke } from "../../support/roles";
import { filesWith, holdCommits, rows } from "../../support/rows";
import { ADMIN, TestServer } from "../../support/server";
import { DAY, HOUR, MINUTE } from "../../support/time";
import { createTrip, createZone } from "../support";
import { linking, newLink, open, PATH } from "./support";

/** Links: made, read and ended. What they show: tests/tracking/shared. */

let server: TestServer;
let admin: string;
let device: { id: string; key: string };
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  admin = await server.admin();
  device = await server.device();
});
afterAll(() => server.stop());

const count = () => rows(server, "SELECT id FROM share_links").length;
const of = (fields: object = {}) => ({ device_ids: [device.id], ...fields });
const inDays = (days: number) => new Date(server.time + days * DAY).toISOString();

describe("POST /v1/share-links", () => {
  test("answers the link, whose token is nowhere else", async () => {
    const zone = await createZone(server);
    const expires_at = inDays(30);
    const fields = {
      ...{ level: "history", from: inDays(-1), to: inDays(1), expires_at, label: "Summer" },
      ...{ delay_seconds: 600, precision_m: 250, hide_zone_ids: [zone.id] },
    };
    const answer = await linking(server, of(fields));
    const { data, _links } = expectStatus(answer, 201).body;
    expect(answer.headers.get("location")).toBe(`${PATH}/${data.id}`);
    expect(_links).toEqual({ self: `${PATH}/${data.id}` });
    expect(data.url).toMatch(/^https:\/\/boat\.example\.org\/s\/#[\w-]{43}$/);
    const { url, ...shown } = data;
    expect(shown).toMatchObject({ ...fields, device_ids: [device.id], trip_id: null, is_silent: false });
    expect([shown.opened_count, shown.last_opened_at]).toEqual([0, null]);
    expect(done(await server.get(`${PATH}/${data.id}`, { token: admin })).data).toEqual(shown);
    const listed = done(await server.get(PATH, { token: admin })).data;
    expect(listed).toContainEqual(shown);
    expect(filesWith(server, url.split("#")[1])).toEqual([]);
  });

  test.each([
    ["/device_ids", {}],
    ["/device_ids", { device_ids: [] }],
    ["/device_ids", { device_ids: Array(101).fill(UNKNOWN) }],
    ["/device_ids/0", { device_ids: [UNKNOWN] }],
    ["/device_ids/1", { device_ids: [UNKNOWN, UNKNOWN.toUpperCase()] }],
    ["/trip_id", { trip_id: UNKNOWN }],
    ["/expires_at", { trip_id: UNKNOWN, expires_at: "2020-01-01T00:00:00Z" }],
    ["/expires_at", { trip_id: UNKNOWN, expires_at: undefined }],
    ["/delay_seconds", { trip_id: UNKNOWN, delay_seconds: -1 }],
    ["/precision_m", { trip_id: UNKNOWN, precision_m: 0 }],
    ["/from", { trip_id: UNKNOWN, from: "2026-01-01T00:00:00Z" }],
    ["/label", { trip_id: UNKNOWN, label: "x".repeat(201) }],
  ])("refuses a wrong %s", async (path, fields) => {
    await expectKept(count, async () => expectInvalid(await linking(server, fields), path));
  });

  test("refuses devices with a trip, a far end, a history without a begin, and zones that there are not", async () => {
    const trip = await createTrip(server);
    expectInvalid(await linking(server, of({ trip_id: trip.id })), "/device_ids");
    expectInvalid(await linking(server, of({ expires_at: inDays(368) })), "/expires_at");
    expectInvalid(await linking(server, of({ level: "history" })), "/from");
    expectInvalid(await linking(server, of({ level: "history", from: inDays(0), to: inDays(-1) })), "/to");
    expectInvalid(await linking(server, of({ hide_zone_ids: [UNKNOWN] })), "/hide_zone_ids/0");
    for (const base_url of [undefined, "http://localhost:3000"])
      expectRefused(await linking(server, of({ base_url })), 409, "PublicUrlNeeded");
  });

  test("takes devices:write, and all that the link shows", async () => {
    const { id } = await newLink(server, of());
    for (const path of [PATH, `${PATH}/${id}`])
      await expectPermission(server, "devices:write", 200, (token) =>
        server.get(path, { ...(token && { token }) }),
      );
    await expectPermission(server, "devices:write", 404, (token) =>
      server.delete(`${PATH}/${UNKNOWN}`, { ...(token && { token }) }),
    );
    const trip = await createTrip(server);
    const live = ["devices:write", "devices:read", "gps:read"];
    const history = [...live, "trips:read", "geofences:read"];
    const cases: [string[], object, number][] = [
      [["devices:write", "gps:read"], of(), 403],
      [live, of(), 201],
      [live, of({ level: "history", from: inDays(-1) }), 403],
      [live, { trip_id: trip.id }, 403],
      [[...live, "trips:read"], { trip_id: trip.id }, 201],
      [history, of({ level: "history", from: inDays(-1) }), 201],
    ];
    for (const [scopes, fields, status] of cases)
      expect([fields, (await linking(server, fields, await server.key(...scopes))).status]).toEqual([
        fields,
        status,
      ]);
  });
});

describe("a link ends", () => {
  const isShown = async (token: string) => (await open(server, token)).status === 200;
  const reasonOf = (id: string) => JSON.parse(auditRows(server, id).at(-1)?.metadata ?? "{}")?.reason;

  test("by its deletion, with an event", async () => {
    const link = await newLink(server, of());
    expect(await isShown(link.token)).toBe(true);
    expectStatus(await server.delete(`${PATH}/${link.id}`, { token: admin }), 204);
    expect(await isShown(link.token)).toBe(false);
    expectRefused(await server.delete(`${PATH}/${link.id}`, { token: admin }), 404, "NotFound");
    expect(auditRows(server, link.id).map(({ event_type }) => event_type)).toEqual([
      "share_link_created",
      "share_link_ended",
    ]);
  });

  test("with its last device, its trip and a zone that it hides", async () => {
    const [first, second, zone] = [await server.device(), await server.device(), await createZone(server)];
    const trip = await createTrip(server);
    const [both, one, ofTrip, hiding] = [
      await newLink(server, { device_ids: [first.id, second.id] }),
      await newLink(server, { device_ids: [first.id] }),
      await newLink(server, { trip_id: trip.id }),
      await newLink(server, of({ hide_zone_ids: [zone.id] })),
    ];
    expectStatus(await server.delete(`/v1/devices/${first.id}`, { token: admin }), 204);
    expectStatus(await server.delete(`/v1/trips/${trip.id}`, { token: admin }), 204);
    expectStatus(await server.delete(`/v1/geofences/${zone.id}`, { token: admin }), 204);
    for (const { token } of [one, ofTrip, hiding]) expect(await isShown(token)).toBe(false);
    const { devices } = done(await open(server, both.token)).data;
    expect(devices.map((each: { device_id: string }) => each.device_id)).toEqual([second.id]);
    expect([one, ofTrip, hiding].map(({ id }) => reasonOf(id))).toEqual([
      "device deleted",
      "trip deleted",
      "hidden zone deleted",
    ]);
  });

  test("with its time, and is then forgotten", async () => {
    const { id, token } = await newLink(
      server,
      of({ expires_at: new Date(server.time + HOUR).toISOString() }),
    );
    await server.advance(HOUR + 1_000);
    expect(await isShown(token)).toBe(false);
    expect((await open(server, token)).body).toEqual((await open(server, "wrong")).body);
    await server.advance(2 * MINUTE);
    // The job's own timer is real; its case stands in the tests of event types.
    expect([200, 404]).toContain((await server.get(`${PATH}/${id}`, { token: admin })).status);
  });

  test("with its maker's account", async () => {
    const maker = await staff(server, "devices:write", "devices:read", "gps:read");
    const { id, token } = await newLink(server, of(), maker.token);
    done(
      await server.post(`/v1/admin/users/${maker.id}/force-delete`, {
        token: admin,
        body: { password: ADMIN.password },
      }),
    );
    expect(await isShown(token)).toBe(false);
    expect(reasonOf(id)).toBe("account deleted");
  });

  test("and is silent while its maker is banned, deleted, or may not see so much", async () => {
    const role = await newRole(server, "devices:write", "devices:read", "gps:read");
    const [maker, gone] = [await newUser(server, role.id), await newUser(server, role.id)];
    const [link, other] = [await newLink(server, of(), maker.token), await newLink(server, of(), gone.token)];
    done(await server.post(`/v1/users/${maker.id}/ban`, { token: admin, body: {} }));
    expect(await isShown(link.token)).toBe(false);
    expect((await server.delete(`/v1/users/${maker.id}/ban`, { token: admin })).status).toBeLessThan(300);
    expect(await isShown(link.token)).toBe(true);
    expectStatus(await server.delete(`/v1/users/${gone.id}`, { token: admin }), 204);
    expect(await isShown(other.token)).toBe(false);
    for (const permission of ["gps:read", "devices:write"]) {
      expect(await isShown(link.token)).toBe(true);
      await revoke(server, role.id, permission);
      expect(await isShown(link.token)).toBe(false);
      expect(done(await server.get(`${PATH}/${link.id}`, { token: admin })).data.is_silent).toBe(true);
      await grant(server, role.id, permission);
    }
  });
});

test("the system key can make a link", async () => {
  const { token } = await newLink(server, of(), server.systemKey);
  expectStatus(await open(server, token), 200);
});

test("openings are counted, and written together", async () => {
  const { id, token } = await newLink(server, of());
  for (let at = 0; at < 3; at++) expectStatus(await open(server, token), 200);
  const { opened_count, last_opened_at } = done(await server.get(`${PATH}/${id}`, { token: admin })).data;
  expect(opened_count).toBe(3);
  expect(Math.abs(Date.parse(last_opened_at) - server.time)).toBeLessThan(MINUTE);
  const stored = () =>
    rows<{ n: number }>(server, "SELECT opened_count AS n FROM share_links WHERE id = ?", id);
  await eventually(() => stored()[0]?.n === 3);
  const count = async () => done(await server.get(`${PATH}/${id}`, { token: admin })).data.opened_count;
  expect(await count()).toBe(3);
  // One that comes while they wait to be written is counted too.
  const release = holdCommits(server);
  expectStatus(await open(server, token), 200);
  await Bun.sleep(5_500);
  expectStatus(await open(server, token), 200);
  release();
  await eventually(() => stored()[0]?.n !== 3);
  expect(await count()).toBe(5);
});

test("openings are written after all where another process held the database too long", async () => {
  const { id, token } = await newLink(server, of());
  const release = holdCommits(server);
  expectStatus(await open(server, token), 200);
  await eventually(() => server.output.includes("openings of links could not be noted"));
  release();
  await eventually(
    () =>
      rows<{ n: number }>(server, "SELECT opened_count AS n FROM share_links WHERE id = ?", id)[0]?.n === 1,
  );
});
