import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { login } from "../support/credentials";
import { newPerson, newUser, openSession, pending, register, verifyRegistration } from "../support/people";
import { TestServer } from "../support/server";
import { Client } from "../support/socket";
import { DAY, HOUR, MINUTE } from "../support/time";
import { fix } from "../tracking/support";
import { completeReset, resetToken } from "./auth/support";
import { check, codeIn, enable, nextCode, setUp, turnOn, verifyLogin } from "./two-factor/support";

/**
 * The machine's clock jumps: a battery runs out, the network's time arrives late, somebody mistypes the year.
 */
const YEAR = 365 * DAY;

let server: TestServer;
let away = 0;
beforeAll(async () => {
  server = await TestServer.start({
    clock: "movable",
    settings: {
      "rate_limit.enabled": "true",
      "rate_limit.login": "4/3600",
      "rate_limit.register": "1000/60",
    },
  });
});
afterAll(() => server.stop());

/** Moves the clock until the test's end. */
async function jump(milliseconds: number): Promise<void> {
  away += milliseconds;
  await server.advance(milliseconds);
}
afterEach(async () => {
  if (away !== 0) await jump(-away);
  expect(server.output).not.toContain('"level":"error"');
});

const statusOf = async (token: string) => (await server.get("/v1/users/me", { token })).status;

/** A session for a user without a login, which is limited here. */
const openFor = (userId: string, lifetime: number) =>
  openSession(server, userId, new Date(server.time + lifetime).toISOString());

describe("a clock that jumps by an hour or a day and comes back", () => {
  for (const by of [HOUR, -HOUR, DAY, -DAY])
    test(`(${by / HOUR} h) ends no session and no connection from before, and none from meanwhile`, async () => {
      const user = await newUser(server);
      const before = await openFor(user.id, 30 * DAY);
      const client = await Client.open(server, { token: before.token });
      await jump(by);
      expect(await statusOf(before.token)).toBe(200);
      const meanwhile = await openFor(user.id, 30 * DAY);
      await jump(-by);
      expect(await statusOf(before.token)).toBe(200);
      expect(await statusOf(meanwhile.token)).toBe(200);
      expect(await client.heard()).toEqual([]);
      await client.close();
    });

  test("that says 1970 after a power cut refuses what looks made in the future, and ends none for good", async () => {
    const user = await newUser(server);
    const { token } = await openFor(user.id, 30 * DAY);
    const toStart = 5 * DAY - server.time;
    await jump(toStart);
    expect(await statusOf(token)).toBe(401);
    await jump(-toStart);
    expect(await statusOf(token)).toBe(200);
  });

  test("ends a session at its time, neither sooner nor later", async () => {
    const user = await newUser(server);
    const { token } = await openFor(user.id, 2 * DAY);
    await jump(DAY);
    expect(await statusOf(token)).toBe(200);
    await jump(DAY);
    expect(await statusOf(token)).toBe(401);
    // Once the clock is set right, the session hasn't ended.
    await jump(-DAY);
    expect(await statusOf(token)).toBe(200);
    await jump(DAY + MINUTE);
    expect(await statusOf(token)).toBe(401);
  });

  test("accepts no code of the app that was used, nor one from before it", async () => {
    const user = await newUser(server);
    const { secret } = await turnOn(server, user);
    await jump(DAY);
    const challenge = async () => (await check(server, { user_id: user.id })).body.temp_token;
    const used = await nextCode(server, secret);
    expect((await verifyLogin(server, await challenge(), used)).status).toBe(200);
    await jump(-DAY);
    const ofNow = codeIn(server, secret, 1);
    for (const code of [used, ofNow])
      expect((await verifyLogin(server, await challenge(), code)).status).toBe(401);
    await jump(DAY);
    expect((await verifyLogin(server, await challenge(), used)).status).toBe(401);
    expect((await verifyLogin(server, await challenge(), await nextCode(server, secret))).status).toBe(200);
  });

  test("keeps a ban and a scheduled deletion until their times", async () => {
    const admin = await server.admin();
    const [banned, leaving] = [await newUser(server), await newUser(server)];
    await server.post(`/v1/users/${banned.id}/ban`, {
      token: admin,
      body: { duration_seconds: (2 * DAY) / 1_000 },
    });
    const { body } = await server.post("/v1/users/me/deletion", {
      token: leaving.token,
      body: { password: leaving.password },
    });
    for (const by of [DAY, -2 * DAY, DAY]) {
      await jump(by);
      const ban = await server.get(`/v1/users/${banned.id}/ban`, { token: admin });
      expect(ban.body.is_banned).toBe(true);
      const status = await server.get(`/v1/admin/users/${leaving.id}/deletion-status`, { token: admin });
      expect(status.body).toMatchObject({
        is_scheduled_for_deletion: true,
        is_deleted: false,
        scheduled_deletion_at: body.scheduled_deletion_at,
      });
    }
  });

  test("stores and finds records under identifiers of their own, whenever they were made", async () => {
    const token = server.systemKey;
    const ids: string[] = [];
    for (const by of [0, HOUR, -HOUR, -DAY, DAY]) {
      await jump(by);
      for (let count = 0; count < 20; count++)
        ids.push((await server.post("/v1/devices", { token, body: { name: "Greif" } })).body.data.id);
    }
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect((await server.get(`/v1/devices/${id}`, { token })).status).toBe(200);
  });

  test("takes positions of its own day, whatever it said before", async () => {
    const token = server.systemKey;
    const post = async () =>
      (
        await server.post("/v1/gps", {
          token,
          body: { ...fix(), timestamp: Math.floor(server.time / 1_000) },
        })
      ).status;
    for (const by of [0, DAY, -2 * DAY, DAY]) {
      await jump(by);
      expect(await post()).toBe(201);
    }
  });
});

