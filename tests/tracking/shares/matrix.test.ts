import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectStatus } from "../../support/expectations";
import { newUser, type User } from "../../support/people";
import { newRole, unassign } from "../../support/roles";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { HOUR } from "../../support/time";
import { type Level, share } from "./support";

/**
 * Levels of shares × operations × channels, from the server's own documents: an operation that shows a device asks who may see
 * it, so that a new one is covered on the day it is added.
 */

const LEVELS: Level[] = ["now", "history", "manage"];

/** Operations that show devices to those alone who hold their permission, which sees all devices. */
const FOR_ALL_ALONE: Record<string, string> = {
  "GET /v1/gps": "positions of all devices, and of none",
  "GET /v1/gps/{id}": "a position of any device, or of none",
  "POST /v1/gps": "a key's device",
  "PATCH /v1/gps/{id}": "a position of any device",
  "POST /v1/devices": "a new device",
  "DELETE /v1/devices/{id}": "not for those who manage it",
  "GET /v1/changes": "all that happens; the positions of a device that is named are shown by a share too",
  "GET /v1/changes/stream": "the same",
  "GET /v1/geofences/{id}/devices": "a zone, with all that are in it",
  "GET /v1/geofences/{id}/visits": "a zone, with all that came",
  "GET /v1/alerts": "alerts of all devices, stations and the installation",
  "GET /v1/alerts/{id}": "the same",
  "POST /v1/alerts/{id}/acknowledge": "the same",
  "POST /v1/devices/{id}/import": "not for those who manage it: its trackers bring what is new",
  "GET /v1/trip-templates": "plans of trips with any device",
  "POST /v1/trip-templates": "the same",
  "GET /v1/trip-templates/{id}": "the same",
  "PATCH /v1/trip-templates/{id}": "the same",
  "POST /v1/trip-templates/{id}/create-trip": "a trip of any device",
  "GET /v1/invitations": "what others are invited to, for those who invite",
  "POST /v1/invitations": "the same",
  "GET /v1/invitations/{id}": "the same",
  "POST /v1/trips": "a trip of any device",
  "PATCH /v1/trips/{id}": "a trip of any device",
};

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  [key: string]: unknown;
}
interface Operation {
  method: string;
  path: string;
  permission: string | undefined;
  share: Level | undefined;
  takesBody: boolean;
  showsDevice: boolean;
}

let server: TestServer;
let operations: Operation[];
let device: { id: string; key: string };
let other: { id: string; key: string };
const users = new Map<Level | "none" | "expired", User>();
let keyOfManager: string;
let trip: string;
let otherTrip: string;

beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  const { document } = await server.contract();
  const { paths, components } = document as unknown as {
    paths: Record<string, Record<string, Record<string, unknown>>>;
    components: { schemas: Record<string, Schema> };
  };
  const showsDevice = (schema: unknown, seen = new Set<string>()): boolean => {
    if (typeof schema !== "object" || schema === null) return false;
    const { $ref, properties } = schema as Schema;
    if ($ref !== undefined) {
      const name = $ref.split("/").at(-1) as string;
      if (name === "Device") return true;
      if (seen.has(name)) return false;
      seen.add(name);
      return showsDevice(components.schemas[name], seen);
    }
    if (properties && "device_id" in properties) return true;
    return Object.values(schema).some((part) => showsDevice(part, seen));
  };
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const responses = operation.responses as Record<string, unknown>;
      const good = Object.entries(responses).filter(([status]) => status.startsWith("2"));
      return {
        ...{ method: method.toUpperCase(), path },
        permission: operation["x-permission"] as string | undefined,
        share: operation["x-share"] as Level | undefined,
        takesBody: operation.requestBody !== undefined,
        showsDevice: path.includes("/devices/{id}") || good.some(([, response]) => showsDevice(response)),
      };
    }),
  );
  [device, other] = [await server.device(), await server.device()];
  const token = await server.admin();
  const newTrip = async (device_id: string) =>
    expectStatus(await server.post("/v1/trips", { token, body: { name: "way", device_id } }), 201).body.data
      .id;
  [trip, otherTrip] = [await newTrip(device.id), await newTrip(other.id)];
  for (const who of ["none", "expired", ...LEVELS] as const) users.set(who, await newUser(server));
  const role = await newRole(server, "api_keys:write");
  const manager = await newUser(server, role.id);
  users.set("manage", manager);
  for (const level of LEVELS) await share(server, device.id, userOf(level).id, level);
  // A key of somebody who manages the device has no share.
  const body = { name: "key", scopes: ["two_factor:read"] };
  keyOfManager = expectStatus(await server.post("/v1/api-keys", { token: manager.token, body }), 201).body
    .key;
  await unassign(server, manager.id, role.id);
  const soon = new Date(server.time + HOUR).toISOString();
  await share(server, device.id, userOf("expired").id, "manage", { expires_at: soon });
  await server.advance(HOUR + 1_000);
});
afterAll(() => server.stop());

