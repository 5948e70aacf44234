import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { auditRows } from "../../support/events";
import {
  eventually,
  expectInvalid,
  expectPermission,
  expectRefused,
  expectStatus,
  UNKNOWN,
} from "../../support/expectations";
import { newUser } from "../../support/people";
import { filesWith, onDatabase, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { DAY } from "../../support/time";
import { createTrip, moveTrip } from "../../tracking/support";
import { giveTo, newBox, readBox, SHORE } from "../support";

/** The administration of boxes ashore. */

let server: TestServer;
let token = "";
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  token = await server.admin();
});
afterAll(() => server.stop());

const path = "/v1/sync/boxes";
const remove = async (id: string) => expectStatus(await server.delete(`${path}/${id}`, { token }), 204);
/** True while a box's token is taken. */
const isTaken = async (box: string): Promise<boolean> => {
  const { status } = await server.get("/v1/sync/set", { token: box });
  if (status !== 401) expect(status).toBe(200);
  return status === 200;
};

describe("a new box", () => {
  test("gets a token once, and the lines for its configuration", async () => {
    const { id, token: own, answer } = await newBox(server, { name: "Greif" });
    expect(own).toMatch(/^flb_[A-Za-z0-9_-]{43}$/);
    expect(answer).toMatchObject({
      name: "Greif",
      token_prefix: own.slice(0, 12),
      ...{ last_contact_at: null, acknowledged: {}, backlog_estimate: null, bytes_today: 0 },
      ...{ clock_offset_ms: null, version: null, assigned_version: 0, applied_version: null, error: null },
    });
    expect(Bun.TOML.parse(answer.setup)).toEqual({ sync: { url: SHORE, token: own } });
    expect(answer.qr_code).toStartWith("data:image/png;base64,");
    const { token: _token, setup: _setup, qr_code: _code, ...shown } = answer;
    expect(await readBox(server, id)).toEqual(shown);
    expect(filesWith(server, own)).toEqual([]);
    expect(auditRows(server, id).map(({ event_type }) => event_type)).toEqual(["box_created"]);
  });

  test("escapes an address as TOML does", async () => {
    const { answer } = await newBox(server, { base_url: 'https://shore.example.org/a"b' });
    expect((Bun.TOML.parse(answer.setup) as { sync: { url: string } }).sync.url).toStartWith(SHORE);
  });

  test("needs an address that the boat can reach", async () => {
    const make = (body: object) => server.post(path, { token, body: { name: "Greif", ...body } });
    expectRefused(await make({}), 409, "PublicUrlNeeded");
    expectRefused(await make({ base_url: "http://127.0.0.1:3000" }), 409, "PublicUrlNeeded");
    expectInvalid(await make({ base_url: `${SHORE}?a=1` }), "/base_url");
    expectInvalid(await make({ base_url: SHORE, name: "" }), "/name");
  });
});

test("whoever manages boxes needs sync:manage", async () => {
  const { id } = await newBox(server);
  for (const [status, request] of [
    [200, (as?: string) => server.get(path, { token: as as string })],
    [200, (as?: string) => server.get(`${path}/${id}`, { token: as as string })],
    [200, (as?: string) => server.patch(`${path}/${id}`, { token: as as string, body: { name: "x" } })],
    [
      200,
      (as?: string) =>
        server.post(`${path}/${id}/rotate-token`, { token: as as string, body: { base_url: SHORE } }),
    ],
    [200, (as?: string) => server.post(`${path}/${id}/resync`, { token: as as string })],
    [201, (as?: string) => server.post(path, { token: as as string, body: { name: "x", base_url: SHORE } })],
    [204, (as?: string) => server.delete(`${path}/${id}`, { token: as as string })],
  ] as const)
    await expectPermission(server, "sync:manage", status, request);
});

test("boxes are listed newest first, page by page", async () => {
  const made = [await newBox(server), await newBox(server), await newBox(server)];
  const { body } = expectStatus(await server.get(`${path}?limit=2`, { token }), 200);
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([made[2]?.id, made[1]?.id]);
  expect(body.pagination.total).toBeGreaterThanOrEqual(3);
  for (const { id } of made) await remove(id);
});

test("a box that there isn't is 404, whatever is asked of it", async () => {
  const at = `${path}/${UNKNOWN}`;
  for (const answer of [
    await server.get(at, { token }),
    await server.patch(at, { token, body: { name: "x" } }),
    await server.post(`${at}/rotate-token`, { token, body: { base_url: SHORE } }),
    await server.post(`${at}/resync`, { token }),
    await server.delete(at, { token }),
  ])
    expectRefused(answer, 404, "NotFound");
});

