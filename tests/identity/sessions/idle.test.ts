import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { eventually } from "../../support/expectations";
import { type ExternalUser, externalUser, openSession } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { DAY, HOUR } from "../../support/time";

/** Sessions end after `auth.session_idle_days` without use, whatever their lifetime. */

let server: TestServer;
let user: ExternalUser;
beforeAll(async () => {
  server = await TestServer.start({
    clock: "movable",
    settings: { "auth.session_idle_days": "2", "websocket.heartbeat_interval_seconds": "1" },
  });
  user = await externalUser(server);
});
afterAll(() => server.stop());

const wait = (milliseconds: number) => server.advance(milliseconds);

const opened = () => openSession(server, user.id);

const statusOf = async (token: Token) => (await server.get("/v1/users/me", { token })).status;
const lookedUp = async (token: Token) =>
  (await server.get(`/v1/sessions/${token}`, { token: server.systemKey })).status;
const lastUse = (id: string) =>
  rows<{ at: number }>(server, "SELECT last_activity_at AS at FROM sessions WHERE id = ?", id)[0]?.at ?? 0;
const listed = async (token: Token) =>
  (await server.get("/v1/users/me/sessions", { token })).body.sessions.map(({ id }: { id: string }) => id);

test("a session that nobody uses ends, everywhere", async () => {
  const { id, token } = await opened();
  const socket = await Client.open(server, { token });
  await wait(2 * DAY - HOUR);
  const other = await opened();
  expect(await listed(other.token)).toContain(id);
  await socket.close();
  const idle = await opened();
  await wait(2 * DAY + HOUR);
  const fresh = await opened();
  for (const ended of [token, idle.token]) {
    expect(await statusOf(ended)).toBe(401);
    expect(await lookedUp(ended)).toBe(404);
    await expect(Client.open(server, { token: ended })).rejects.toThrow();
  }
  expect(await listed(fresh.token)).toEqual([fresh.id]);
  const revoked = await server.delete(`/v1/users/me/sessions/${id}`, { token: fresh.token });
  expect(revoked.status).toBe(404);
});

test("one that is used every day lives on", async () => {
  const { token } = await opened();
  for (let day = 0; day < 5; day++) {
    await wait(DAY);
    expect(await statusOf(token)).toBe(200);
  }
  await wait(2 * DAY);
  expect(await statusOf(token)).toBe(401);
});

test("a socket uses its session as long as it is open, and no longer", async () => {
  const { id, token } = await opened();
  const socket = await Client.open(server, { token });
  for (let step = 0; step < 4; step++) {
    await wait(DAY);
    await eventually(() => lastUse(id) > server.time - HOUR);
  }
  expect(await socket.heard()).toEqual([]);
  expect(await statusOf(token)).toBe(200);
  await socket.close();
  await wait(2 * DAY);
  expect(await statusOf(token)).toBe(401);
});

test("a socket is closed with 4401 when its session has ended for want of use, as after a long sleep of the machine", async () => {
  const { token } = await opened();
  const socket = await Client.open(server, { token });
  await wait(2 * DAY);
  expect((await socket.closed).code).toBe(4401);
});

test("a session that a service looks up is in use, also where the server remembers an older use", async () => {
  const { token } = await opened();
  expect(await statusOf(token)).toBe(200);
  for (let day = 0; day < 3; day++) {
    await wait(DAY);
    expect(await lookedUp(token)).toBe(200);
  }
  expect(await statusOf(token)).toBe(200);
});

test("a clock that jumps, to 1970 too, ends none for good", async () => {
  const { token } = await opened();
  for (const by of [DAY, -DAY, 2 * DAY, 5 * DAY - server.time]) {
    await server.advance(by);
    expect(await statusOf(token)).toBe(Math.abs(by) === DAY ? 200 : 401);
    await server.advance(-by);
    expect(await statusOf(token)).toBe(200);
  }
});

test("by default that is 30 days, as long as a sign-in lasts", async () => {
  const usual = await TestServer.start({ clock: "movable" });
  try {
    const { token } = await externalUser(usual);
    await usual.advance(30 * DAY - HOUR);
    const seen = async () => (await usual.get("/v1/users/me", { token })).status;
    expect(await seen()).toBe(200);
    await usual.advance(30 * DAY - HOUR);
    expect(await seen()).toBe(200);
    await usual.advance(30 * DAY);
    expect(await seen()).toBe(401);
  } finally {
    await usual.stop();
  }
});
