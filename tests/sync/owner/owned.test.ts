import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { OperationDocument } from "../../support/contract";
import { expectRefused, expectStatus } from "../../support/expectations";
import { onDatabase, reading, write } from "../../support/rows";
import { TestServer } from "../../support/server";
import { newTracker } from "../../tracking/doors/support";
import { createTrip, fix, moveTrip, postPoint } from "../../tracking/support";
import { giveTo, newBox, SHORE } from "../support";

/**
 * Rows of a box are read ashore and not changed there. The operations are those of the document, so that a new one that writes
 * is tried too, or has to be named here with the reason for which it may.
 */

let server: TestServer;
let token = "";
/** Records that belong to a box. */
const owned = { device: "", trip: "", point: "", loose: "", entry: "", alert: "", key: "" };
let boxId = "";

const ALERT = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0b01";

beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
  boxId = (await newBox(server)).id;
  const device = await server.device("aboard");
  const trip = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
  owned.loose = (await postPoint(server, device.key, { timestamp: 1_372_578_000 })).id;
  await moveTrip(server, trip.id, "active");
  owned.point = (await postPoint(server, device.key)).id;
  const entry = await server.post(`/v1/trips/${trip.id}/log`, { token, body: { text: "Cast off" } });
  Object.assign(owned, {
    ...{ device: device.id, key: device.key, trip: trip.id },
    ...{ entry: expectStatus(entry, 201).body.data.id, alert: ALERT },
  });
  write(
    server,
    `INSERT INTO alerts (id, key, condition, severity, status, device_id, told, raised_at, last_seen_at)
     VALUES ('${ALERT}', 'k', 'speed', 'alarm', 'open', '${device.id}', '[]', 1, 1)`,
  );
  giveTo(server, boxId, "devices", device.id);
  giveTo(server, boxId, "trips", trip.id);
  giveTo(server, boxId, "alerts", ALERT);
  // The last position and the device's row are in memory: this is how a server finds what a box sent before.
  await server.stop();
  server = await TestServer.start({ dataDir: server.dataDir });
});
afterAll(() => server.stop());

const TABLES = [
  "devices",
  "trips",
  "trip_status_history",
  "trip_spans",
  "log_entries",
  "gps_points",
  "alerts",
  "trackers",
];

/** All that a box may own. */
const state = () =>
  reading(server, (database) => TABLES.map((table) => database.query(`SELECT * FROM ${table}`).all()));

interface Operation {
  name: string;
  method: string;
  path: string;
  document: OperationDocument;
}

const WRITES = ["post", "put", "patch", "delete"];

async function writes(): Promise<Operation[]> {
  const { paths } = (await server.contract()).document;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => WRITES.includes(method))
      .map(([method, document]) => ({
        name: `${method.toUpperCase()} ${path}`,
        ...{ method: method.toUpperCase(), path, document },
      })),
  );
}

/** The record of a box that the identifier behind each of these is one of. */
const IN_PATH: [RegExp, () => string][] = [
  [/(?<=^\/v1\/devices\/)\{\w+\}/, () => owned.device],
  [/(?<=^\/v1\/trips\/)\{\w+\}/, () => owned.trip],
  [/(?<=^\/v1\/gps\/)\{\w+\}/, () => owned.loose],
  [/(?<=^\/v1\/alerts\/)\{\w+\}/, () => owned.alert],
  [/\{entry_id\}/, () => owned.entry],
];

const isOwned = (path: string): boolean => IN_PATH.some(([pattern]) => pattern.test(path));
const pathOf = (path: string): string =>
  IN_PATH.reduce((filled, [pattern, id]) => filled.replace(pattern, id()), path);

/** The fields of a JSON body that name a device or a trip. */
async function references({ document }: Operation): Promise<string[]> {
  const schema = document.requestBody?.content["application/json"]?.schema as { $ref?: string } | undefined;
  const { schemas } = (await server.contract()).document.components;
  const resolved = (schema?.$ref ? schemas[schema.$ref.split("/").at(-1) ?? ""] : schema) as
    | { properties?: object }
    | undefined;
  return Object.keys(resolved?.properties ?? {}).filter((name) =>
    /^(device|trip)_ids?$|^devices$|^trips$/.test(name),
  );
}

