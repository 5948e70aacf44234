import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../../support/api";
import { login } from "../../support/credentials";
import { auditRows } from "../../support/events";
import { done, expectInvalid, expectRefused, expectStatus, statuses } from "../../support/expectations";
import { newestMail } from "../../support/mail";
import { freshEmail, newPerson, newUser, readUser, register, staff } from "../../support/people";
import { processorTimeOf } from "../../support/pressure";
import { assign, grant, newRole, revoke, unassign } from "../../support/roles";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { HOUR } from "../../support/time";
import { share, unshare } from "../../tracking/shares/support";
import { accepted, accepting, newInvitation, PATH } from "./support";

/** Accepting an invitation: the account, what it holds, and what is refused. */

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  admin = await server.admin();
});
afterAll(() => server.stop());

const rolesOf = async (id: string): Promise<string[]> =>
  done(await server.get(`/v1/users/${id}/roles`, { token: admin }))
    .roles.map((role: { id: string }) => role.id)
    .sort();
const devicesOf = async (token: string): Promise<string[] | number> => {
  const { status, body } = await server.get("/v1/devices", { token });
  return status === 200 ? body.data.map((device: { id: string }) => device.id).sort() : status;
};
const users = () => rows(server, "SELECT id FROM users").length;

describe("an account by invitation", () => {
  test("holds the roles and the devices, and is signed in", async () => {
    const [device, role] = [await server.device(), await newRole(server, "trips:read")];
    const expires_at = new Date(server.time + 48 * HOUR).toISOString();
    const invitation = await newInvitation(server, {
      role_ids: [role.id],
      device_shares: [{ device_id: device.id, level: "history", expires_at }],
    });
    const person = newPerson();
    const answer = await accepting(server, invitation.token, { ...person, locale: "de" });
    const session = expectStatus(answer, 201).body;
    expect(answer.headers.get("location")).toBe(`/v1/users/${session.user_id}`);
    expect(session).toMatchObject({
      ...{ username: person.username, email: person.email },
      preferred_locale: "de",
    });
    expect(await rolesOf(session.user_id)).toEqual([role.id, "role_user"].sort());
    expect(await devicesOf(session.session_token)).toEqual([device.id]);
    const [stored] = rows(
      server,
      "SELECT level, expires_at FROM device_shares WHERE device_id = ?",
      device.id,
    );
    expect(stored).toEqual({ level: "history", expires_at: Date.parse(expires_at) });
    expect((await server.login(person.username, person.password)).user_id).toBe(session.user_id);
    expect((await server.login(person.email, person.password)).user_id).toBe(session.user_id);
    expect((await readUser(server, session.user_id)).preferred_locale).toBe("de");
    const told = auditRows(server, invitation.id).find(
      ({ event_type }) => event_type === "invitation_accepted",
    );
    expect(JSON.parse(told?.metadata ?? "{}")).toMatchObject({ withheld: 0 });
  });

  test("has proved the address of the email, and not one that it names itself", async () => {
    const email = freshEmail();
    await newInvitation(server, { email });
    const byEmail = await accepted(server, (await newestMail(server, email)).token, {
      ...newPerson(),
      email: undefined as never,
    });
    const byLink = await accepted(server, (await newInvitation(server)).token);
    const isProved = (id: string) =>
      rows<{ email: string; email_verified: number }>(
        server,
        "SELECT email, email_verified FROM platform_accounts WHERE user_id = ?",
        id,
      );
    expect(isProved(byEmail.id)).toEqual([{ email, email_verified: 1 }]);
    expect(isProved(byLink.id)).toEqual([{ email: byLink.email, email_verified: 0 }]);
  });

  test("is made where registration is off, and not where sign-in by email is", async () => {
    const set = async (setting: object) =>
      done(await server.patch("/v1/platforms/email/settings", { token: admin, body: setting }));
    await set({ registration_enabled: false });
    const person = newPerson();
    expect((await register(server, person)).status).toBe(400);
    await accepted(server, (await newInvitation(server)).token, person);
    const { token } = await newInvitation(server);
    const open = async (enabled: boolean) =>
      done(await server.patch("/v1/platforms/email/enabled", { token: admin, body: { enabled } }));
    await open(false);
    expectRefused(await accepting(server, token), 403, "Forbidden");
    await open(true);
    await set({ registration_enabled: true });
    expectStatus(await accepting(server, token), 201);
  });

  test("is made once, of parallel requests too", async () => {
    const { token } = await newInvitation(server);
    const before = users();
    const answers = await Promise.all(Array.from({ length: 8 }, () => accepting(server, token)));
    expect(statuses(answers)).toEqual([201, ...Array(7).fill(404)]);
    expect(users()).toBe(before + 1);
  });
});

