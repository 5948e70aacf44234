import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { TestServer } from "../../support/server";
import { write } from "../../tracking/log/support";
import { createTrip, moveTrip, postPoint } from "../../tracking/support";

/** Answers that are made while they are sent. */
let server: TestServer;
let token: Token;
let trip: string;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
  const { id: device_id, key } = await server.device("Greif");
  ({ id: trip } = await createTrip(server, { device_id, gps_logging_enabled: true }));
  await moveTrip(server, trip, "active");
  await postPoint(server, key);
  await write(server, trip, { text: "under way" });
});
afterAll(() => server.stop());

const today = new Date().toISOString().slice(0, 10);

test.each([
  ["the audit log", () => `/v1/admin/audit/export?from=${today}`],
  ["a track", () => `/v1/trips/${trip}/track?format=gpx`],
  ["a log as CSV", () => `/v1/trips/${trip}/log?format=csv`],
  ["a log as PDF", () => `/v1/trips/${trip}/log?format=pdf`],
  ["personal data", () => "/v1/user/export"],
])("HEAD tells no length that GET does not have: %s", async (_, path) => {
  const ask = (method: string) =>
    fetch(server.url + path(), { method, headers: { authorization: `Bearer ${token}` } });
  const [get, head] = [await ask("GET"), await ask("HEAD")];
  const type = (answer: Response) => answer.headers.get("content-type");
  expect([head.status, type(head)]).toEqual([200, type(get)]);
  expect([null, get.headers.get("content-length")]).toContain(head.headers.get("content-length"));
  expect((await get.arrayBuffer()).byteLength).toBeGreaterThan(0);
  expect((await head.arrayBuffer()).byteLength).toBe(0);
});
