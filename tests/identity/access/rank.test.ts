import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Token } from "../../support/api";
import { commandLineKey } from "../../support/credentials";
import { expectRefused } from "../../support/expectations";
import { externalUser, freshEmail, newUser, readUser, staff, type User } from "../../support/people";
import { rows } from "../../support/rows";
import { ADMIN, TestServer } from "../../support/server";
import { accountsState } from "../accounts/support";

/**
 * A caller can't take over an account with more permissions (rule R3). The address is the way in: a new
 * password can be sent to it, and its holder then is that user.
 */
let server: TestServer;
let superAdminId: string;
/** Holds users:write, and otherwise the permissions of every user. */
let clerk: User;
/** Holds slightly more than the clerk. */
let auditor: User;
/** Holds the permissions of every user. */
let member: User;
/** Holds `*:*`, but isn't a super admin. */
let manager: User;
let managerKeys: { wide: Token; narrow: Token };
beforeAll(async () => {
  server = await TestServer.start();
  superAdminId = (await server.login(ADMIN.username, ADMIN.password)).user_id;
  clerk = await staff(server, "users:read", "users:write");
  auditor = await staff(server, "audit:read");
  member = await newUser(server);
  manager = await newUser(server, "role_admin");
  const keyOfManager = async (...scopes: string[]) =>
    (await commandLineKey(server, { owner: manager.username, scopes })).key;
  managerKeys = { wide: await keyOfManager("*:*"), narrow: await keyOfManager("users:read", "users:write") };
});
afterAll(() => server.stop());

let attempts = 0;
let flips = 0;
/** Alternates between two values. */
const flip = () => ++flips % 2 === 0;

/** Every way to change the identity or the appearance of a user with an email address. */
const TAKEOVERS: [what: string, request: (token: Token, id: string) => Promise<Answer>][] = [
  ["the address", (token, id) => server.patch(`/v1/users/${id}`, { token, body: { email: freshEmail() } })],
  [
    "the address beside something harmless",
    (token, id) =>
      server.patch(`/v1/users/${id}`, { token, body: { email: freshEmail(), privacy_mode: true } }),
  ],
  [
    "the address by a verification",
    (token, id) =>
      server.post(`/v1/users/${id}/email/request-change`, { token, body: { email: freshEmail() } }),
  ],
  [
    "the username",
    (token, id) => server.patch(`/v1/users/${id}`, { token, body: { username: `taken_${++attempts}` } }),
  ],
  [
    "the username by its own route",
    (token, id) =>
      server.patch(`/v1/users/${id}/username`, { token, body: { username: `taken_${++attempts}` } }),
  ],
  ["the privacy", (token, id) => server.patch(`/v1/users/${id}`, { token, body: { privacy_mode: flip() } })],
  [
    "the use of avatars",
    (token, id) => server.patch(`/v1/users/${id}`, { token, body: { avatars_enabled: flip() } }),
  ],
  [
    "the picture",
    (token, id) => {
      const avatar_url = `https://cdn.example.org/${++attempts}.png`;
      return server.patch(`/v1/users/${id}`, { token, body: { avatars_enabled: true, avatar_url } });
    },
  ],
  [
    "the language",
    (token, id) => server.patch(`/v1/users/${id}/locale`, { token, body: { locale: flip() ? "de" : "en" } }),
  ],
];

const everything = () => ({
  ...accountsState(server),
  pending: rows(server, "SELECT id FROM verifications ORDER BY id"),
  queued: rows(server, "SELECT id FROM outbox WHERE lane = 'email' ORDER BY id"),
  roles: rows(server, "SELECT * FROM user_roles ORDER BY user_id, role_id"),
});

async function expectUntouched(request: () => Promise<Answer>): Promise<void> {
  const before = everything();
  expectRefused(await request(), 403, "Forbidden");
  expect(everything()).toEqual(before);
}

describe.each(TAKEOVERS)("nobody changes %s", (_, request) => {
  test("of somebody who holds one permission more", async () => {
    await expectUntouched(() => request(clerk.token, auditor.id));
  });

  test("of somebody who holds everything", async () => {
    await expectUntouched(() => request(clerk.token, manager.id));
  });

  test("of a super admin without being one, not even with *:*", async () => {
    await expectUntouched(() => request(clerk.token, superAdminId));
    await expectUntouched(() => request(manager.token, superAdminId));
    await expectUntouched(() => request(managerKeys.wide, superAdminId));
  });

  test("with a narrow key, not even of the key's own owner", async () => {
    const key = await server.key("users:read", "users:write");
    await expectUntouched(() => request(key, superAdminId));
    await expectUntouched(() => request(key, manager.id));
    await expectUntouched(() => request(managerKeys.narrow, manager.id));
  });

  test("but of whoever may do no more, with a session or a key", async () => {
    expect((await request(clerk.token, member.id)).status).toBe(200);
    expect((await request(clerk.token, clerk.id)).status).toBe(200);
    const key = await server.key("users:write");
    expect((await request(key, member.id)).status).toBe(200);
    expect((await request(manager.token, auditor.id)).status).toBe(200);
    expect((await request(await server.admin(), manager.id)).status).toBe(200);
    expect((await request(server.systemKey, manager.id)).status).toBe(200);
  });
});

