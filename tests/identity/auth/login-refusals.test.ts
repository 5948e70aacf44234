import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../../support/api";
import { isAccepted, login } from "../../support/credentials";
import { audited } from "../../support/events";
import { externalUser, newPerson, newUser, pending, type User } from "../../support/people";
import { TestServer } from "../../support/server";
import { HOUR, MINUTE } from "../../support/time";
import { registrationState } from "./support";

/** Refusals of a login despite the right password (rule A4). */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

/** Everything by which a client can tell an answer from another. */
const shown = ({ status, headers, body }: Answer) => ({
  status,
  body,
  headers: [...headers].filter(([name]) => !["x-request-id", "date"].includes(name)).sort(),
});

const unknown = async () => shown(await login(server, "nobody_at_all", "some passphrase"));

/** Signs in by name and by address; both are refused, change nothing, and leave `login_failed`. */
async function expectRefusal(user: User, status: number, error: string): Promise<Answer> {
  const before = registrationState(server);
  const answers: Answer[] = [];
  const events = await audited(server, async () => {
    for (const identifier of [user.username, user.email])
      answers.push(await login(server, identifier, user.password));
  });
  for (const { status: got, body } of answers) expect([got, body.error]).toEqual([status, error]);
  expect(registrationState(server)).toEqual(before);
  const userId = status === 401 ? null : user.id;
  const failed = { event_type: "login_failed", status: "failure", user_id: userId, ip_address: "127.0.0.1" };
  expect(events).toMatchObject([failed, failed]);
  for (const secret of [user.password, user.email, user.username])
    expect(JSON.stringify(events)).not.toContain(secret);
  return answers[0] as Answer;
}

const ban = async (user: User, body: object = {}, on = server) => {
  const answer = await on.post(`/v1/users/${user.id}/ban`, { token: await on.admin(), body });
  expect(answer.status).toBe(200);
};

describe("a banned user", () => {
  test("gets 403 AccountBanned with the right password, and is let in after the ban", async () => {
    const user = await newUser(server);
    await ban(user, { reason: "ran aground" });
    const { body } = await expectRefusal(user, 403, "AccountBanned");
    expect(body.message).toContain("ran aground");
    expect(await isAccepted(server, user.token)).toBe(false);

    const lifted = await server.delete(`/v1/users/${user.id}/ban`, { token: await server.admin() });
    expect(lifted.status).toBe(200);
    expect(await isAccepted(server, user.token)).toBe(false);
    const { status, body: session } = await login(server, user.username, user.password);
    expect([status, await isAccepted(server, session.session_token)]).toEqual([200, true]);
  });

  test("learns nothing of the ban without the right password", async () => {
    const user = await newUser(server);
    await ban(user);
    for (const identifier of [user.username, user.email])
      expect(shown(await login(server, identifier, "not the password"))).toEqual(await unknown());
  });

  test("is not let in by sign-ins that were under way when the ban came", async () => {
    const user = await newUser(server);
    const signIn = () => login(server, user.username, user.password);
    const [first, second, , third] = await Promise.all([signIn(), signIn(), ban(user), signIn()]);
    for (const { status, body } of [first, second, third]) {
      expect([200, 403]).toContain(status);
      if (status === 200) expect(await isAccepted(server, body.session_token)).toBe(false);
    }
  });

  test("is let in by itself when the ban ends", async () => {
    const own = await TestServer.start({ clock: "movable" });
    try {
      const user = await newUser(own);
      await ban(user, { duration_seconds: 3_600 }, own);
      await own.advance(HOUR - MINUTE);
      const { status, body } = await login(own, user.username, user.password);
      expect([status, body.error]).toEqual([403, "AccountBanned"]);
      await own.advance(MINUTE);
      expect((await login(own, user.username, user.password)).status).toBe(200);
    } finally {
      await own.stop();
    }
  });
});

describe("while the email platform is switched off", () => {
  const setEnabled = async (enabled: boolean) => {
    const token = await server.admin();
    const answer = await server.patch("/v1/platforms/email/settings", { token, body: { enabled } });
    expect(answer.status).toBe(200);
  };

  test("the right password gets 403, a wrong one and an unknown name the 401 of always", async () => {
    const user = await newUser(server);
    const always = await unknown();
    await setEnabled(false);
    try {
      await expectRefusal(user, 403, "Forbidden");
      expect(shown(await login(server, user.username, "not the password"))).toEqual(always);
      expect(await unknown()).toEqual(always);
      expect(await isAccepted(server, user.token)).toBe(true);
    } finally {
      await setEnabled(true);
    }
    expect((await login(server, user.username, user.password)).status).toBe(200);
  });

  test("existing users keep access through another platform", async () => {
    await setEnabled(false);
    try {
      expect(await isAccepted(server, (await externalUser(server)).token)).toBe(true);
    } finally {
      await setEnabled(true);
    }
  });

  test("another platform's state makes no difference", async () => {
    const user = await newUser(server);
    const setDiscord = async (enabled: boolean) =>
      server.patch("/v1/platforms/discord/enabled", { token: await server.admin(), body: { enabled } });
    expect((await setDiscord(false)).status).toBe(200);
    try {
      expect((await login(server, user.username, user.password)).status).toBe(200);
    } finally {
      await setDiscord(true);
    }
  });
});

describe("the 401 of an unknown identifier goes", () => {
  test("to a deleted user with the right password", async () => {
    const user = await newUser(server);
    await server.delete(`/v1/users/${user.id}`, { token: await server.admin() });
    expect(shown(await expectRefusal(user, 401, "Unauthorized"))).toEqual(await unknown());
  });

  test("to a deleted user who was banned", async () => {
    const user = await newUser(server);
    await ban(user);
    await server.delete(`/v1/users/${user.id}`, { token: await server.admin() });
    expect(shown(await expectRefusal(user, 401, "Unauthorized"))).toEqual(await unknown());
  });

  test("to an account without password authentication", async () => {
    const { id, username, email } = await externalUser(server);
    const before = registrationState(server);
    const answers: Answer[] = [];
    const events = await audited(server, async () => {
      for (const identifier of [username, email]) answers.push(await login(server, identifier, "passphrase"));
    });
    for (const answer of answers) expect(shown(answer)).toEqual(await unknown());
    expect(registrationState(server)).toEqual(before);
    expect(events).toMatchObject([{ event_type: "login_failed" }, { event_type: "login_failed" }]);
    for (const event of events) expect([null, id]).toContain(event.user_id);
  });

  test("to a registration that waits for its verification", async () => {
    const person = newPerson();
    await pending(server, person);
    for (const identifier of [person.username, person.email])
      expect(shown(await login(server, identifier, person.password))).toEqual(await unknown());
  });
});

test.each(["/v1/auth/signin", "/v1/auth/validate"])(
  "%s is not implemented, whatever is sent",
  async (path) => {
    const before = registrationState(server);
    const token = await server.admin();
    const answers = [await server.post(path), await server.post(path, { token })];
    answers.push(
      await server.post(path, { body: { identifier: "admin", password: "correct horse battery" } }),
    );
    for (const { status, body } of answers) {
      expect([status, body.error]).toEqual([501, "NotImplemented"]);
      expect(body.message).toContain("not implemented");
    }
    expect(registrationState(server)).toEqual(before);
  },
);