describe("what a clock made that was a year ahead", () => {
  test("does not count once the clock is right: sessions, and none lives for a year", async () => {
    const user = await newUser(server);
    await jump(YEAR);
    const { id, token } = await openFor(user.id, 30 * DAY);
    const client = await Client.open(server, { token });
    expect(await statusOf(token)).toBe(200);
    await jump(-YEAR);
    expect(await statusOf(token)).toBe(401);
    expect((await client.closed).code).toBe(4401);
    const { body } = await server.get("/v1/users/me/sessions", { token: user.token });
    expect(body.sessions.map((session: { id: string }) => session.id)).not.toContain(id);
    expect((await server.get(`/v1/sessions/${token}`, { token: server.systemKey })).status).toBe(404);
  });

  test("nor do a reset link, a sign-in's second step and a set-up of the app", async () => {
    const user = await newUser(server);
    await jump(YEAR);
    const reset = await resetToken(server, user);
    const { token } = await openFor(user.id, 30 * DAY);
    const { secret } = (await setUp(server, token)).body;
    const guarded = await turnOn(server, await newUser(server));
    const challenge = (await check(server, { user_id: guarded.id })).body.temp_token;
    await jump(-YEAR);
    expect((await completeReset(server, reset, "another passphrase")).status).toBe(400);
    expect((await verifyLogin(server, challenge, guarded.backupCodes[0])).status).toBe(401);
    expect((await enable(server, user.token, { code: codeIn(server, secret, 0) })).status).toBe(400);
  });

  test("nor does a registration, which keeps the name from nobody", async () => {
    const person = newPerson();
    await jump(YEAR);
    const token = await pending(server, person);
    await jump(-YEAR);
    expect((await verifyRegistration(server, token)).status).toBe(400);
    expect((await register(server, person)).status).toBe(200);
  });

  test("nor does a count of tries: nobody is locked out for a year", async () => {
    const user = await newUser(server);
    await jump(YEAR);
    const wrong = async () => (await login(server, user.username, "not the passphrase")).status;
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429) statuses.push(await wrong());
    expect(statuses.length).toBeLessThanOrEqual(5);
    await jump(-YEAR);
    expect((await login(server, user.username, user.password)).status).toBe(200);
  });
});