/** Operations that write about a box's records and may: the row that they change is none of its own. */
const MAY: Record<string, string> = {
  "PUT /v1/devices/{id}/shares/{user_id}": "a share is this server's",
  "DELETE /v1/devices/{id}/shares/{user_id}": "a share is this server's",
  "PUT /v1/devices/{id}/anchor": "the shore may watch over a boat too: its watch is its own",
  "DELETE /v1/devices/{id}/anchor": "likewise",
  "POST /v1/devices/{id}/anchor/test": "likewise",
  "PATCH /v1/devices/{id}/trackers/{tracker_id}": "a box's device has no trackers here",
  "DELETE /v1/devices/{id}/trackers/{tracker_id}": "likewise",
  "POST /v1/share-links": "a link is this server's",
  "POST /v1/invitations": "a share is this server's",
  "POST /v1/alert-rules": "the shore's rules watch what boxes send",
  "PATCH /v1/alert-rules/{id}": "likewise",
  "POST /v1/trip-templates": "a template is this server's; a trip of it is refused",
  "PATCH /v1/trip-templates/{id}": "likewise",
};

/** An example without references to records that there aren't. */
const withoutReferences = (example: unknown): object =>
  Object.fromEntries(Object.entries((example ?? {}) as object).filter(([field]) => !/_ids?$/.test(field)));

/** Bodies beyond the document's example. */
const BODIES: Record<string, () => object> = {
  "POST /v1/devices/{id}/trackers": () => ({ name: "phone", format: "generic", base_url: SHORE }),
};

