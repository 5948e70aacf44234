import { expect } from "bun:test";
import type { Answer, Token } from "../support/api";
import { ADMIN, type TestServer } from "../support/server";
import { expectRefused } from "../tracking/support";
import { externalUser, rows } from "./accounts-support";
import { done } from "./deletion-support";
import { auditRows } from "./support";

/** Shared by the tests of roles, permissions and rights. */

/** The identifier of a permission of the catalogue. */
export function permissionId(server: TestServer, permission: string): string {
  const [row] = rows<{ id: string }>(
    server,
    "SELECT id FROM permissions WHERE resource || ':' || action = ?",
    permission,
  );
  if (!row) throw new Error(`there is no permission ${permission}`);
  return row.id;
}

/** Lets a role grant a permission. The admin's session may be too old to hand out rights without a proof. */
export const grant = async (server: TestServer, roleId: string, permission: string, token?: Token) =>
  server.post(`/v1/roles/${roleId}/permissions`, {
    token: token ?? (await server.admin()),
    body: {
      permission_id: permissionId(server, permission),
      ...(token === undefined && { password: ADMIN.password }),
    },
  });

/** Lets a role grant a permission no longer. */
export const revoke = async (server: TestServer, roleId: string, permission: string, token?: Token) =>
  server.delete(`/v1/roles/${roleId}/permissions/${permissionId(server, permission)}`, {
    token: token ?? (await server.admin()),
  });

/** Gives a user a role, with a proof for the same reason. */
export const assign = async (server: TestServer, userId: string, role_id: string) =>
  done(
    await server.post(`/v1/users/${userId}/roles`, {
      token: await server.admin(),
      body: { role_id, password: ADMIN.password },
    }),
  );

export const unassign = async (server: TestServer, userId: string, roleId: string) =>
  done(await server.delete(`/v1/users/${userId}/roles/${roleId}`, { token: await server.admin() }));

let made = 0;

/** A new role that grants exactly these permissions. */
export async function newRole(
  server: TestServer,
  ...permissions: string[]
): Promise<{ id: string; name: string }> {
  const name = `Crew ${++made}`;
  const { data } = done(await server.post("/v1/roles", { token: await server.admin(), body: { name } }));
  for (const permission of permissions) done(await grant(server, data.id, permission));
  return { id: data.id, name };
}

/** A signed-in user who holds these roles beside the role User. */
export async function holder(
  server: TestServer,
  ...roleIds: string[]
): Promise<{ id: string; username: string; token: Token }> {
  const user = await externalUser(server);
  for (const roleId of roleIds) await assign(server, user.id, roleId);
  return user;
}

/** All that operations on roles and permissions may change. */
const state = (server: TestServer) => ({
  roles: rows(server, "SELECT * FROM roles ORDER BY id"),
  permissions: rows(server, "SELECT * FROM permissions ORDER BY id"),
  grants: rows(server, "SELECT * FROM role_permissions ORDER BY role_id, permission_id"),
  holders: rows(server, "SELECT * FROM user_roles ORDER BY user_id, role_id"),
  clients: rows(server, "SELECT * FROM oauth_clients ORDER BY id"),
  events: auditRows(server),
});

/** Expects that `act` leaves roles, permissions, holders, clients and the audit log as they were. */
export async function expectNoChange<T>(server: TestServer, act: () => Promise<T>): Promise<T> {
  const before = state(server);
  const result = await act();
  expect(state(server)).toEqual(before);
  return result;
}

/** Expects a refusal that changes nothing. */
export async function expectRefusal(
  server: TestServer,
  status: number,
  error: string,
  request: () => Promise<Answer>,
): Promise<void> {
  await expectNoChange(server, async () => expectRefused(await request(), status, error));
}