describe("the rules of registration", () => {
  test("hold for names, addresses and passwords, and leave the invitation as it was", async () => {
    const { token } = await newInvitation(server);
    const taken = await newUser(server);
    const waiting = newPerson();
    done(await register(server, waiting));
    const before = users();
    expectRefused(await accepting(server, token, { username: taken.username }), 409, "Conflict");
    expectRefused(
      await accepting(server, token, { username: taken.username.toUpperCase() }),
      409,
      "Conflict",
    );
    expectRefused(await accepting(server, token, { email: taken.email }), 409, "Conflict");
    expectRefused(await accepting(server, token, { username: waiting.username }), 409, "Conflict");
    expectRefused(await accepting(server, token, { email: waiting.email }), 409, "Conflict");
    expectInvalid(await accepting(server, token, { username: "a b" }), "/username");
    expectInvalid(await accepting(server, token, { password: "short" }), "/password");
    expectInvalid(await accepting(server, token, { locale: "xx" }), "/locale");
    expectInvalid(await accepting(server, token, { email: undefined }), "/email");
    expect(users()).toBe(before);
    expectStatus(await accepting(server, token), 201);
  });

  test("let the invited address win over somebody who registers with it", async () => {
    const email = freshEmail();
    await newInvitation(server, { email });
    const { token } = await newestMail(server, email);
    done(await register(server, newPerson({ email })));
    expectInvalid(await accepting(server, token, { email: freshEmail() }), "/email");
    expectStatus(await accepting(server, token, { email: undefined }), 201);
  });

  test("refuse common passwords where they do", async () => {
    const strict = await TestServer.start({ settings: { "security.reject_common_passwords": "true" } });
    const { token } = await newInvitation(strict);
    expectInvalid(await accepting(strict, token, { password: "password123" }), "/password");
    expectStatus(await accepting(strict, token), 201);
    await strict.stop();
  });
});

describe("the same 404", () => {
  const refusal = ({ status, body }: Answer) => ({ status, body });

  test("meets a wrong, a used, a revoked and an expired token, whatever else is wrong", async () => {
    const [used, revoked, old] = [
      await newInvitation(server),
      await newInvitation(server),
      await newInvitation(server, { expires_in_hours: 1 }),
    ];
    await accepted(server, used.token);
    await server.delete(`${PATH}/${revoked.id}`, { token: admin });
    await server.advance(HOUR + 1_000);
    const taken = await newUser(server);
    const expected = refusal(await accepting(server, "x".repeat(43)));
    expect(expected.status).toBe(404);
    for (const token of [
      used.token,
      revoked.token,
      old.token,
      used.id,
      "%00",
      "' OR 1=1 --",
      "x".repeat(128),
    ]) {
      expect(refusal(await accepting(server, token))).toEqual(expected);
      // It tells a stranger nothing of names and addresses either.
      expect(refusal(await accepting(server, token, { username: taken.username }))).toEqual(expected);
      expect(refusal(await accepting(server, token, { email: taken.email }))).toEqual(expected);
    }
  });

  test("hashes no password, so that none takes longer than another", async () => {
    const own = await TestServer.start({ hashes: "full" });
    const revoked = await newInvitation(own);
    await own.delete(`${PATH}/${revoked.id}`, { token: await own.admin() });
    const taken = async (act: () => Promise<unknown>) => {
      const before = processorTimeOf(own.pid);
      for (let at = 0; at < 50; at++) await act();
      return processorTimeOf(own.pid) - before;
    };
    // Of processor time, since others may keep a busy machine.
    const withoutHash = await taken(() => accepting(own, revoked.token));
    expect(withoutHash).toBeLessThan((await taken(() => login(own, "nobody", "wrong password"))) / 2);
    await own.stop();
  });

  test("meets the invitation of somebody who is banned or may not invite, until that ends", async () => {
    const role = await newRole(server, "users:write");
    const inviter = await newUser(server, role.id);
    const { token } = await newInvitation(server, {}, inviter.token);
    done(await server.post(`/v1/users/${inviter.id}/ban`, { token: admin, body: {} }));
    expectRefused(await accepting(server, token), 404, "NotFound");
    expect((await server.delete(`/v1/users/${inviter.id}/ban`, { token: admin })).status).toBeLessThan(300);
    await unassign(server, inviter.id, role.id);
    expectRefused(await accepting(server, token), 404, "NotFound");
    await assign(server, inviter.id, role.id);
    expectStatus(await accepting(server, token), 201);
  });

  test("meets the invitation of a key that is gone or was narrowed", async () => {
    const keyed = async () => {
      const key = await server.createKey("users:write");
      return { key, invitation: await newInvitation(server, {}, key.key) };
    };
    const [deleted, narrowed, kept] = [await keyed(), await keyed(), await keyed()];
    expectStatus(await server.delete(`/v1/api-keys/${deleted.key.id}`, { token: admin }), 204);
    done(
      await server.patch(`/v1/api-keys/${narrowed.key.id}`, { token: admin, body: { scopes: ["gps:read"] } }),
    );
    expectRefused(await accepting(server, deleted.invitation.token), 404, "NotFound");
    expectRefused(await accepting(server, narrowed.invitation.token), 404, "NotFound");
    expectStatus(await accepting(server, kept.invitation.token), 201);
  });
});