describe("what a box owns is refused to", () => {
  test("each operation that writes", async () => {
    const before = state();
    const tried: string[] = [];
    const others: unknown[] = [];
    for (const operation of await writes()) {
      const { name, method, path, document } = operation;
      const fields = await references(operation);
      if (Object.hasOwn(MAY, name) || (!isOwned(path) && fields.length === 0)) continue;
      const content = document.requestBody?.content ?? {};
      const example = BODIES[name]?.() ?? content["application/json"]?.example;
      const body = {
        ...withoutReferences(example),
        ...Object.fromEntries(
          fields.map((field) => [field, field.startsWith("device") ? owned.device : owned.trip]),
        ),
      };
      const sent =
        "text/csv" in content
          ? {
              raw: "latitude,longitude,timestamp\n54,13,1372578100\n",
              headers: { "content-type": "text/csv" },
            }
          : content["application/json"] !== undefined
            ? { body }
            : {};
      const answer = await server.request(method, pathOf(path), { token, ...sent });
      tried.push(name);
      if (answer.status !== 409 || answer.body?.error !== "OwnedByBox")
        others.push([name, answer.status, answer.body]);
    }
    expect(others).toEqual([]);
    expect(tried).toEqual(
      expect.arrayContaining([
        "PATCH /v1/devices/{id}",
        "POST /v1/gps",
        "POST /v1/trips",
        "DELETE /v1/gps/{id}",
        "POST /v1/trips/{id}/log/{entry_id}/strike",
        "POST /v1/alerts/{id}/acknowledge",
        "POST /v1/devices/{id}/import",
        "POST /v1/gps/batch",
      ]),
    );
    expect(state()).toEqual(before);
  });

  test("no more operations than are named here", async () => {
    const names = (await writes()).map(({ name }) => name);
    expect(Object.keys(MAY).filter((name) => !names.includes(name))).toEqual([]);
  });

  test("the key of its device, a position of its trip, and a trial import", async () => {
    const before = state();
    expectRefused(await server.post("/v1/gps", { token: owned.key, body: fix() }), 409, "OwnedByBox");
    const batch = { positions: [fix({ timestamp: 1_372_578_200 })] };
    expectRefused(await server.post("/v1/gps/batch", { token: owned.key, body: batch }), 409, "OwnedByBox");
    expectRefused(
      await server.patch(`/v1/gps/${owned.point}`, { token, body: { is_outlier: true } }),
      409,
      "OwnedByBox",
    );
    expectRefused(
      await server.post(`/v1/devices/${owned.device}/import?dry_run=true`, {
        token,
        ...{
          raw: "latitude,longitude,timestamp\n54,13,1372578100\n",
          headers: { "content-type": "text/csv" },
        },
      }),
      409,
      "OwnedByBox",
    );
    expect(state()).toEqual(before);
  });

  test("a trip of this server, also by a template", async () => {
    const trip = await createTrip(server);
    const before = state();
    const body = { device_id: owned.device };
    expectRefused(await server.patch(`/v1/trips/${trip.id}`, { token, body }), 409, "OwnedByBox");
    const template = await server.post("/v1/trip-templates", { token, body: { name: "t", ...body } });
    const { id } = expectStatus(template, 201).body.data;
    expectRefused(
      await server.post(`/v1/trip-templates/${id}/create-trip`, { token, body: { weight_kg: 1 } }),
      409,
      "OwnedByBox",
    );
    expect(state()).toEqual(before);
  });

  test("a tracker that the device had before, and a Traccar server", async () => {
    const tracker = await newTracker(server, "generic");
    const forwarder = await newTracker(server, "traccar_server");
    const named = await server.device("named");
    onDatabase(server, (database) => {
      database.run("UPDATE devices SET box_id = ? WHERE id = ?", [boxId, tracker.deviceId]);
      database.run("UPDATE devices SET box_id = ?, external_id = 'boat' WHERE id = ?", [boxId, named.id]);
    });
    const before = state();
    const sent = await server.post("/v1/ingest/generic", {
      ...{ token: tracker.token, body: { latitude: 54, longitude: 13, timestamp: 1_372_578_300 } },
    });
    expectRefused(sent, 401, "Unauthorized");
    const position = { latitude: 54, longitude: 13, fixTime: "2026-05-04T09:30:00.000Z", valid: true };
    await server.post("/v1/ingest/traccar-server", {
      ...{ token: forwarder.token, body: { position, device: { id: 1, uniqueId: "boat" } } },
    });
    const points = (all: unknown[][]) => all[TABLES.indexOf("gps_points")];
    expect(points(state())).toEqual(points(before));
  });
});

describe("what a box owns", () => {
  test("is read like all else, and says whose it is", async () => {
    const read = async (path: string) => expectStatus(await server.get(path, { token }), 200).body;
    expect((await read(`/v1/devices/${owned.device}`)).data.box_id).toBe(boxId);
    expect((await read(`/v1/trips/${owned.trip}`)).data.box_id).toBe(boxId);
    expect((await read(`/v1/alerts/${owned.alert}`)).data.box_id).toBe(boxId);
    const { data } = await read(`/v1/gps?device_id=${owned.device}`);
    expect(data.map(({ id }: { id: string }) => id)).toEqual([owned.point, owned.loose]);
    for (const path of ["track", "timeline", "statistics"])
      await read(`/v1/devices/${owned.device}/${path}?from=2013-06-30&to=2013-07-01`);
    const own = await server.device("ashore");
    expect((await read(`/v1/devices/${own.id}`)).data.box_id).toBeNull();
    expect((await read(`/v1/trips/${(await createTrip(server)).id}`)).data.box_id).toBeNull();
  });

  test("has a name of its own: this server's devices may have the same", async () => {
    write(server, `UPDATE devices SET external_id = 'same' WHERE id = '${owned.device}'`);
    const body = { name: "x", external_id: "same" };
    expectStatus(await server.post("/v1/devices", { token, body }), 201);
    expectRefused(await server.post("/v1/devices", { token, body }), 409, "Conflict");
  });
});
