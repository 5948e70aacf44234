import type { Token } from "./api";
import { done } from "./expectations";
import { rows } from "./rows";
import { ADMIN, type TestServer } from "./server";

/** Roles, and the permissions that they grant. */

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