test("a box is renamed; the same name again writes nothing", async () => {
  const { id } = await newBox(server);
  const rename = (body: object) => server.patch(`${path}/${id}`, { token, body });
  const { data } = expectStatus(await rename({ name: "Möwe" }), 200).body;
  expect(data.name).toBe("Möwe");
  expect(expectStatus(await rename({ name: "Möwe" }), 200).body.data).toEqual(data);
  expect(auditRows(server, id).map(({ event_type }) => event_type)).toEqual(["box_created", "box_updated"]);
  expectInvalid(await rename({ token: "x" }), "/");
});

test("the bytes of a day are those of that day", async () => {
  const { id } = await newBox(server);
  const today = new Date(server.time).toISOString().slice(0, 10);
  onDatabase(server, (database) =>
    database.run("UPDATE boxes SET bytes_today = 9, bytes_date = ? WHERE id = ?", [today, id]),
  );
  expect((await readBox(server, id)).bytes_today).toBe(9);
  await server.advance(DAY);
  token = (await server.login("admin", "correct horse battery")).session_token;
  const { body } = expectStatus(await server.get(`${path}/${id}`, { token }), 200);
  expect(body.data.bytes_today).toBe(0);
});

// --- Its token --------------------------------------------------------------------------------------------

test("another token ends the former one at once, and the box stays the same", async () => {
  const { id, token: former } = await newBox(server);
  expect(await isTaken(former)).toBe(true);
  const answer = await server.post(`${path}/${id}/rotate-token`, { token, body: { base_url: SHORE } });
  const { data } = expectStatus(answer, 200).body;
  expect(data.id).toBe(id);
  expect(Bun.TOML.parse(data.setup)).toEqual({ sync: { url: SHORE, token: data.token } });
  expect([await isTaken(former), await isTaken(data.token)]).toEqual([false, true]);
  expect(auditRows(server, id).map(({ event_type }) => event_type)).toEqual([
    "box_created",
    "box_token_rotated",
  ]);
  expectRefused(await server.post(`${path}/${id}/rotate-token`, { token }), 409, "PublicUrlNeeded");
  expect(await isTaken(data.token)).toBe(true);
});

test("of two that rotate it at once, one token is left", async () => {
  const { id, token: former } = await newBox(server);
  const rotate = () => server.post(`${path}/${id}/rotate-token`, { token, body: { base_url: SHORE } });
  const answers = await Promise.all([rotate(), rotate(), rotate()]);
  const tokens = answers.map((answer) => expectStatus(answer, 200).body.data.token);
  expect(await isTaken(former)).toBe(false);
  const taken = await Promise.all(tokens.map(isTaken));
  expect(taken.filter(Boolean)).toHaveLength(1);
});

