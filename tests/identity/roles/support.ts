import type { Answer } from "../../support/api";
import { auditRows } from "../../support/events";
import { expectKept, expectRefused } from "../../support/expectations";
import { rows } from "../../support/rows";
import type { TestServer } from "../../support/server";

/** Shared by the tests of roles, permissions and rights. */

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
export const expectNoChange = <T>(server: TestServer, act: () => Promise<T>): Promise<T> =>
  expectKept(() => state(server), act);

/** Expects a refusal that changes nothing. */
export async function expectRefusal(
  server: TestServer,
  status: number,
  error: string,
  request: () => Promise<Answer>,
): Promise<void> {
  await expectNoChange(server, async () => expectRefused(await request(), status, error));
}