const userOf = (who: Level | "none" | "expired"): User => users.get(who) as User;

/** A request that does no harm: its body is no JSON, so whoever is let in gets 400, or 404 for what there is not. */
async function statusOf({ method, path, takesBody }: Operation, token: string, isOther = false) {
  const ofTrip = path.startsWith("/v1/trips/");
  const id = ofTrip ? (isOther ? otherTrip : trip) : isOther ? other.id : device.id;
  const filled = path.replace("{id}", id).replaceAll(/\{\w+\}/g, "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01");
  const body = takesBody ? { raw: "{", headers: { "content-type": "application/json" } } : {};
  return (await server.request(method, filled, { token, ...body })).status;
}
const nameOf = ({ method, path }: Operation) => `${method} ${path}`;
const shared = () => operations.filter((operation) => operation.share);

describe("an operation that shows a device", () => {
  test("asks who may see it, or is for those alone who see all", () => {
    const found = operations.filter(({ showsDevice, permission }) => showsDevice && permission);
    expect(found.length).toBeGreaterThan(20);
    const open = found.filter((each) => !each.share && !(nameOf(each) in FOR_ALL_ALONE)).map(nameOf);
    expect(open).toEqual([]);
    const stale = Object.keys(FOR_ALL_ALONE).filter(
      (name) => !found.some((each) => nameOf(each) === name && !each.share),
    );
    expect(stale.filter((name) => !name.includes("/v1/changes"))).toEqual([]);
  });

  test("answers by level", async () => {
    const wrong: string[] = [];
    for (const operation of shared()) {
      const needed = LEVELS.indexOf(operation.share as Level);
      for (const [at, level] of LEVELS.entries()) {
        const status = await statusOf(operation, userOf(level).token);
        const isRight = at < needed ? status === 403 : ![401, 403, 500].includes(status);
        if (!isRight) wrong.push(`${nameOf(operation)} as ${level}: ${status}`);
      }
      for (const who of ["none", "expired"] as const) {
        const status = await statusOf(operation, userOf(who).token);
        if (status !== 403) wrong.push(`${nameOf(operation)} as ${who}: ${status}`);
      }
      const byKey = await statusOf(operation, keyOfManager);
      if (byKey !== 403) wrong.push(`${nameOf(operation)} by key: ${byKey}`);
      if (/\/(devices|trips)\/\{id\}/.test(operation.path)) {
        const status = await statusOf(operation, userOf("manage").token, true);
        if (status !== 404) wrong.push(`${nameOf(operation)} of another device: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("is closed to a share where it doesn't say so", async () => {
    const closed = operations.filter(({ permission, share: level }) => permission && !level);
    const wrong: string[] = [];
    for (const operation of closed) {
      const [without, status] = [
        await statusOf(operation, userOf("none").token),
        await statusOf(operation, userOf("manage").token),
      ];
      if (without === 403 && status !== 403) wrong.push(`${nameOf(operation)}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });
});

test("of all channels, a share opens the one of its device", async () => {
  const CHANNELS = ["gps", "geofence", "trips", "devices", "alerts", "vessels", "community"];
  for (const who of ["none", "expired", ...LEVELS] as const) {
    const client = await Client.open(server, { bearer: userOf(who).token });
    const hears = async (channel: string) =>
      (await client.ask({ type: "subscribe", channel })).type === "message";
    const heard = [];
    for (const channel of [...CHANNELS, `gps:${device.id}`, `gps:${other.id}`, `geofence:${device.id}`])
      if (await hears(channel)) heard.push(channel);
    expect([who, heard]).toEqual([who, LEVELS.includes(who as Level) ? [`gps:${device.id}`] : []]);
    await client.close();
  }
});