describe("a box's token", () => {
  test("is refused by every operation but those for boxes", async () => {
    const { token: own } = await newBox(server);
    const { paths } = (await server.contract()).document;
    const refused: [operation: string, status: number][] = [];
    let forBoxes = 0;
    for (const [template, operations] of Object.entries(paths))
      for (const [method, { security, requestBody }] of Object.entries(operations)) {
        if (security.some((way) => "boxToken" in way)) forBoxes++;
        else if (security.length > 0 && !security.some((way) => Object.keys(way).length === 0)) {
          const { example } = requestBody?.content["application/json"] ?? {};
          const { status } = await server.request(
            method.toUpperCase(),
            template.replaceAll(/\{\w+\}/g, UNKNOWN),
            { token: own, ...(example !== undefined && { body: example }) },
          );
          refused.push([`${method.toUpperCase()} ${template}`, status]);
        }
      }
    expect(forBoxes).toBeGreaterThan(0);
    expect(refused.length).toBeGreaterThan(150);
    expect(refused.filter(([, status]) => status !== 401)).toEqual([]);
  });

  test("opens no socket and no page", async () => {
    const { token: own } = await newBox(server);
    const ways: Record<string, string>[] = [
      { authorization: `Bearer ${own}` },
      { cookie: `fairlead_session=${own}`, origin: server.url },
    ];
    for (const headers of ways) {
      const answer = await fetch(`${server.url}/v1/ws?x=1`, {
        headers: {
          ...headers,
          upgrade: "websocket",
          connection: "upgrade",
          "sec-websocket-version": "13",
          "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        },
      });
      expect(answer.status).toBe(401);
    }
    const asPage = { "x-fairlead-page": "1", cookie: `fairlead_session=${own}` };
    expect((await server.get("/v1/users/me", { headers: asPage })).status).toBe(401);
  });

  test("alone opens the operations for boxes", async () => {
    const device = await server.device();
    for (const other of [undefined, token, server.systemKey, device.key, `flb_${"x".repeat(43)}`, "flb_"])
      expectRefused(
        await server.get("/v1/sync/set", other === undefined ? {} : { token: other }),
        401,
        "Unauthorized",
      );
  });

  test("stays when whoever made the box is banned or deleted", async () => {
    const maker = await newUser(server, "role_super_admin");
    const answer = await server.post(path, { token: maker.token, body: { name: "x", base_url: SHORE } });
    const { data } = expectStatus(answer, 201).body;
    expect(data.created_by).toBe(maker.id);
    expectStatus(await server.delete(`/v1/users/${maker.id}`, { token }), 204);
    expect(await isTaken(data.token)).toBe(true);
  });

  test("is never in the log", async () => {
    const { token: own } = await newBox(server);
    await server.get("/v1/devices", { token: own });
    await server.get(`/v1/sync/set?token=${own}`);
    expect(server.output).not.toContain(own.slice(4));
  });
});

// --- Its end ----------------------------------------------------------------------------------------------

describe("a box that is deleted", () => {
  test("is refused and gone at once", async () => {
    const { id, token: own } = await newBox(server);
    await remove(id);
    expect(await isTaken(own)).toBe(false);
    expectRefused(await server.get(`${path}/${id}`, { token }), 404, "NotFound");
    expect(auditRows(server, id).map(({ event_type }) => event_type)).toEqual(["box_created", "box_deleted"]);
  });

  test("leaves its rows to the shore, which changes them from then on", async () => {
    const { id } = await newBox(server);
    const [first, second] = [await server.device("a"), await server.device("b")];
    const name = async (device: string, external_id: string) =>
      expectStatus(await server.patch(`/v1/devices/${device}`, { token, body: { external_id } }), 200);
    await name(first.id, "taken");
    await name(second.id, "free");
    const logging = { device_id: first.id, gps_logging_enabled: true };
    const trips = [await createTrip(server, logging), await createTrip(server, logging)];
    giveTo(server, id, "devices", first.id, second.id);
    giveTo(server, id, "trips", ...trips.map((trip) => trip.id));
    // Rows of a box come in another order than aboard.
    onDatabase(server, (database) =>
      database.run("UPDATE trips SET status = 'active' WHERE box_id = ?", [id]),
    );
    const own = await server.device("c");
    await name(own.id, "taken");
    onDatabase(server, (database) => {
      const insert = database.query(
        `INSERT INTO alerts (id, key, condition, severity, status, device_id, told, raised_at, last_seen_at, cleared_at, box_id)
         VALUES (?, 'k', 'speed', 'alarm', ?, ?, '[]', 1, 1, ?, ?)`,
      );
      for (let n = 0; n < 1_200; n++)
        insert.run(
          `0192f3a1-5c00-7d1e-9a55-3f1f6c1${String(n).padStart(5, "0")}`,
          n < 2 ? "open" : "cleared",
          first.id,
          n < 2 ? null : 1,
          id,
        );
    });
    expectRefused(
      await server.patch(`/v1/trips/${trips[0]?.id}`, { token, body: { name: "x" } }),
      409,
      "OwnedByBox",
    );

    await remove(id);
    const read = async (device: string) =>
      expectStatus(await server.get(`/v1/devices/${device}`, { token }), 200).body.data;
    expect(await read(first.id)).toMatchObject({ box_id: null, external_id: null });
    expect(await read(second.id)).toMatchObject({ box_id: null, external_id: "free" });
    await eventually(() => rows(server, "SELECT 1 FROM boxes WHERE id = ?", id).length === 0);
    const left = (table: string) => rows(server, `SELECT 1 FROM ${table} WHERE box_id = ?`, id).length;
    expect([left("devices"), left("trips"), left("alerts")]).toEqual([0, 0, 0]);
    expect(rows(server, "SELECT 1 FROM alerts WHERE key = 'k' AND cleared_at IS NULL")).toEqual([]);
    expect(
      rows(server, "SELECT 1 FROM trips WHERE device_id = ? AND gps_logging_enabled = 1", first.id),
    ).toHaveLength(1);
    for (const trip of trips) await moveTrip(server, trip.id, "completed");
    expectStatus(await server.delete(`/v1/devices/${first.id}`, { token }), 204);
  });

  test("is finished after a restart in the middle", async () => {
    const { id } = await newBox(server);
    const trip = await createTrip(server);
    giveTo(server, id, "trips", trip.id);
    onDatabase(server, (database) => database.run("UPDATE boxes SET ended_at = 1 WHERE id = ?", [id]));
    await server.stop("SIGKILL");
    server = await TestServer.start({ dataDir: server.dataDir, clock: "movable", ahead: server.ahead });
    await eventually(() => rows(server, "SELECT 1 FROM boxes WHERE id = ?", id).length === 0);
    expect(rows(server, "SELECT box_id FROM trips WHERE id = ?", trip.id)).toEqual([{ box_id: null }]);
  });
});