describe("what the inviter has lost", () => {
  test("is not given: roles", async () => {
    const [wide, narrow] = [
      await newRole(server, "gps:read", "trips:read"),
      await newRole(server, "gps:read"),
    ];
    const held = await newRole(server, "gps:read", "trips:read", "users:write");
    const inviter = await newUser(server, held.id);
    const role_ids = [wide.id, narrow.id];
    const { id, token } = await newInvitation(server, { role_ids }, inviter.token);
    await revoke(server, held.id, "trips:read");
    const user = await accepted(server, token);
    expect(await rolesOf(user.id)).toEqual([narrow.id, "role_user"].sort());
    const told = auditRows(server, id).find(({ event_type }) => event_type === "invitation_accepted");
    expect(JSON.parse(told?.metadata ?? "{}")).toEqual({ invited_by: inviter.id, withheld: 1 });
  });

  test("is not given: a role that was widened since", async () => {
    const role = await newRole(server, "gps:read");
    const inviter = await staff(server, "users:write", "gps:read");
    const { token } = await newInvitation(server, { role_ids: [role.id] }, inviter.token);
    done(await grant(server, role.id, "trips:read"));
    expect(await rolesOf((await accepted(server, token)).id)).toEqual(["role_user"]);
  });

  test("is not given: devices", async () => {
    const [lost, kept, ended] = [await server.device(), await server.device(), await server.device()];
    const inviter = await staff(server, "users:write");
    for (const { id } of [lost, kept, ended]) await share(server, id, inviter.id, "manage");
    const soon = new Date(server.time + HOUR).toISOString();
    const device_shares = [
      { device_id: lost.id, level: "now" },
      { device_id: kept.id, level: "now" },
      { device_id: ended.id, level: "now", expires_at: soon },
    ];
    const { token } = await newInvitation(server, { device_shares }, inviter.token);
    await unshare(server, lost.id, inviter.id);
    await server.advance(HOUR + 1_000);
    expect(await devicesOf((await accepted(server, token)).token)).toEqual([kept.id]);
  });
});

test("no token reaches the log, mistyped ones and paths included", async () => {
  const logging = await TestServer.start({ settings: { "log.level": "info" } });
  const { token } = await newInvitation(logging);
  const short = token.slice(0, 30);
  await accepting(logging, short);
  await accepting(logging, token);
  await fetch(`${logging.url}${PATH}/${short}/acept`, { method: "POST" });
  await fetch(`${logging.url}/v1%2finvitations/${short}/accept`, { method: "POST" });
  await logging.stop();
  expect(logging.output).toContain(`"path":"${PATH}/:token/accept"`);
  expect(logging.output).not.toContain(short);
});

test("attempts are limited for each address", async () => {
  const limited = await TestServer.start({
    settings: { "rate_limit.enabled": "true", "rate_limit.login": "3/60" },
  });
  const answers = [];
  for (let at = 0; at < 4; at++) answers.push(await accepting(limited, "x".repeat(43)));
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 429]);
  await limited.stop();
});