test("nobody takes back the deletion that somebody with more permissions scheduled", async () => {
  const [doomed, other] = [await staff(server, "audit:read"), await newUser(server)];
  const schedule = ({ token, password }: User) =>
    server.post("/v1/users/me/deletion", { token, body: { password } });
  const cancel = (id: string, token: Token) =>
    server.post(`/v1/admin/users/${id}/cancel-deletion`, { token });
  for (const user of [doomed, other]) expect((await schedule(user)).status).toBe(200);
  await expectUntouched(() => cancel(doomed.id, clerk.token));
  expect((await cancel(other.id, clerk.token)).status).toBe(200);
  expect((await cancel(doomed.id, manager.token)).status).toBe(200);
});

describe("an account that signs in elsewhere", () => {
  const link = (token: Token, id: string) =>
    server.post(`/v1/users/${id}/email-link/request`, {
      token,
      body: { email: freshEmail(), password: "a long passphrase" },
    });
  const assign = async (id: string, role_id: string) =>
    expect(
      (await server.post(`/v1/users/${id}/roles`, { token: await server.admin(), body: { role_id } })).status,
    ).toBe(200);

  test("gets no address and password from somebody who may do less", async () => {
    const external = await externalUser(server);
    await assign(external.id, "role_admin");
    await expectUntouched(() => link(clerk.token, external.id));
    await assign(external.id, "role_super_admin");
    await expectUntouched(() => link(manager.token, external.id));
    const key = await server.key("users:write");
    await expectUntouched(() => link(key, external.id));
  });

  test("gets one from somebody who may do as much", async () => {
    const external = await externalUser(server);
    expect((await link(clerk.token, external.id)).status).toBe(200);
  });

  test("keeps its pending link and change from somebody who may do less", async () => {
    const external = await externalUser(server);
    await assign(external.id, "role_admin");
    expect((await link(external.token, external.id)).status).toBe(200);
    const cancel = (token: Token, id: string, what: string) =>
      server.delete(`/v1/users/${id}/${what}/pending`, { token });
    await expectUntouched(() => cancel(clerk.token, external.id, "email-link"));
    const change = { token: auditor.token, body: { email: freshEmail() } };
    expect((await server.post(`/v1/users/${auditor.id}/email/request-change`, change)).status).toBe(200);
    await expectUntouched(() => cancel(clerk.token, auditor.id, "email"));
    expect((await cancel(manager.token, auditor.id, "email")).status).toBe(200);
  });
});

test("who changes users may not give themselves or others what they don't hold", async () => {
  for (const id of [clerk.id, member.id])
    for (const role_id of ["role_admin", "role_system", "role_super_admin"])
      await expectUntouched(() =>
        server.post(`/v1/users/${id}/roles`, { token: clerk.token, body: { role_id } }),
      );
  expect((await server.get(`/v1/users/${clerk.id}/permissions`, { token: clerk.token })).body).toEqual({
    permissions: ["two_factor:read", "two_factor:write", "users:read", "users:write"],
  });
});

test("who deletes users can't delete somebody who may do more", async () => {
  const deleter = await staff(server, "users:delete");
  for (const id of [auditor.id, manager.id, superAdminId])
    await expectUntouched(() => server.delete(`/v1/users/${id}`, { token: deleter.token }));
  expect((await server.delete(`/v1/users/${member.id}`, { token: deleter.token })).status).toBe(204);
});

test("nobody is another user by a name or an address spelled differently", async () => {
  const { username } = await readUser(server, superAdminId);
  for (const spelled of [username.toUpperCase(), "Admin"])
    expectRefused(
      await server.patch(`/v1/users/${auditor.id}/username`, {
        token: auditor.token,
        body: { username: spelled },
      }),
      409,
      "Conflict",
    );
  for (const email of [ADMIN.email.toUpperCase(), "Admin@Example.Org"])
    expectRefused(
      await server.post(`/v1/users/${auditor.id}/email/request-change`, {
        token: auditor.token,
        body: { email },
      }),
      409,
      "Conflict",
    );
});
