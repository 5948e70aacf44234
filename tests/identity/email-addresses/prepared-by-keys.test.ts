import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newestMail } from "../../support/mail";
import { newUser } from "../../support/people";
import { newRole } from "../../support/roles";
import { TestServer } from "../../support/server";
import { verifyEmail } from "../auth/support";

// A narrow key of a powerful owner can prepare a change that a token applies later. The change must not be
// applied once the key has ended or lacks the rank for it (rules C4 and R3).

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

let addresses = 0;

/** Requests another address for a user with a credential; returns the token that was sent there. */
async function ask(token: string, userId: string): Promise<string> {
  const email = `prepared_${++addresses}@example.org`;
  const path = `/v1/users/${userId}/email/request-change`;
  expect((await server.post(path, { token, body: { email } })).status).toBe(200);
  return (await newestMail(server, email)).token;
}

const promote = (id: string) =>
  server.post(`/v1/users/${id}/roles`, { token: admin, body: { role_id: "role_admin" } });
const demote = (id: string) => server.delete(`/v1/users/${id}/roles/role_admin`, { token: admin });
const statusOf = async (token: string) => (await verifyEmail(server, token)).status;

describe("an address that a key asked for", () => {
  test("applies while the key may change the user, and not once the user outranks it", async () => {
    const user = await newUser(server);
    const { key } = await server.createKey("users:write");
    const token = await ask(key, user.id);
    await promote(user.id);
    expect(await statusOf(token)).toBe(400);
    await demote(user.id);
    expect(await statusOf(token)).toBe(200);
  });

  test("doesn't apply once the key is deleted, switched off or narrowed", async () => {
    for (const change of ["delete", { is_active: false }, { scopes: ["users:read"] }] as const) {
      const user = await newUser(server);
      const { id, key } = await server.createKey("users:write");
      const token = await ask(key, user.id);
      const path = `/v1/api-keys/${id}`;
      const done =
        change === "delete"
          ? await server.delete(path, { token: admin })
          : await server.patch(path, { token: admin, body: change });
      expect(done.status).toBeLessThan(300);
      expect(await statusOf(token)).toBe(400);
    }
  });

  test("doesn't make a narrow key its owner", async () => {
    const scopes = ["users:write", "api_keys:write"];
    const owner = await newUser(server, (await newRole(server, ...scopes)).id);
    const made = await server.post("/v1/api-keys", { token: owner.token, body: { name: "own", scopes } });
    const token = await ask(made.body.key, owner.id);
    await promote(owner.id);
    expect(await statusOf(token)).toBe(400);
  });
});

describe("a wider key of the same owner", () => {
  test("can't be narrowed by a narrow one, nor lose a role, to be handed out and widened again", async () => {
    const narrow = await server.key("api_keys:*", "gps:read");
    const wide = await server.createKey("*:*");
    await server.post(`/v1/api-keys/${wide.id}/roles`, {
      token: admin,
      body: { role_id: "role_super_admin" },
    });
    for (const answer of [
      await server.patch(`/v1/api-keys/${wide.id}`, { token: narrow, body: { scopes: ["gps:read"] } }),
      await server.delete(`/v1/api-keys/${wide.id}/roles/role_super_admin`, { token: narrow }),
      await server.post(`/v1/api-keys/${wide.id}/regenerate`, { token: narrow }),
    ])
      expect(answer.status).toBe(403);
    const { body } = await server.get(`/v1/api-keys/${wide.id}`, { token: admin });
    expect(body.data.scopes).toEqual(["*:*"]);
  });
});

test("rights that are gained meanwhile refuse nothing", async () => {
  const administrator = await newUser(server, "role_admin");
  const role = await server.post("/v1/roles", { token: admin, body: { name: "Filled in one go" } });
  const { id } = role.body.data;
  await server.post(`/v1/users/${administrator.id}/roles`, { token: admin, body: { role_id: id } });
  const { body } = await server.get("/v1/permissions", { token: admin });
  const answers = await Promise.all(
    (body.data as { id: string }[]).slice(0, 8).map((permission) =>
      server.post(`/v1/roles/${id}/permissions`, {
        token: administrator.token,
        body: { permission_id: permission.id },
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

test("2fa/check goes by the platform that a user signed in with last, where none is named", async () => {
  const login = await server.post("/v1/users/oauth", {
    token: server.systemKey,
    body: { oauthProvider: "discord", oauthProviderId: "4711", name: "Bobby", email: null, image: null },
  });
  const user_id = login.body.data.id;
  const check = () => server.post("/v1/auth/2fa/check", { token: server.systemKey, body: { user_id } });
  const enable = (enabled: boolean) =>
    server.patch("/v1/platforms/discord/enabled", { token: admin, body: { enabled } });
  expect((await check()).body).toEqual({ requires_2fa: false });
  await enable(false);
  expect((await check()).status).toBe(403);
  await enable(true);
});
