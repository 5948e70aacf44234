import type { Answer } from "../../support/api";
import { eventsAbout } from "../../support/events";
import { expectKept, expectRefused } from "../../support/expectations";
import { rows } from "../../support/rows";
import type { TestServer } from "../../support/server";

/** Shared by the tests of bans and deletions. */

/** Everything that a refused request about a user could have changed. */
export const recordsOf = (server: TestServer, userId: string) => ({
  user: rows(server, "SELECT * FROM users WHERE id = ?", userId),
  accounts: rows(server, "SELECT * FROM platform_accounts WHERE user_id = ?", userId),
  sessions: rows(server, "SELECT id FROM sessions WHERE user_id = ? ORDER BY id", userId),
  keys: rows(server, "SELECT id, is_active FROM api_keys WHERE owner_id = ? ORDER BY id", userId),
  roles: rows(server, "SELECT role_id FROM user_roles WHERE user_id = ? ORDER BY role_id", userId),
  bans: rows(server, "SELECT * FROM bans WHERE user_id = ? ORDER BY id", userId),
  events: eventsAbout(server, userId).map(({ event_type }) => event_type),
});

/** Expects a refusal that leaves everything about a user as it was. */
export async function expectNothingDone(
  server: TestServer,
  userId: string,
  request: () => Promise<Answer>,
  status: number,
  error: string,
): Promise<void> {
  await expectKept(
    () => recordsOf(server, userId),
    async () => expectRefused(await request(), status, error),
  );
}
